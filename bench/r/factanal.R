# How often the test of factanal() rejects a model that is right, at 5%: with a private covariance, which it believes to be
# without noise, and with the rows. 200 tables of 5,000 rows from one factor, six indicators in 0..10.
#   Rscript bench/r/factanal.R
library(eigenveil)
set.seed(1)
table_of <- function() {
  factor <- rnorm(5000)
  x <- sapply(1:6, function(j) pmin(10, pmax(0, 5 + 1.2 * factor + rnorm(5000))))
  colnames(x) <- paste0("y", 1:6)
  x
}
p_values <- replicate(200, {
  x <- table_of()
  private <- private_cov(x, epsilon = 1, delta = 1e-6, range = c(0, 10))
  c(private = unname(factanal(covmat = private, factors = 1)$PVAL), rows = unname(factanal(x, factors = 1)$PVAL))
})
print(rowSums(p_values < 0.05))
