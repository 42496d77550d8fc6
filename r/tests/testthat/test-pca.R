test_that("seeded results are the program's bits, whatever the rows come in", {
  x <- people()
  path <- write_people(x)
  theirs <- program_release(
    "pca", path, "-k", "2", "--epsilon", "1", "--delta", "1e-6", "--range", "0:10", "--seed", "7", "--columns",
    paste(colnames(x), collapse = ",")
  )
  for (rows in list(x, as.data.frame(x), path, {storage.mode(x) <- "integer"; x})) {
    ours <- private_pca(rows, k = 2, epsilon = 1, delta = 1e-6, range = c(0, 10), seed = 7)
    expect_identical(ours$rotation, theirs$rotation)
    expect_identical(ours$result, theirs$result)
    expect_identical(ours$center, theirs$center)
  }
  expect_s3_class(ours, c("private_pca", "prcomp"), exact = TRUE)
  expect_identical(ours$guarantee$basis, "not-private")
})

test_that("set.seed changes nothing, and R's generator is not moved", {
  set.seed(1)
  before <- .Random.seed
  one <- private_pca(people(), epsilon = 1, delta = 1e-6, range = c(0, 10))
  expect_identical(.Random.seed, before)
  set.seed(1)
  two <- private_pca(people(), epsilon = 1, delta = 1e-6, range = c(0, 10))
  expect_false(identical(one$rotation, two$rotation))
})
