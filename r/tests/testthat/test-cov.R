test_that("a covariance feeds factanal, princomp and lavaan", {
  x <- people(4000)
  fit <- private_cov(x, epsilon = 2, delta = 1e-6, range = c(0, 10), seed = 5)
  expect_output(print(fit), "standard deviation of the noise on the entries")
  expect_output(print(fit), "method gauss\n.*rows: [0-9]+ \\(noisy, standard deviation [0-9.]+\\)\n.*p-values")
  correlated <- private_cov(x, epsilon = 2, delta = 1e-6, range = c(0, 10), correlation = TRUE, seed = 5)
  expect_equal(unname(diag(as.matrix(correlated))), rep(1, 4))
  expect_output(print(correlated), "Private correlation, method gauss")
  expect_identical(as.matrix(fit), fit$cov)
  expect_identical(nobs(fit), round(fit$result$noisy_rows))
  found <- factanal(covmat = fit, factors = 1)
  expect_identical(found$n.obs, fit$n.obs)
  expect_s3_class(princomp(covmat = fit), "princomp")
  skip_if_not_installed("lavaan")
  data <- lavaan_data(fit)
  expect_identical(dim(data$NACOV), c(10L, 10L))
})

test_that("the noise covariance has the standard errors of the library", {
  x <- people(4000)
  for (center in c("private", "none")) {
    for (neighbours in c("add-remove", "replace-one")) {
      for (standardize in c(FALSE, TRUE)) {
        fit <- private_cov(x,
          epsilon = 1, delta = 1e-6, range = c(-1, 12), seed = 5, center = center, neighbours = neighbours, standardize = standardize
        )
        moments <- eigenveil:::estimate(fit, list(estimate = "moments", second_moment = center == "none"))
        errors <- matrix(unlist(moments$standard_errors), 4)
        # The count of rows is public in one and noisy in the other, and the library's second moment leaves its noise out.
        if (center == "private" || neighbours == "replace-one") {
          expect_equal(unname(sqrt(diag(noise_cov(fit)))), errors[lower.tri(errors, diag = TRUE)], tolerance = 0.02)
        }
      }
    }
  }
  expect_error(noise_cov(private_cov(x, epsilon = 1, range = c(0, 10))), "method = \"gauss\"", class = "eigenveil_error")
})

test_that("standard errors of a factor model include the noise", {
  skip_if_not_installed("lavaan")
  # One factor, four indicators in 0..10; the table is fixed.
  i <- 1:3000
  factor <- sin(i * 1.7) * 2
  x <- sapply(1:4, function(j) pmin(10, pmax(0, 5 + factor + 1.5 * sin(i * (j + 2.3) * 7.1))))
  colnames(x) <- paste0("y", 1:4)
  fit <- private_cov(x, epsilon = 1, delta = 1e-6, range = c(0, 10), seed = 9)
  data <- lavaan_data(fit)
  model <- "f =~ y1 + y2 + y3 + y4"
  naive <- lavaan::cfa(model, sample.cov = data$sample.cov, sample.nobs = data$sample.nobs)
  honest <- lavaan::cfa(model, sample.cov = data$sample.cov, sample.nobs = data$sample.nobs, NACOV = data$NACOV, se = "robust.sem")
  ratio <- function(fit) lavaan::parameterEstimates(fit)$se
  expect_equal(lavaan::coef(naive), lavaan::coef(honest), tolerance = 1e-6)
  free <- ratio(naive) > 0
  expect_true(all(ratio(honest)[free] > ratio(naive)[free]))
})

test_that("the printed noise of an entry includes that of the mean", {
  fit <- private_cov(people(4000), epsilon = 1, delta = 1e-6, range = c(-1, 12), center = "private")
  expect_equal(unname(fit$entry_sd[lower.tri(fit$entry_sd, diag = TRUE)]), unname(sqrt(diag(noise_cov(fit)))))
  expect_true(isSymmetric(fit$entry_sd))
})

test_that("lavaan's variables may be some of the release, in another order", {
  fit <- private_cov(people(4000), epsilon = 1, delta = 1e-6, range = c(0, 10))
  all <- lavaan_data(fit)
  some <- lavaan_data(fit, variables = c("question_3", "question_1"))
  expect_identical(colnames(some$sample.cov), c("question_3", "question_1"))
  expect_equal(diag(some$NACOV), setNames(
    diag(all$NACOV)[c("question_3~~question_3", "question_3~~question_1", "question_1~~question_1")],
    c("question_3~~question_3", "question_1~~question_3", "question_1~~question_1")
  ))
  expect_error(lavaan_data(fit, variables = "x"), "name columns of the release", class = "eigenveil_error")
})

test_that("rows of lavaan and factanal are those that weights and people leave", {
  x <- data.frame(people(4000), w = 2, id = rep(1:1000, each = 4))
  fit <- private_cov(x,
    mu = 100, range = c(0, 10), person = "id", rows_per_person = 4, weights = "w", weight_bound = 10
  )
  expect_equal(fit$n.obs, 2 * 4000 / 10 / 4, tolerance = 0.05)
  expect_identical(lavaan_data(fit)$sample.nobs, fit$n.obs)
})

test_that("a singular covariance is said to be", {
  x <- cbind(people(300, 2), constant = 5)
  fit <- private_cov(x, mu = 1, range = c(0, 10), seed = 4)
  flat <- fit
  flat$cov[3, ] <- flat$cov[, 3] <- 0
  expect_output(print(flat), "is singular")
  expect_warning(lavaan_data(flat), "singular", class = "eigenveil_warning")
})
