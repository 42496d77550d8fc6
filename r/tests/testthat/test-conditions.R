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
  expect_match(conditionMessage(refusal(private_pca(x, epsilon = 1, range = c(1, 0)))), "the lowest below the highest")
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
  expect_match(conditionMessage(e), "column question_1 holds words (class character)", fixed = TRUE)
  e <- refusal(private_pca(write_people(x), epsilon = 1, range = c(0, 10)))
  expect_false(grepl("secret", conditionMessage(e)))
  expect_s3_class(quietly(private_pca(x, epsilon = 1, range = c(0, 10), bad_cell = "midpoint")), "private_pca") # as it was declared
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

test_that("whatever is given, the answer is one sentence of the package", {
  x <- people()
  model <- private_lm(question_1 ~ question_2, people(3000), epsilon = 1, delta = 1e-6, range = c(0, 10))
  refused <- function(code, message) {
    e <- tryCatch(code, error = identity)
    expect_s3_class(e, "eigenveil_error")
    expect_match(conditionMessage(e), message, fixed = TRUE)
    expect_false(grepl("JSON|not a request|--|FILE|\\{", conditionMessage(e)))
  }
  release <- function(...) private_pca(x, ..., range = c(0, 10))
  refused(read_release(3), "path must be a path in quotes")
  refused(read_release(NULL), "path in quotes")
  refused(release(epsilon = 1, ledger = 3), "ledger must be a ledger")
  refused(ledger(3), "ledger must be a ledger")
  refused(ledger(NULL), "a ledger has a path")
  refused(ledger(tempfile()), "ledger_create() makes one")
  refused(ledger_verify(tempfile(), 3), "paths in quotes")
  refused(confint(model, "zz"), "(Intercept), question_2")
  refused(confint(model, 5), "(Intercept), question_2")
  refused(confint(model, level = NA), "level must be one finite number")
  refused(plot(model), "residuals are private data")
  refused(residuals(model), "residuals are private data")
  refused(fitted(model), "keeps no rows")
  refused(release(epsilon = Inf), "epsilon must be a finite number")
  refused(release(epsilon = NA), "epsilon must be a finite number")
  refused(release(epsilon = 1, delta = Inf), "delta must be a finite number")
  refused(private_pca(x, epsilon = 1, row_norm = Inf), "row_norm must be a finite number above 0")
  refused(private_pca(x, epsilon = 1, bounds = list(question_1 = c(0, NA))), "two finite numbers")
  refused(private_pca(x, epsilon = 1), "list(age = c(0, 120))")
  refused(release(epsilon = 1, method = 3), "method must be")
  refused(release(epsilon = 1, neighbours = NA), "neighbours must be")
  refused(release(epsilon = 1, out = 3), "out must be a path")
  refused(release(epsilon = 1, person = 3, rows_per_person = 1), "person must be the name of one column")
  refused(release(epsilon = 1, weights = c("a", "b"), weight_bound = 1), "weights must be the name of one column")
  refused(release(epsilon = 1, columns = 1:2), "columns must be names of columns")
  refused(release(epsilon = 1, columns = "zz"), "there is no column zz")
  refused(release(epsilon = 1, center = NA), "center must be")
  refused(release(epsilon = 1, builds_on = 3), "builds_on must be")
  refused(release(epsilon = 1, method = "orbit", variance_share = "much"), "variance_share must be between 0 and 1")
  refused(private_cov(x, epsilon = 1, range = c(0, 10), correlation = 3), "correlation must be TRUE or FALSE")
  refused(release(epsilon = 1, no_such = 1), "there is no argument or option 'no_such'; engine_options(\"pca\") lists")
  refused(release(epsilon = 1, epsilno = 1), "did you mean epsilon?")
  refused(release(epsilon = 1, bound = 1), "did you mean bounds?")
  refused(release(epsilon = 1, scale. = TRUE), "did you mean standardize?")
  refused(private_pca(x, epsilon = 1, bounds = matrix(c(0, 10), 4, 2, byrow = TRUE)), "a row named after each column")
  refused(private_pca(x, epsilon = 1, bounds = data.frame(a = 1)), "column, low and high")
  refused(release(epsilon = factor(1)), "neither numbers, words nor a list")
  refused(release(epsilon = 1, threads = 5000.5), "threads must be a whole number")
  refused(release(epsilon = 1, header = "yes"), "header must be auto or present")
  refused(release(epsilon = 1, bad_cell = NA), "bad_cell must be refuse or midpoint")
  refused(private_pca(x, epsilon = 1, bounds = "no-such-file.csv"), "no-such-file.csv")
  refused(private_pca(x, epsilon = 1, project = "no-such-file.csv", projected_norm = 1), "no-such-file.csv")
  refused(plan_pca(rows = 10.5, columns = 2, epsilon = 1, range = c(0, 1)), "rows must be a whole number")
  refused(plan_pca(rows = 10, columns = 2, epsilon = 1, range = c(0, 1), spectrum = c(1, -1)), "spectrum must hold finite eigenvalues")
  refused(plan_pca(rows = 10, columns = c(3, 4), epsilon = 1, range = c(0, 1)), "columns must be different names")
})

test_that("the engine's words for a terminal are R's", {
  fit <- private_pca(people(), epsilon = 1, delta = 1e-6, range = c(0, 10))
  expect_false(any(grepl("command line", capture.output(print(guarantee(fit))))))
  masked <- masked_data(people(), epsilon = 1, delta = 1e-6, range = c(0, 10), intercept = TRUE)
  expect_false(any(grepl("{", masked$remarks, fixed = TRUE)))
  expect_match(masked$remarks[["compared"]], "method = \"gauss\"", fixed = TRUE)
  expect_false(any(grepl("{", engine_options("covariance")$default, fixed = TRUE)))
  expect_identical(eigenveil:::in_r("is {epsilon 0.5} {delta 1e-06}"), "is epsilon = 0.5, delta = 1e-06")
})

test_that("a mean is paid for, and center = TRUE says so", {
  x <- people()
  expect_message(fit <- private_pca(x, mu = 1, range = c(0, 10), center = TRUE, seed = 1), "budget pays", class = "eigenveil_message")
  expect_identical(fit$rotation, private_pca(x, mu = 1, range = c(0, 10), center = "private", seed = 1)$rotation)
  expect_identical(
    private_pca(x, mu = 1, range = c(0, 10), center = FALSE, seed = 1)$rotation,
    private_pca(x, mu = 1, range = c(0, 10), center = "none", seed = 1)$rotation
  )
})

test_that("update() does not spend again", {
  x <- people()
  expect_error(update(private_pca(x, mu = 1, range = c(0, 10)), k = 2), "spend its budget again", class = "eigenveil_error")
  expect_error(update(private_cov(x, mu = 1, range = c(0, 10))), "private_cov()", class = "eigenveil_error", fixed = TRUE)
  expect_error(update(masked_data(x, mu = 1, range = c(0, 10), intercept = TRUE)), "masked_data()", class = "eigenveil_error", fixed = TRUE)
  expect_error(update(private_lm(question_1 ~ question_2, people(3000), mu = 1, range = c(0, 10))), "spend", class = "eigenveil_error")
  released <- private_cov(people(3000), mu = 1, range = c(0, 10))
  model <- private_lm(question_1 ~ question_2, released)
  expect_identical(names(coef(update(model, question_1 ~ question_3))), c("(Intercept)", "question_3")) # of a release: free
})

test_that("what is left out, or has no name, is one sentence", {
  expect_error(private_pca(epsilon = 1, range = c(0, 10)), "x is missing", class = "eigenveil_error")
  expect_error(private_lm(y ~ a), "data is missing", class = "eigenveil_error")
  expect_error(private_lm(y ~ a, data.frame(y = 1, a = 2), epsilon = 1, range = c(0, 10), target = "zz"), "target must be", class = "eigenveil_error")
  unnamed <- data.frame(a = 1:50, b = 1:50)
  for (wrong in list("", NA)) {
    names(unnamed)[2] <- wrong
    expect_error(private_pca(unnamed, epsilon = 1, range = c(0, 10)), "needs a name", class = "eigenveil_error")
  }
  dates <- data.frame(a = 1:50, b = I(as.Date("2026-01-01") + 1:50))
  expect_error(private_pca(dates, epsilon = 1, range = c(0, 10)), "class", class = "eigenveil_error")
})
