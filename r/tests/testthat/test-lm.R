model_rows <- function(rows = 6000) {
  i <- seq_len(rows)
  x <- data.frame(a = i %% 11, b = (i * 7) %% 13 * 10 / 12, sex = factor(c("f", "m", "d")[1 + (i %/% 3) %% 3], levels = c("f", "m", "d")))
  x$y <- 1 + 0.5 * x$a + 0.25 * x$b + c(0, 1, -1)[as.integer(x$sex)] + ((i * 5) %% 17 - 8) / 8
  x
}
bounds <- list(y = c(-5, 15), a = c(0, 10), b = c(0, 10))
levels <- list(sex = c("f", "m", "d"))

test_that("a private model without much noise is lm", {
  x <- model_rows()
  fit <- private_lm(y ~ a + b + sex, x, mu = 1e4, bounds = bounds, levels = levels, neighbours = "replace-one", seed = 1)
  plain <- lm(y ~ a + b + sex, x)
  expect_identical(names(coef(fit)), c("(Intercept)", "a", "b", "sex=m", "sex=d"))
  expect_equal(unname(coef(fit)), unname(coef(plain)), tolerance = 1e-3)
  expect_equal(unname(sqrt(diag(vcov(fit)))), unname(sqrt(diag(vcov(plain)))), tolerance = 0.01)
  expect_equal(unname(confint(fit)), unname(confint(plain)), tolerance = 0.01)
  expect_equal(unname(fit$std.error), unname(sqrt(diag(vcov(fit)))), tolerance = 1e-8)
})

test_that("intervals include the noise, and are the program's", {
  x <- model_rows()
  noisy <- private_lm(y ~ a + b, x, epsilon = 1, delta = 1e-6, bounds = bounds, seed = 1)
  plain <- lm(y ~ a + b, x)
  width <- function(limits) limits[, 2] - limits[, 1]
  expect_true(all(width(confint(noisy)) > width(confint(plain))))
  expect_true(all(width(confint(noisy, level = 0.99)) > width(confint(noisy))))
  expect_identical(rownames(confint(noisy, "a")), "a")
  expect_output(print(summary(noisy)), "the population of rows clipped to their bounds \\(sampling and noise\\)")
  folder <- tempfile("covariance")
  write_release(private_cov(x[c("y", "a", "b")], epsilon = 1, delta = 1e-6, bounds = bounds, center = "private", seed = 1), folder)
  said <- system2(program(), c("analyse", "regress", folder, "--response", "y", "--predictors", "intercept,a,b", "--json"), stdout = TRUE)
  numbers <- function(name) {
    text <- paste(said, collapse = " ")
    as.numeric(strsplit(sub(sprintf(".*\"%s\": \\[([^]]*)\\].*", name), "\\1", text), ",")[[1]])
  }
  expect_equal(unname(coef(noisy)), numbers("coefficients"), tolerance = 1e-8)
  expect_equal(unname(confint(noisy)), cbind(numbers("low"), numbers("high")), tolerance = 1e-8)
})

test_that("a model of a release costs nothing", {
  x <- model_rows()
  released <- private_cov(x[c("y", "a", "b")], epsilon = 1, delta = 1e-6, bounds = bounds, seed = 1)
  fit <- private_lm(y ~ a, released)
  expect_identical(guarantee(fit), guarantee(released))
  expect_identical(names(coef(private_lm(y ~ ., released))), c("(Intercept)", "a", "b"))
  expect_error(private_lm(y ~ a, released, epsilon = 1), "costs nothing", class = "eigenveil_error")
  masked <- masked_data(x[c("y", "a")], epsilon = 1, delta = 1e-6, bounds = bounds[c("y", "a")], intercept = TRUE, seed = 1)
  expect_identical(names(coef(private_lm(y ~ a, masked))), c("(Intercept)", "a"))
  expect_identical(dim(as.data.frame(masked)), c(6000L, 3L))
})

test_that("what a formula may not say is refused before anything is spent", {
  x <- model_rows()
  refused <- function(formula, message, ...) {
    expect_error(private_lm(formula, x, epsilon = 1, delta = 1e-6, bounds = bounds, ...), message, class = "eigenveil_error")
  }
  refused(y ~ I(a^2), "column with bounds of its own")
  refused(y ~ a:b, "column with bounds of its own")
  refused(log(y) ~ a, "name of a column")
  refused(~a, "response")
  refused(y ~ a + sex, "levels = list\\(sex") # without its levels
  refused(y ~ a + sex, "listed twice", levels = list(sex = c("f", "f", "m")))
  refused(y ~ a + sex, "2 or more", levels = list(sex = "f"))
  refused(y ~ a, "no predictor", levels = list(sex = c("f", "m")))
  refused(y ~ a + sex, "leave out one_hot: declare factors with levels", one_hot = list(sex = c("f", "m")))
  refused(y ~ a, "leave out center", center = "none")
  refused(y ~ a, "leave out columns", columns = "a")
  refused(y ~ a, "leave out method", method = "laplace")
  expect_error(private_lm(y ~ ., "table.csv", epsilon = 1), "name the predictors", class = "eigenveil_error")
})

test_that("predictions are those of the coefficients, on rows that somebody holds", {
  x <- model_rows()
  fit <- private_lm(y ~ a + b + sex, x, mu = 1e4, bounds = bounds, levels = levels, neighbours = "replace-one", seed = 1)
  plain <- lm(y ~ a + b + sex, x)
  expect_error(predict(fit), "newdata", class = "eigenveil_error")
  expect_warning(ours <- predict(fit, x, se.fit = TRUE), class = "eigenveil_privacy_warning")
  theirs <- predict(plain, x, se.fit = TRUE)
  expect_equal(unname(ours$fit), unname(theirs$fit), tolerance = 1e-3)
  expect_equal(unname(ours$se.fit), unname(theirs$se.fit), tolerance = 0.01)
  gap <- x[1:2, ]
  gap$sex[1] <- NA
  expect_identical(unname(is.na(quietly(predict(fit, gap)))), c(TRUE, FALSE))
  expect_error(predict(fit, x["a"]), "lacks column b", class = "eigenveil_error")
  expect_named(quietly(augment(fit, x[1:3, ])), c(names(x), ".fitted", ".se.fit"))
  expect_error(augment(fit), "newdata", class = "eigenveil_error")
  scaled <- private_lm(y ~ a, x, mu = 1e4, bounds = bounds, standardize = TRUE)
  expect_error(predict(scaled, x), "scaled units", class = "eigenveil_error")
})

test_that("a model of a release takes nothing more, and pseudo-data says its intercept first", {
  x <- model_rows()[c("y", "a")]
  released <- private_cov(x, mu = 1, bounds = bounds[c("y", "a")])
  expect_error(private_lm(y ~ a, released, range = c(0, 1)), "takes no argument 'range'", class = "eigenveil_error")
  expect_error(masked_data(x, mu = 1, bounds = bounds[c("y", "a")]), "say whether the rows have an intercept", class = "eigenveil_error")
  through <- masked_data(x, mu = 1, bounds = bounds[c("y", "a")], intercept = FALSE)
  expect_identical(names(coef(quietly(private_lm(y ~ 0 + a, through)))), "a")
})

test_that("weights and several rows per person widen intervals about the population, and are said", {
  x <- model_rows()
  x$w <- 4
  x$id <- rep(seq_len(1500), each = 4)
  fit <- function(...) private_lm(y ~ a, x, mu = 1e4, bounds = bounds[c("y", "a")], neighbours = "replace-one", seed = 1, ...)
  plain <- fit()
  weighted <- fit(weights = "w", weight_bound = 4)
  persons <- fit(person = "id", rows_per_person = 4)
  # Equal weights at the bound are no weights; the bound on the rows of a person doubles standard errors.
  expect_equal(weighted$std.error, plain$std.error, tolerance = 0.01)
  expect_equal(nobs(weighted), 6000, tolerance = 0.01)
  expect_equal(persons$std.error, 2 * plain$std.error, tolerance = 0.01)
  expect_equal(nobs(persons), 1500, tolerance = 0.01)
  expect_output(print(summary(persons)), "sampling variances are multiplied by 4")
  expect_equal(fit(person = "id", rows_per_person = 4, target = "raw")$std.error, fit(group_size = 4, target = "raw")$std.error, tolerance = 0.01)
  expect_identical(names(coef(private_lm(y ~ ., x[c("y", "a", "id", "w")],
    mu = 1e4, bounds = bounds[c("y", "a")], person = "id", rows_per_person = 4, weights = "w", weight_bound = 4
  ))), c("(Intercept)", "a"))
})

test_that("a model without an intercept goes through zero, or says through what, or is refused", {
  x <- model_rows()[c("y", "a")]
  expect_error(private_lm(y ~ 0 + a, x, mu = 1, bounds = bounds[c("y", "a")]), "nothing was spent", class = "eigenveil_error")
  expect_error(private_lm(y ~ a - 1, private_cov(x, mu = 1, bounds = bounds[c("y", "a")], center = "private")), "leave out '0 \\+'", class = "eigenveil_error")
  middle <- masked_data(x, mu = 100, bounds = bounds[c("y", "a")], intercept = FALSE)
  expect_warning(through <- private_lm(y ~ 0 + a, middle), "public midpoints, not through zero", class = "eigenveil_warning")
  expect_output(print(through), "measured from their public midpoints")
  expect_error(predict(through, x), "with an intercept", class = "eigenveil_error")
  symmetric <- masked_data(x, mu = 1e4, bounds = list(y = c(-15, 15), a = c(-10, 10)), intercept = FALSE)
  expect_no_warning(zero <- private_lm(y ~ 0 + a, symmetric))
  expect_equal(unname(coef(zero)), unname(coef(lm(y ~ 0 + a, x))), tolerance = 1e-3)
})

test_that("what is known to fail is refused before it is paid for, and what was paid for is kept", {
  x <- model_rows()
  x$intercept <- x$a
  ledger <- ledger_create(tempfile(fileext = ".ledger"), "q", mu = 3)
  refused <- function(formula, message, ...) {
    expect_error(private_lm(formula, x, mu = 1, range = c(-5, 15), ledger = ledger, out = tempfile(), ...), message, class = "eigenveil_error")
  }
  refused(y ~ a, "from 0 to 1e50", ridge = -1)
  refused(y ~ a, "pairwise", missing = "pairwise")
  refused(y ~ a, "pairwise", missing = list(pairwise = "a"))
  refused(y ~ intercept, "name of the constant")
  refused(intercept ~ a, "name of the constant")
  refused(y ~ sex, "words of their own", levels = list(sex = c("f", "m", "*")))
  refused(y ~ a, "standardize must be TRUE or FALSE", standardize = "yes")
  expect_identical(nrow(ledger_entries(ledger)), 0L)
  drowned <- tryCatch(private_lm(y ~ a + b, x, mu = 1e-4, range = c(-5, 15), anyway = TRUE), eigenveil_error = identity)
  expect_match(conditionMessage(drowned), "The budget is spent")
  expect_s3_class(drowned$release, "private_cov")
})

test_that("declared levels leave the reference out of a release that has it", {
  x <- model_rows()
  released <- private_cov(x,
    mu = 1e4, bounds = bounds, one_hot = list(sex = c("f", "m", "d")), center = "private", neighbours = "replace-one", seed = 1
  )
  fit <- private_lm(y ~ a + sex, released, levels = levels)
  expect_identical(names(coef(fit)), c("(Intercept)", "a", "sex=m", "sex=d"))
  expect_equal(unname(coef(fit)), unname(coef(lm(y ~ a + sex, x))), tolerance = 1e-2)
  expect_error(private_lm(y ~ sex, released, levels = list(sex = c("f", "x"))), "no column 'sex=x'", class = "eigenveil_error")
})

test_that("predictions refuse what they would ignore", {
  x <- model_rows()
  fit <- private_lm(y ~ a, x, mu = 100, bounds = bounds)
  expect_error(predict(fit, x, interval = "confidence"), "no intervals", class = "eigenveil_error")
  normal <- private_lm(y ~ a, x, mu = 100, normalise_rows = TRUE)
  expect_error(predict(normal, x), "norm 1", class = "eigenveil_error")
})
