refusal <- function(code) tryCatch(code, eigenveil_error = identity)

test_that("refusals are conditions with the arguments of R", {
  x <- people()
  e <- refusal(private_pca(x, epsilon = 1))
  expect_s3_class(e, c("eigenveil_bad_request", "eigenveil_error", "error", "condition"), exact = TRUE)
  expect_match(conditionMessage(e), "range = c(LO, HI)", fixed = TRUE)
  expect_identical(e$parameter, "row_norm")
  expect_match(conditionMessage(refusal(private_pca(x, range = c(0, 1)))), "budget is missing")
  expect_match(conditionMessage(refusal(private_pca(x, epsilon = 1, rho = 1, range = c(0, 1)))), "exactly one budget")
  expect_match(conditionMessage(refusal(private_pca(x, epsilon = 1, range = c(0, 1), method = "laplcae"))), "did you mean laplace")
  expect_match(conditionMessage(refusal(private_pca(x, k = 2.5, epsilon = 1, range = c(0, 1)))), "whole number")
  expect_match(conditionMessage(refusal(private_pca(x, k = 9, epsilon = 1, range = c(0, 1)))), "k must satisfy")
  expect_match(conditionMessage(refusal(private_pca(x, epsilon = -1, range = c(0, 1)))), "epsilon")
  expect_match(conditionMessage(refusal(private_pca(x, epsilon = 1, range = c(1, 0)))), "low before high")
  expect_s3_class(refusal(private_pca(tempfile(fileext = ".csv"), epsilon = 1, range = c(0, 1))), "eigenveil_error")
  expect_false(any(grepl("\\{[a-z_]+[ }]", conditionMessage(e))))
})

test_that("no message holds a value of a row", {
  x <- as.data.frame(people())
  x$question_1[3] <- Inf
  e <- refusal(private_pca(x, epsilon = 1, range = c(0, 10)))
  expect_match(conditionMessage(e), "row 3, column question_1: not a finite number")
  x$question_1 <- c("secret", rep("1", nrow(x) - 1))
  e <- refusal(private_pca(x, epsilon = 1, range = c(0, 10)))
  expect_false(grepl("secret", conditionMessage(e)))
  expect_match(conditionMessage(e), "row 1, column question_1")
})

test_that("what is not a number is refused by its class", {
  x <- data.frame(day = as.Date("2026-01-01") + 0:9, a = 0:9)
  expect_match(conditionMessage(refusal(private_pca(x, epsilon = 1, range = c(0, 10)))), "class Date")
  expect_match(conditionMessage(refusal(private_pca(letters == "a", epsilon = 1, range = c(0, 10)))), "matrix, a data frame")
})

test_that("parameters are spelt for R", {
  expect_identical(eigenveil:::in_r("give {range LO:HI} or {method laplace}, {components} and {row_norm R}"),
    "give range = c(LO, HI) or method = \"laplace\", k and row_norm = R")
  expect_identical(eigenveil:::in_r("plain {Braces} stay"), "plain {Braces} stay")
})

test_that("warnings have classes", {
  expect_warning(private_pca(people(), epsilon = 1, range = c(0, 10), method = "exponential"), class = "eigenveil_result_warning")
})
