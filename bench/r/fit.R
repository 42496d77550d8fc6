# private_pca beside prcomp and irlba: seconds by the clock, and of all processors (which other programs disturb less); the
# median of the runs.
#   Rscript bench/r/fit.R [ROWS] [COLUMNS] [RUNS]      with the package installed
arguments <- as.numeric(commandArgs(TRUE))
rows <- if (length(arguments) >= 1) arguments[1] else 1e5
columns <- if (length(arguments) >= 2) arguments[2] else 500
runs <- if (length(arguments) >= 3) arguments[3] else 3
library(eigenveil)
set.seed(1) # the table; releases draw from the operating system
x <- matrix(rnorm(rows * columns), rows) * rep(seq(3, 1, length.out = columns), each = rows)
seconds <- function(code) {
  code <- substitute(code)
  times <- replicate(runs, {
    spent <- system.time(eval(code, parent.frame(2)))
    c(spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]])
  })
  apply(times, 1, stats::median)
}
k <- 5
times <- rbind(
  `private_pca, matrix` = seconds(private_pca(x, k, epsilon = 1, delta = 1e-6, row_norm = 60)),
  `private_pca, range` = seconds(private_pca(x, k, epsilon = 1, delta = 1e-6, range = c(-10, 10))),
  `prcomp, rank. = 5` = seconds(prcomp(x, rank. = k)),
  `eigen(cov(x))` = seconds(eigen(cov(x), symmetric = TRUE)),
  `irlba::prcomp_irlba` = if (requireNamespace("irlba", quietly = TRUE)) seconds(irlba::prcomp_irlba(x, n = k)) else NA
)
cat(sprintf("%d x %d, median of %d, %s\n", rows, columns, runs, R.version.string))
cat(sprintf(
  "  %-22s %7.2f s  %7.2f s of processors, %6.2f times private_pca\n", rownames(times), times[, 1], times[, 2], times[, 2] / times[1, 2]
), sep = "")
