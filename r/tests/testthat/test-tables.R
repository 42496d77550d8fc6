same <- function(one, other) {
  expect_identical(one$result$noisy_rows, other$result$noisy_rows)
  expect_identical(one$raw, other$raw)
}
cov_of <- function(x, ...) quietly(private_cov(x, mu = 1, center = "none", seed = 3, ...))

test_that("columns of any kind are read in place, factors by their declared levels", {
  x <- data.frame(a = as.numeric(0:99 %% 11), b = 0:99 %% 5L, c = 0:99 %% 2L == 1, sex = factor(c("f", "m", "x", "f")[1 + 0:99 %% 4]))
  path <- tempfile(fileext = ".csv")
  utils::write.csv(transform(x, c = as.integer(c)), path, row.names = FALSE, quote = FALSE)
  bounds <- list(a = c(0, 10), b = c(0, 5), c = c(0, 1))
  levels <- list(sex = c("f", "m"))
  same(cov_of(x, bounds = bounds, one_hot = levels), cov_of(path, bounds = bounds, one_hot = levels))
  text <- transform(x, sex = as.character(sex))
  same(cov_of(text, bounds = bounds, one_hot = levels), cov_of(path, bounds = bounds, one_hot = levels))
  expect_identical(colnames(cov_of(x, bounds = bounds, one_hot = levels)$cov), c("a", "b", "c", "sex=f", "sex=m"))
  expect_error(cov_of(x, bounds = bounds), "sex", class = "eigenveil_error") # no levels: words are no numbers
  codes <- transform(x, sex = NULL, code = factor(c("1", "2")[1 + 0:99 %% 2]))
  expect_identical(
    cov_of(codes, bounds = bounds, one_hot = list(code = c("1", "2")))$raw,
    cov_of(transform(codes, code = 1 + 0:99 %% 2), bounds = bounds, one_hot = list(code = c("1", "2")))$raw
  )
})

test_that("columns are selected, left out and named as in files", {
  x <- people()
  same(cov_of(x, range = c(0, 10), columns = c("question_3", "question_1")), cov_of(x[, c(3, 1)], range = c(0, 10)))
  same(cov_of(x, range = c(0, 10), exclude = "question_2"), cov_of(x[, -2], range = c(0, 10)))
  expect_error(cov_of(x, range = c(0, 10), columns = "qestion_1"), "did you mean question_1", class = "eigenveil_error")
  expect_identical(colnames(cov_of(unname(x), range = c(0, 10))$cov), paste0("c", 1:4))
})

test_that("bounds come as a list, a data frame or a file", {
  x <- people()
  list <- list(question_1 = c(0, 10), question_2 = c(0, 12), question_3 = c(-1, 10), question_4 = c(0, 10))
  frame <- data.frame(column = names(list), low = sapply(list, `[`, 1), high = sapply(list, `[`, 2))
  file <- tempfile(fileext = ".csv")
  utils::write.csv(frame, file, row.names = FALSE, quote = FALSE)
  same(cov_of(x, bounds = list), cov_of(x, bounds = frame))
  same(cov_of(x, bounds = list), cov_of(x, bounds = file))
  expect_error(cov_of(x, bounds = list[1:3]), "question_4", class = "eigenveil_error")
})

test_that("missing cells are at the public midpoint, or refused", {
  x <- people()
  gaps <- x
  gaps[5, 2] <- NA
  whole <- gaps
  storage.mode(whole) <- "integer"
  at_midpoint <- x
  at_midpoint[5, 2] <- 5
  same(cov_of(gaps, range = c(0, 10)), cov_of(at_midpoint, range = c(0, 10)))
  same(cov_of(whole, range = c(0, 10)), cov_of(at_midpoint, range = c(0, 10)))
  expect_error(cov_of(gaps, range = c(0, 10), missing = "refuse"), "row 5, column question_2", class = "eigenveil_error")
})

test_that("people, weights, stages and a public centre are the program's", {
  x <- as.data.frame(people(400))
  x$who <- rep(1:200, 2)
  x$w <- 1 + (1:400) %% 3
  path <- write_people(x)
  by_hand <- function(...) quietly(program_release("covariance", path, "--mu", 1, "--seed", 3, "--center", "none", "--range", "0:10", ...))
  same(cov_of(x, range = c(0, 10), person = "who", rows_per_person = 1), by_hand("--person", "who", "--rows-per-person", 1))
  named <- transform(x, who = paste("person", who))
  same(cov_of(named, range = c(0, 10), person = "who", rows_per_person = 1, exclude = "w"), by_hand("--person", "who", "--rows-per-person", 1, "--exclude", "w"))
  fit <- cov_of(x, range = c(0, 10), person = "who", rows_per_person = 2)
  expect_identical(fit$guarantee$person, "who")
  same(cov_of(x, range = c(0, 10), weights = "w", weight_bound = 3), by_hand("--weights", "w", "--weight-bound", 3))
  spherical <- quietly(private_pca(people(), mu = 1, normalise_rows = TRUE, seed = 3))
  expect_match(spherical$parameters$units, "norm 1")
  basis <- prcomp(people(), rank. = 2)
  inside <- quietly(private_pca(people(), mu = 1, project = basis, projected_norm = 20, seed = 3))
  expect_identical(dim(inside$rotation), c(4L, 1L))
  about <- quietly(private_pca(people(), mu = 1, range = c(0, 10), center = c(question_1 = 5, question_2 = 4, question_3 = 5, question_4 = 5), seed = 3))
  expect_identical(unname(about$center), c(5, 4, 5, 5))
})

test_that("files of every kind are read", {
  x <- people()
  path <- write_people(x)
  gram <- tempfile(fileext = ".gram")
  system2(program(), c("gram", "partial", path, "--range", "0:10", "--out", gram), stdout = TRUE)
  same(cov_of(gram), cov_of(x, range = c(0, 10)))
  expect_error(cov_of(gram, range = c(0, 10)), "carries its columns and bound", class = "eigenveil_error")
  bed <- tempfile(fileext = ".bed")
  system2(program(), c("generate", "genotypes", "--rows", 60, "--columns", 8, "--out", bed), stdout = TRUE)
  fit <- quietly(private_pca(bed, mu = 1, range = c(0, 2), grid = 1, seed = 1))
  expect_identical(nrow(fit$rotation), 8L)
  expect_error(private_pca(bed, mu = 1), "genotypes count 0, 1 or 2", class = "eigenveil_error")
})

test_that("levels are different, and bounds may be a matrix", {
  x <- data.frame(a = 0:99 %% 11, sex = c("f", "m"))
  expect_error(cov_of(x, bounds = list(a = c(0, 10)), one_hot = list(sex = c("f", "f"))), "'f' of column sex is listed twice", class = "eigenveil_error")
  expect_error(cov_of(x, bounds = list(a = c(0, 10)), one_hot = list(sex = c("*", "f"))), "must be the last level", class = "eigenveil_error")
  expect_error(cov_of(x, bounds = list(a = c(0, 10)), one_hot = list(c("f", "m"))), "list of public levels", class = "eigenveil_error")
  y <- people()
  rows <- matrix(c(0, 0, -1, 0, 10, 12, 10, 10), 4, dimnames = list(colnames(y), c("low", "high")))
  by_column <- apply(rows, 1, identity, simplify = FALSE)
  same(cov_of(y, bounds = rows), cov_of(y, bounds = lapply(by_column, unname)))
  same(cov_of(y, bounds = unname(rows) |> `rownames<-`(colnames(y))), cov_of(y, bounds = rows))
})

test_that("gaps pair by pair, correlations, decimal commas and parents are the program's", {
  x <- as.data.frame(people(800))
  x$question_2[seq(1, 800, 7)] <- NA
  path <- tempfile(fileext = ".csv")
  utils::write.csv(x, path, row.names = FALSE, quote = FALSE, na = "")
  by_hand <- function(path, ...) quietly(program_release("covariance", path, "--mu", 1, "--seed", 3, "--range", "0:10", ...))
  ours <- quietly(private_cov(x, mu = 1, seed = 3, range = c(0, 10), missing = "pairwise"))
  theirs <- by_hand(path, "--missing", "pairwise")
  expect_identical(names(ours$tables), names(theirs$tables))
  expect_same_up_to_rounding(ours$cov, theirs$cov)
  some <- quietly(private_cov(x, mu = 1, seed = 3, range = c(0, 10), missing = list(pairwise = "question_2")))
  expect_same_up_to_rounding(some$cov, by_hand(path, "--missing", "pairwise=question_2")$cov)
  whole <- people(800)
  correlated <- quietly(private_cov(whole, mu = 1, seed = 3, range = c(0, 10), correlation = TRUE))
  expect_same_up_to_rounding(correlated$cov, by_hand(write_people(whole), "--correlation")$cov)
  comma <- tempfile(fileext = ".csv")
  utils::write.csv2(as.data.frame(whole) / 4, comma, row.names = FALSE, quote = FALSE)
  same(
    quietly(private_cov(comma, mu = 1, seed = 3, range = c(0, 10), decimal = "comma", separator = "semicolon")),
    quietly(private_cov(whole / 4, mu = 1, seed = 3, range = c(0, 10)))
  )
  parent <- tempfile("parent")
  write_release(private_pca(whole, mu = 1, range = c(0, 10)), parent)
  child <- tempfile("child")
  private_cov(whole, mu = 1, range = c(0, 10), builds_on = parent, out = child)
  expect_match(paste(readLines(file.path(child, "release.json")), collapse = " "), "\"builds_on\": *\\[ *\"[0-9a-f]{64}\"")
  expect_error(private_cov(whole, mu = 1, range = c(0, 10), builds_on = tempfile()), class = "eigenveil_error")
})
