test_that("releases are charged before a row is read, fit or are refused, and can be repeated safely", {
  file <- tempfile(fileext = ".ledger")
  budget <- ledger_create(file, "Survey 2026", mu = 1.5)
  expect_s3_class(budget, "eigenveil_ledger")
  release <- function(mu, out = tempfile("release"), ...) private_pca(people(), mu = mu, range = c(0, 10), ledger = budget, out = out, ...)
  expect_error(private_pca(people(), mu = 1, range = c(0, 10), ledger = budget), "must be kept", class = "eigenveil_error")
  out <- tempfile("june")
  first <- release(1, out, ledger_key = "june")
  expect_match(first$release$charged, "mu 1")
  again <- release(1, out, ledger_key = "june")
  expect_true(again$release$again)
  expect_equal(again$rotation, first$rotation) # from its files: the same release
  expect_error(release(1, tempfile("lost"), ledger_key = "june"), "its budget is spent", class = "eigenveil_error")
  expect_identical(nrow(ledger_entries(budget)), 1L)
  expect_error(release(1.2), class = "eigenveil_error") # 1 + 1.44 > 2.25
  expect_identical(nrow(ledger_entries(budget)), 1L)
  bad <- people()
  bad[3, 1] <- Inf
  expect_error(private_pca(bad, mu = 0.5, range = c(0, 10), ledger = budget, out = tempfile()), "row 3", class = "eigenveil_error")
  expect_identical(nrow(ledger_entries(budget)), 2L) # spent: nothing comes back
  expect_identical(ledger_verify(budget, out), character())
  expect_output(print(budget), "Survey 2026")
  copy <- tempfile()
  ledger_backup(budget, copy)
  expect_true(file.exists(copy))
  expect_match(ledger_show(budget, "html"), "<html")
  expect_error(ledger(tempfile()), class = "eigenveil_error")
  expect_error(ledger_create(file, "again", mu = 1), class = "eigenveil_error")
})

test_that("the program and R spend from one ledger", {
  file <- tempfile(fileext = ".ledger")
  ledger_create(file, "Survey", epsilon = 3, delta = 1e-6)
  path <- write_people()
  said <- system2(program(), c(
    "pca", path, "--epsilon", 1, "--delta", 1e-6, "--range", "0:10", "--header", "present", "--ledger", file, "--out", tempfile()
  ), stdout = TRUE, stderr = TRUE)
  expect_null(attr(said, "status"), info = paste(said, collapse = "\n"))
  private_cov(path, epsilon = 1, delta = 1e-6, range = c(0, 10), header = "present", ledger = file, out = tempfile())
  expect_identical(ledger_entries(file)$task, c("pca", "covariance"))
  expect_error(private_cov(path, epsilon = 1, delta = 1e-6, range = c(0, 10), ledger = file, out = tempfile()), "header", class = "eigenveil_error")
})
