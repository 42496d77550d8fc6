# Made-up people, the same each time: R's generator makes the table and has no say in a release.
options(warnPartialMatchDollar = TRUE)
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

# Two runs of a backward stable solver agree up to rounding; what is noised on the grid agrees in every bit. The limit is
# that of python/tests/rounding.py: 16 d 2^-53 times how much a result amplifies it.
expect_same_up_to_rounding <- function(one, other, condition = 1e6) {
  one <- unlist(one)
  other <- unlist(other)
  expect_identical(names(one), names(other))
  if (is.numeric(one) && length(one) > 0) {
    limit <- 16 * length(one) * 2^-53 * condition * max(abs(other), 1e-300, na.rm = TRUE)
    expect_identical(is.na(one), is.na(other))
    expect_lte(max(abs(one - other), 0, na.rm = TRUE), limit)
  } else {
    expect_identical(one, other)
  }
}

quietly <- function(code) suppressWarnings(code, classes = "eigenveil_warning")
