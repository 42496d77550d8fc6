source_tree <- function() {
  path <- Sys.getenv("EIGENVEIL_SOURCE")
  if (!nzchar(path) || !dir.exists(file.path(path, "r"))) skip("EIGENVEIL_SOURCE does not name a clone")
  path
}

test_that("man and NAMESPACE are what the comments say, options in the engine's words", {
  skip_if_not_installed("roxygen2")
  source <- file.path(source_tree(), "r")
  copy <- file.path(tempfile("package"), "r")
  dir.create(copy, recursive = TRUE)
  file.copy(file.path(source, c("DESCRIPTION", "NAMESPACE", "R", "man", "src")), copy, recursive = TRUE)
  unlink(file.path(copy, "src", c("*.o", "*.so")))
  utils::capture.output(suppressMessages(
    roxygen2::roxygenise(copy, roclets = c("namespace", "rd"), load_code = roxygen2::load_installed)
  ), type = "output")
  for (folder in c(".", "man")) {
    files <- list.files(file.path(copy, folder), pattern = "NAMESPACE|\\.Rd$")
    expect_gt(length(files), 0)
    expect_identical(list.files(file.path(source, folder), pattern = "NAMESPACE|\\.Rd$"), files)
    for (file in files) {
      # Another version of roxygen2 may say its number elsewhere; here it is compared too. scripts/document-r writes them.
      expect_identical(readLines(file.path(source, folder, file)), readLines(file.path(copy, folder, file)), info = file)
    }
  }
})

# The R sessions of the pages: every block of code is run in order, and each `text` block after one must have the words
# that were printed; numbers are drawn, so they are compared only in blocks that are not marked `noisy`.
sessions <- function(page) {
  lines <- readLines(page, encoding = "UTF-8")
  fences <- grep("^```", lines)
  blocks <- list()
  for (i in seq(1, length(fences) - 1, by = 2)) {
    blocks[[length(blocks) + 1]] <- list(kind = sub("^```", "", lines[fences[i]]), text = lines[seq_len(fences[i + 1] - fences[i] - 1) + fences[i]])
  }
  blocks
}

words_of <- function(text, noisy) {
  text <- Filter(nzchar, unlist(strsplit(paste(text, collapse = " "), "[ \t\n]+")))
  if (noisy) Filter(nzchar, gsub("[-+]?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?%?,?", "", text)) else text
}

for (page in c("README.md", "docs/guide.md", "docs/r.md")) {
  test_that(paste("the R sessions of", page, "run as shown"), {
    blocks <- sessions(file.path(source_tree(), page))
    folder <- tempfile("session")
    dir.create(folder)
    before <- setwd(folder)
    on.exit(setwd(before))
    system2(program(), c("generate", "survey", "--rows", 20000, "--out", "survey.csv"), stdout = TRUE)
    scope <- new.env(parent = globalenv())
    shown <- 0
    for (i in seq_along(blocks)) {
      if (!blocks[[i]]$kind %in% c("r", "R")) next
      shown <- shown + 1
      printed <- utils::capture.output(quietly(source(exprs = parse(text = blocks[[i]]$text), local = scope, echo = FALSE, print.eval = TRUE)))
      follows <- if (i < length(blocks)) blocks[[i + 1]]$kind else ""
      if (follows %in% c("text", "text noisy")) {
        noisy <- follows == "text noisy"
        expect_identical(words_of(printed, noisy), words_of(blocks[[i + 1]]$text, noisy), info = paste(blocks[[i]]$text, collapse = "\n"))
      }
    }
    expect_gt(shown, 0)
  })
}
