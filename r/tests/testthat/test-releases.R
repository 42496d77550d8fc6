test_that("a release is written, read back and checked", {
  fit <- private_pca(people(), k = 2, epsilon = 1, delta = 1e-6, range = c(0, 10))
  folder <- file.path(tempfile("release"))
  files <- write_release(fit, folder, data_set = "Survey 2026")
  expect_true(all(c("release.json", "loadings.csv", "report.html") %in% list.files(folder)))
  again <- read_release(folder)
  expect_s3_class(again, "private_pca")
  expect_identical(again$guarantee, fit$guarantee)
  expect_equal(again$rotation, fit$rotation)
  expect_error(write_release(fit, folder), class = "eigenveil_error")
  write_release(fit, folder, arrays = "npy", replace = TRUE)
  expect_identical(read_release(folder)$rotation, fit$rotation)
  text <- readLines(file.path(folder, "release.json"))
  writeLines(sub("\"epsilon\": 1.0", "\"epsilon\": 0.1", text, fixed = TRUE), file.path(folder, "release.json"))
  expect_error(read_release(folder), class = "eigenveil_error")
  saved <- tempfile()
  saveRDS(fit, saved)
  expect_error(write_release(readRDS(saved), tempfile()), "another session", class = "eigenveil_error")
  expect_output(print(readRDS(saved)), "Private principal components")
  kept <- tempfile("kept")
  written <- private_cov(people(), epsilon = 1, delta = 1e-6, range = c(0, 10), out = kept, arrays = "npy")
  saveRDS(written, saved)
  copy <- tempfile("copy")
  write_release(readRDS(saved), copy, arrays = "npy") # found again where it was written
  expect_identical(read_release(copy)$raw, written$raw)
  expect_equal(coef(private_lm(question_1 ~ question_2, readRDS(saved))), coef(private_lm(question_1 ~ question_2, written)))
  private_cov(people(), epsilon = 1, delta = 1e-6, range = c(0, 10), out = kept, replace = TRUE)
  expect_error(write_release(readRDS(saved), tempfile()), "holds another release now", class = "eigenveil_error")
})

test_that("guarantees are values", {
  fit <- private_pca(people(), epsilon = 1, delta = 1e-6, range = c(0, 10))
  g <- guarantee(fit)
  expect_identical(g$loss$kind, "gdp") # as in release.json
  expect_lte(epsilon_at(g, 1e-6), 1)
  expect_lte(delta_at(g, 1), 1e-6)
  expect_equal(power_at(g), g$max_power_at_5pct, tolerance = 0.01)
  limit <- quietly(private_pca(people(), mu = 1, row_norm = 10, method = "sharp"))$guarantee
  expect_identical(power_at(limit), 1) # nothing is proved for this number of rows
  expect_lt(power_at(limit, conditional = TRUE), 1)
  expect_true("max_power_at_5pct_in_the_limit" %in% names(limit))
  two <- compose_guarantees(fit, fit)
  expect_equal(two$loss$mu, sqrt(2) * g$loss$mu)
  expect_identical(to_relation(g, "replace-one")$relation, "replace-one")
  expect_error(compose_guarantees(fit, private_pca(people(), mu = 1, range = c(0, 10), neighbours = "zero-row")), class = "eigenveil_error")
  expect_error(epsilon_at(private_pca(people(), mu = 1, range = c(0, 10), seed = 1), 1e-6), "not private", class = "eigenveil_error")
  expect_error(guarantee(1), class = "eigenveil_error")
  expect_output(print(g), "not protected")
})

test_that("the other releases print what they are", {
  low <- private_lowrank(people(2000), k = 1, epsilon = 1, range = c(0, 10))
  expect_identical(qr(low$values)$rank, 1L)
  expect_output(print(low), "rank 1")
  t <- (1:3000) %% 50 - 25
  line <- private_subspace(cbind(a = t, b = 2 * t, c = -t), k = 1, epsilon = 1, delta = 1e-6, exact = TRUE)
  expect_equal(abs(unname(line$basis[, 1])), c(1, 2, 1) / sqrt(6), tolerance = 1e-6)
  expect_output(print(line), "Private subspace")
  nothing <- private_subspace(people(300), k = 1, epsilon = 1, delta = 1e-6, exact = TRUE)
  expect_output(print(nothing), "NULL")
  null <- quietly(private_pca(people(), k = 2, epsilon = 0.01, delta = 1e-9, row_norm = 10, method = "spiked-robust", seed = 1))
  expect_error(summary(null), "legal outcome", class = "eigenveil_null_release")
  expect_output(print(null), "NULL")
})

test_that("pseudo-data keeps second moments, in memory and on disk", {
  x <- people(3000)
  folder <- tempfile("masked")
  masked <- masked_data(x, epsilon = 2, delta = 1e-6, range = c(0, 10), intercept = FALSE, out = folder, seed = 2)
  expect_identical(dim(masked$data), c(3000L, 4L))
  expect_identical(read_release(folder)$data, masked$data)
  expect_output(print(masked), "belong to nobody")
  csv <- file.path(tempfile(), "pseudo.csv")
  dir.create(dirname(csv))
  expect_equal(masked_data(x, epsilon = 2, delta = 1e-6, range = c(0, 10), intercept = FALSE, out = csv, seed = 2)$data, masked$data, tolerance = 1e-6)
  alone <- masked_data(x, epsilon = 2, delta = 1e-6, range = c(0, 10), intercept = FALSE, factor_only = TRUE, seed = 2)
  expect_null(alone$data)
  expect_equal(crossprod(as.matrix(masked$data)), crossprod(alone$tables$factor), tolerance = 1e-3, ignore_attr = TRUE)
})

test_that("EIGENVEIL_LEDGER is not passed over", {
  withr_like <- Sys.getenv("EIGENVEIL_LEDGER", NA)
  Sys.setenv(EIGENVEIL_LEDGER = file.path(tempdir(), "none.ledger"))
  on.exit(if (is.na(withr_like)) Sys.unsetenv("EIGENVEIL_LEDGER") else Sys.setenv(EIGENVEIL_LEDGER = withr_like))
  expect_error(private_pca(people(), epsilon = 1, range = c(0, 10)), "ledger", class = "eigenveil_error")
})

test_that("a saved release holds no rows, however it was called", {
  skip_if_not_installed("recipes")
  secret <- data.frame(a = c(3.141592653, 2, 1, 5), b = c(1, 2, 3, 4), c = c(2, 7, 1, 8))
  secret <- secret[rep(1:4, 50), ]
  needle <- serialize(3.141592653, NULL, xdr = TRUE)
  needle <- needle[(length(needle) - 7):length(needle)]
  holds <- function(object) {
    bytes <- serialize(object, NULL, xdr = TRUE)
    grepl(rawToChar(as.raw(utf8ToInt(paste(as.character(needle), collapse = "")))), paste(as.character(bytes), collapse = ""), fixed = TRUE)
  }
  expect_true(holds(secret)) # what the search finds
  given <- list(epsilon = 1, delta = 1e-6, range = c(0, 10))
  for (face in list(private_pca, private_cov, private_lowrank)) {
    expect_false(holds(do.call(face, c(list(secret), given))))
  }
  expect_false(holds(do.call(masked_data, c(list(secret), given, intercept = TRUE))))
  expect_false(holds(do.call(private_lm, c(list(a ~ b, secret), given, ridge = 1e6))))
  inside <- function(rows) {
    mine <- rows$a
    private_lm(a ~ b, rows, epsilon = 1, delta = 1e-6, range = c(0, 10), ridge = 1e6)
  }
  expect_false(holds(inside(secret)))
  trained <- recipes::prep(
    step_private_pca(recipes::recipe(~., data = secret), recipes::all_predictors(), num_comp = 1, options = given),
    retain = FALSE
  )
  expect_false(holds(trained$steps[[1]]$res))
})

test_that("a saved call says nothing of rows that was typed about them", {
  d <- data.frame(people(), name = "JohnSmith")
  fit <- private_pca(d[d$name == "JohnSmith", 1:4], epsilon = 1, delta = 1e-6, range = c(0, 10))
  expect_false(grepl("JohnSmith", paste(deparse(fit$call), collapse = "")))
  expect_identical(private_pca(x = d, columns = "question_1", k = 1, epsilon = 1, delta = 1e-6, range = c(0, 10), anyway = TRUE)$call$x, quote(d))
})

test_that("flags that are neither TRUE nor FALSE are refused", {
  for (wrong in list("yes", NA, 1, c(TRUE, TRUE))) {
    expect_error(private_pca(people(), epsilon = 1, range = c(0, 10), standardize = wrong), "standardize must be TRUE or FALSE", class = "eigenveil_error")
    expect_error(private_pca(people(), epsilon = 1, rank_transform = wrong), "rank_transform must be TRUE or FALSE", class = "eigenveil_error")
  }
  fit <- private_pca(people(), epsilon = 1, delta = 1e-6, range = c(0, 10))
  for (wrong in list("a", NA, -1, c(1, 2))) {
    expect_error(delta_at(fit, wrong), "epsilon must", class = "eigenveil_error")
  }
  expect_error(write_release(fit), "path in quotes", class = "eigenveil_error")
})
