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
        moments <- eigenveil:::estimate(fit, list(estimate = "moments", about = if (center == "private") "mean" else "midpoint"))
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
