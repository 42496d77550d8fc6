#' Differentially private principal components and covariances
#'
#' Releases about tables of people: [private_pca()], [private_cov()], [private_lowrank()], [private_subspace()],
#' [masked_data()] and [private_lm()]. [plan_pca()] and its siblings say what a release would cost and give without
#' reading a row. Every release carries its [guarantee()]; a [ledger()] adds up what releases of one data set spend.
#'
#' Bounds and budgets are declared: there is no default budget, and nothing is read off the data to set a bound. The noise
#' comes from the C++ library and the operating system's secure randomness. R's generator is never used, and `set.seed()`
#' changes nothing.
#'
#' @keywords internal
#' @useDynLib eigenveil, .registration = TRUE
#' @importFrom stats predict coef vcov confint nobs setNames
"_PACKAGE"
