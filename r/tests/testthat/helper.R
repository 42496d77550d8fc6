# Made-up people, the same each time: R's generator makes the table and has no say in a release.
people <- function(rows = 500, columns = 4) {
  x <- outer(seq_len(rows), seq_len(columns), function(i, j) (i * (2 * j + 1) + i %/% 7 * j) %% 11)
  colnames(x) <- paste0("question_", seq_len(columns))
  x
}

program <- function() {
  path <- Sys.getenv("EIGENVEIL")
  if (!nzchar(path) || !file.exists(path)) skip("EIGENVEIL does not name the program")
  path
}

# The arrays of a release that the program makes, exactly.
program_release <- function(..., out = tempfile("release")) {
  done <- system2(program(), c(..., "--out", out, "--format", "npy"), stdout = TRUE, stderr = TRUE)
  if (!is.null(attr(done, "status"))) stop(paste(done, collapse = "\n"))
  read_release(out)
}

write_people <- function(x = people(), path = tempfile(fileext = ".csv")) {
  utils::write.csv(x, path, row.names = FALSE, quote = FALSE)
  path
}
