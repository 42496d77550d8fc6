fit <- private_pca(people(3000), k = 2, epsilon = 1, delta = 1e-6, range = c(0, 10), seed = 4)

test_that("the generics come with the package", {
  expect_identical(eigenveil::tidy, generics::tidy)
  expect_identical(nrow(tidy(fit)), 8L)
  expect_identical(nrow(glance(fit)), 1L)
})

test_that("broom sees loadings and eigenvalues, and no scores", {
  skip_if_not_installed("broom")
  loadings <- broom::tidy(fit)
  expect_identical(dim(loadings), c(8L, 3L))
  expect_equal(loadings$value, as.vector(fit$rotation))
  expect_named(broom::tidy(fit, matrix = "eigenvalues"), c("PC", "std.dev", "percent", "cumulative", "noise.edge", "below.noise"))
  for (word in c("u", "scores", "samples", "x")) {
    expect_error(broom::tidy(fit, matrix = word), "private data", class = "eigenveil_error")
  }
  expect_error(broom::tidy(fit, matrix = "nothing"), "loadings", class = "eigenveil_error")
  glance <- broom::glance(fit)
  expect_identical(nrow(glance), 1L)
  expect_identical(glance$method, "gauss")
  expect_error(broom::augment(fit), "newdata", class = "eigenveil_error")
  augmented <- quietly(broom::augment(fit, newdata = people(10)))
  expect_true(all(c("question_1", ".fittedPC1", ".fittedPC2") %in% names(augmented)))
  model <- private_lm(question_1 ~ question_2, people(3000), epsilon = 1, delta = 1e-6, range = c(0, 10), seed = 1)
  tidy <- broom::tidy(model, conf.int = TRUE)
  expect_equal(tidy$conf.low, unname(confint(model)[, 1]))
  expect_identical(nrow(broom::glance(model)), 1L)
})

test_that("a recipe spends once, in prep", {
  skip_if_not_installed("recipes")
  rows <- data.frame(people(2000), y = 1:2000)
  rec <- recipes::recipe(y ~ ., data = rows)
  rec <- step_private_pca(rec, recipes::all_numeric_predictors(), num_comp = 2, options = list(epsilon = 1, delta = 1e-6, range = c(0, 10)))
  expect_error(guarantee(rec$steps[[1]]), "prep", class = "eigenveil_error")
  expect_output(print(rec$steps[[1]]), "nothing is spent")
  prepared <- recipes::prep(rec, training = rows)
  baked <- recipes::bake(prepared, new_data = rows[1:5, ])
  expect_named(baked, c("y", "PC1", "PC2"))
  step <- prepared$steps[[1]]
  expect_equal(as.matrix(baked[, 2:3]), quietly(predict(step$res, rows[1:5, 1:4])), ignore_attr = TRUE)
  expect_identical(recipes::bake(prepared, new_data = rows[1:5, ]), baked) # nothing is drawn again
  expect_identical(guarantee(step)$basis, "proved")
  expect_identical(guarantee(prepared), guarantee(step))
  expect_error(guarantee(recipes::recipe(y ~ ., data = rows)), "no step of this package", class = "eigenveil_error")
  in_a_function <- function() {
    held <- stats::rnorm(1e5)
    recipes::prep(step_private_pca(recipes::recipe(y ~ ., data = rows[1:10, ]), recipes::all_numeric_predictors(),
      num_comp = 2, options = list(epsilon = 1, delta = 1e-6, range = c(0, 10))
    ), training = rows, retain = FALSE)
  }
  expect_lt(length(serialize(in_a_function()$steps[[1]], NULL)), 4e5) # 8e5 bytes were held
  expect_identical(nrow(recipes::tidy(prepared, number = 1)), 8L)
})

test_that("a recipe's step says what it cannot cover", {
  skip_if_not_installed("recipes")
  rows <- data.frame(people(2000), y = 1:2000)
  rec <- recipes::recipe(y ~ ., data = rows)
  given <- list(epsilon = 1, delta = 1e-6, range = c(0, 10))
  add <- function(recipe, options = given, ...) step_private_pca(recipe, recipes::all_numeric_predictors(), options = options, ...)
  expect_warning(add(recipes::step_normalize(rec, recipes::all_numeric_predictors())), "step_normalize", class = "eigenveil_privacy_warning")
  expect_warning(add(recipes::step_mutate(rec, question_1 = question_1 / mean(question_1))), "or may", class = "eigenveil_privacy_warning")
  expect_no_warning(add(recipes::step_log(rec, question_1, offset = 1)))
  by_rows <- step_private_pca(rec, tidyselect::where(~ mean(.x) > 5), options = given)
  expect_error(recipes::prep(by_rows, training = rows), "no rows")
  expect_error(add(rec, c(given, k = 2)), "leave k out of options: num_comp", class = "eigenveil_error")
  expect_error(add(rec, list(1)), "named list", class = "eigenveil_error")
  expect_error(add(rec, num_comp = 0.5), "num_comp", class = "eigenveil_error")
  expect_identical(ncol(recipes::prep(add(rec), training = rows)$steps[[1]]$res$rotation), 4L) # five are asked for, four are there
})
