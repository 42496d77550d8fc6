test_that("a seeded release is the program's, whatever the rows come in", {
  x <- people()
  path <- write_people(x)
  theirs <- program_release(
    "pca", path, "-k", "2", "--epsilon", "1", "--delta", "1e-6", "--range", "0:10", "--seed", "7"
  )
  whole <- x
  storage.mode(whole) <- "integer"
  for (rows in list(x, as.data.frame(x), path, whole, as.data.frame(whole))) {
    ours <- private_pca(rows, k = 2, epsilon = 1, delta = 1e-6, range = c(0, 10), seed = 7)
    expect_identical(ours$result$noisy_rows, theirs$result$noisy_rows)
    expect_identical(ours$center, theirs$center) # noised on the grid: every bit
    expect_same_up_to_rounding(ours$rotation, theirs$rotation)
    expect_same_up_to_rounding(ours$sdev, theirs$sdev)
  }
  expect_s3_class(ours, c("private_pca", "prcomp"), exact = TRUE)
  expect_identical(ours$guarantee$basis, "not-private")
  expect_null(ours$x)
})

test_that("set.seed changes nothing, and R's generator is not moved", {
  set.seed(1)
  before <- .Random.seed
  one <- private_pca(people(), epsilon = 1, delta = 1e-6, range = c(0, 10))
  expect_identical(.Random.seed, before)
  set.seed(1)
  two <- private_pca(people(), epsilon = 1, delta = 1e-6, range = c(0, 10))
  expect_false(identical(one$rotation, two$rotation))
  expect_true(one$guarantee$secure_random)
})

test_that("print, summary and plot say what is noise", {
  fit <- private_pca(people(4000), k = 4, mu = 1, range = c(0, 10), seed = 1)
  expect_output(print(fit), "must exceed")
  expect_output(print(fit), "NOT PRIVATE")
  expect_output(print(summary(fit)), "Standard deviation")
  expect_identical(colnames(summary(fit)$importance), paste0("PC", 1:4))
  drowned <- private_pca(people(60), k = 2, epsilon = 0.1, delta = 1e-6, range = c(0, 10), seed = 1)
  expect_identical(drowned$below_noise, c("PC1", "PC2"))
  expect_false(any(grepl("NaN|NA|- *$", capture.output(print(summary(drowned)))[1:8])))
  expect_false(any(is.nan(summary(drowned)$importance)))
  expect_output(print(drowned), "cannot be told from noise")
  drawn <- private_pca(people(4000), epsilon = 1, range = c(0, 10), method = "orbit", seed = 1)
  expect_null(drawn$noise_edge)
  expect_output(print(summary(drawn)), "this release does not say")
  expect_false(any(grepl("must exceed", capture.output(print(drawn)))))
  file <- tempfile(fileext = ".png")
  grDevices::png(file)
  plot(fit)
  plot(drawn)
  screeplot(drowned)
  grDevices::dev.off()
  expect_gt(file.size(file), 2000)
})

test_that("scores are private data", {
  x <- people(2000)
  fit <- private_pca(x, k = 2, epsilon = 1, delta = 1e-6, range = c(0, 10))
  expect_error(biplot(fit), "scores are private data", class = "eigenveil_error")
  expect_error(predict(fit), "newdata", class = "eigenveil_error")
  expect_warning(scores <- predict(fit, x), class = "eigenveil_privacy_warning")
  expect_equal(scores, sweep(x, 2, fit$center) %*% fit$rotation)
  gap <- x[1, , drop = FALSE]
  gap[1, 2] <- NA # at the public midpoint
  expect_equal(quietly(predict(fit, gap)), quietly(predict(fit, replace(gap, is.na(gap), 5))))
  expect_error(predict(fit, x[, 1:2]), "lacks column question_3", class = "eigenveil_error")
  more <- data.frame(name = "somebody", as.data.frame(x), day = as.Date("2026-01-01"))[, c(6, 5, 1, 2, 3, 4)]
  expect_equal(quietly(predict(fit, more)), quietly(predict(fit, x)), ignore_attr = TRUE) # other columns are left alone
  expect_error(predict(fit, transform(more, question_2 = "2")), "column question_2 of newdata is of class character", class = "eigenveil_error")
  expect_error(predict(fit, 1:4), "matrix or a data frame", class = "eigenveil_error")
})

test_that("words are scored as the release counted them", {
  i <- 1:2000
  x <- data.frame(a = i %% 11, sex = c("f", "m", "d", "?")[1 + i %% 4], b = (i * 7) %% 11)
  for (rows in list(x, transform(x, sex = factor(sex)))) {
    fit <- private_pca(rows, k = 2, mu = 1, bounds = list(a = c(0, 10), b = c(0, 10)), one_hot = list(sex = c("f", "m", "*")))
    expect_identical(rownames(fit$rotation), c("a", "sex=f", "sex=m", "sex=*", "b"))
    by_hand <- with(x, cbind(a, f = sex == "f", m = sex == "m", other = !sex %in% c("f", "m"), b))
    expect_equal(unname(quietly(predict(fit, rows))), unname(sweep(by_hand, 2, fit$center) %*% fit$rotation))
    expect_identical(nrow(quietly(augment(fit, rows))), nrow(rows))
  }
})

test_that("an interrupt stops a draw", {
  skip_on_os("windows")
  child <- tempfile(fileext = ".R")
  writeLines(c(
    "library(eigenveil)",
    "rows <- outer(1:2000, 1:300, function(i, j) sin(i * j) * (0.1 + j / 150))",
    "cat('ready\\n')",
    "outcome <- tryCatch(private_lowrank(rows, 20, epsilon = 20, row_norm = 30, method = 'orbit', unbounded_time = TRUE,",
    "  center = 'none'), interrupt = function(e) 'interrupted')",
    "cat(if (is.character(outcome)) outcome else 'released', '\\n')"
  ), child)
  log <- tempfile()
  # The draw takes minutes. The signal comes seconds after the rows are there; R's own start and the pass take less.
  status <- system2("bash", c("-c", shQuote(sprintf(
    "%s %s > %s 2>&1 & pid=$!; until grep -q ready %s; do sleep 0.1; done; sleep 3; kill -INT $pid; for i in $(seq 300); do kill -0 $pid 2>/dev/null || exit 0; sleep 0.1; done; kill -9 $pid; exit 1",
    shQuote(file.path(R.home("bin"), "Rscript")), shQuote(child), log, log
  ))))
  expect_identical(status, 0L)
  expect_match(paste(readLines(log), collapse = " "), "interrupted")
})
