#' Private rank-k approximation
#'
#' The nearest matrix of rank k to the covariance (or second moment), or the nearest with a prescribed spectrum
#' (`method = "orbit"`, `target_spectrum`), released with differential privacy.
#'
#' @inheritParams private_pca
#' @param k Rank of the result (1 where nothing is said).
#' @eval options_section("lowrank")
#' @return An object of class `private_lowrank`: `values` (the matrix), `eigenvalues` (noisy), `guarantee`, and the release.
#' @examples
#' survey <- data.frame(a = rep(0:10, 200), b = rep(10:0, 200), c = 5)
#' private_lowrank(survey, k = 1, epsilon = 1, range = c(0, 10))
#' @export
private_lowrank <- function(x, k = NULL, epsilon = NULL, delta = NULL, ..., rho = NULL, mu = NULL, method = NULL,
                            neighbours = "add-remove", group_size = 1, range = NULL, bounds = NULL, row_norm = NULL,
                            center = "auto", standardize = FALSE, columns = NULL, exclude = NULL, one_hot = NULL,
                            missing = "midpoint", bad_cell = "refuse", grid = NULL, allele_frequencies = NULL,
                            project = NULL, projected_norm = NULL, outside_norm = NULL, normalise_rows = FALSE, person = NULL,
                            rows_per_person = NULL, weights = NULL, weight_bound = NULL, people = NULL, anyway = FALSE,
                            header = "auto", width = NULL, separator = NULL, decimal = NULL, encoding = NULL, threads = NULL, ledger = NULL,
                            ledger_key = NULL, out = NULL, arrays = "csv", replace = FALSE, data_set = NULL, date = NULL, builds_on = NULL,
                            seed = NULL) {
  new_private_lowrank(release_of("lowrank", x, arguments(), list(...), match.call()))
}

new_private_lowrank <- function(parts) {
  values <- parts$tables$lowrank
  if (is.null(values)) {
    values <- parts$tables[[1]]
  }
  fit <- list(values = values, eigenvalues = parts$result$noisy_eigenvalues, noise_floor = noise_floor_of(parts$result))
  structure(c(fit, parts), class = "private_lowrank")
}

#' @export
print.private_lowrank <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Private approximation of rank ", x$parameters$components, ", method ", x$method, "\n", sep = "")
  print_guarantee_lines(x$guarantee)
  cat("\neigenvalues (noisy):", format(x$eigenvalues, digits = digits), "\n\n")
  print(x$values, digits = digits, ...)
  invisible(x)
}

#' @export
as.matrix.private_lowrank <- function(x, ...) x$values

#' Private subspace
#'
#' The subspace in or near which the rows lie. No bound on the rows is needed, and the number of rows it takes does not
#' grow with the number of columns. The answer may be NULL, a legal outcome that spends the budget.
#'
#' @inheritParams private_pca
#' @param k Dimension of the subspace (1 where nothing is said).
#' @param rows The number of rows, where it is known: saves counting them first.
#' @eval options_section("subspace")
#' @return An object of class `private_subspace`: `basis` (orthonormal columns; `NULL` for a NULL release), `guarantee`,
#'   and the release.
#' @examples
#' t <- (1:3000) %% 50 - 25
#' rows <- cbind(a = t, b = 2 * t, c = -t)
#' private_subspace(rows, k = 1, epsilon = 1, delta = 1e-6, exact = TRUE)
#' @export
private_subspace <- function(x, k = NULL, epsilon = NULL, delta = NULL, ..., rho = NULL, mu = NULL, method = NULL, neighbours = "replace-one",
                             group_size = 1, columns = NULL, exclude = NULL, missing = "midpoint", bad_cell = "refuse",
                             rows = NULL, header = "auto", width = NULL, separator = NULL, decimal = NULL, encoding = NULL, threads = NULL, ledger = NULL,
                             ledger_key = NULL, out = NULL, arrays = "csv", replace = FALSE, data_set = NULL, date = NULL, builds_on = NULL,
                             seed = NULL) {
  new_private_subspace(release_of("subspace", x, arguments(), list(...), match.call()))
}

new_private_subspace <- function(parts) {
  structure(c(list(basis = if (length(parts$tables) > 0) parts$tables[[1]]), parts), class = "private_subspace")
}

#' @export
print.private_subspace <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Private subspace, method ", x$method, "\n", sep = "")
  print_guarantee_lines(x$guarantee)
  if (nzchar(x$null_reason)) {
    cat("NULL: ", x$null_reason, "\n", sep = "")
  } else {
    cat("\n")
    print(x$basis, digits = digits, ...)
  }
  invisible(x)
}
