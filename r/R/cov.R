#' Private covariance
#'
#' The covariance (or second moment) of a table, released with differential privacy: raw, as the noise left it, and the
#' nearest positive semidefinite matrix. The object is what `covmat` of [stats::factanal()] and [stats::princomp()] takes,
#' and [lavaan_data()] hands it to lavaan with the noise in its standard errors.
#'
#' @section Tests and p-values:
#' A program that takes a covariance and a number of rows believes that sampling is all that varies. The test of
#' [stats::factanal()] (its `PVAL` and statistic) and standard errors of any kind leave the noise out: a model that is right
#' is rejected far too often, and intervals are too narrow. Loadings are usable; p-values are not. [lavaan_data()] includes the
#' noise in standard errors; no test of fit here does.
#'
#' @inheritParams private_pca
#' @eval options_section("covariance")
#' @return An object of class `private_cov`: `cov` (positive semidefinite; the correlation with `correlation = TRUE`), `raw` (unbiased), `n.obs` (noisy where the
#'   neighbours protect it; with weights or several rows per person what independent rows would be worth at least, the sum
#'   of weights divided by `weight_bound` and by the rows of one person), `center` (a released mean or the public midpoint), `entry_sd` (standard deviation of the
#'   noise on every entry of `raw`, where the method states it), `guarantee`, and the release.
#' @examples
#' survey <- data.frame(a = rep(0:10, 200), b = rep(c(1, 9), 1100), c = rep(c(2, 3, 8, 5), 550))
#' fit <- private_cov(survey, epsilon = 1, delta = 1e-6, range = c(0, 10))
#' fit
#' stats::factanal(covmat = fit, factors = 1, rotation = "none")$n.obs
#' @export
private_cov <- function(x, epsilon = NULL, delta = NULL, ..., rho = NULL, mu = NULL, method = NULL,
                        neighbours = "add-remove", group_size = 1, range = NULL, bounds = NULL, row_norm = NULL,
                        center = "auto", standardize = FALSE, columns = NULL, exclude = NULL, one_hot = NULL,
                        missing = "midpoint", bad_cell = "refuse", grid = NULL, allele_frequencies = NULL, project = NULL,
                        projected_norm = NULL, outside_norm = NULL, normalise_rows = FALSE, person = NULL, rows_per_person = NULL,
                        weights = NULL, weight_bound = NULL, people = NULL, anyway = FALSE, header = "auto", width = NULL,
                        separator = NULL, decimal = NULL, encoding = NULL, threads = NULL, ledger = NULL, ledger_key = NULL, out = NULL, arrays = "csv",
                        replace = FALSE, data_set = NULL, date = NULL, builds_on = NULL, seed = NULL) {
  new_private_cov(release_of("covariance", x, arguments(), list(...), match.call()))
}

new_private_cov <- function(parts) {
  result <- parts$result
  where <- center_and_scale(parts$parameters, result)
  rows <- if (is.null(result[["rows"]])) result$noisy_rows else result[["rows"]]
  correlation <- parts$tables[["correlation"]]
  fit <- list(
    cov = if (is.null(correlation)) parts$tables[["covariance"]] else correlation, raw = parts$tables$covariance_raw,
    n.obs = if (is.null(rows)) NA_real_ else max(1, round(rows / sampling_factor(parts$parameters))), center = where$center, scale = where$scale,
    noise_floor = noise_floor_of(result)
  )
  fit$entry_sd <- entry_deviations(parts)
  if (has_gaussian_entries(parts$method) && !is.null(fit$entry_sd)) {
    fit$entry_sd[lower.tri(fit$entry_sd, diag = TRUE)] <- sqrt(diag(entry_noise(c(fit, parts))))
    fit$entry_sd[upper.tri(fit$entry_sd)] <- t(fit$entry_sd)[upper.tri(fit$entry_sd)]
  } else if (!is.null(result$noisy_mean)) {
    fit$entry_sd <- NULL  # the noise of the mean is in the entries too, and its law is not stated entry by entry
  }
  structure(c(fit, parts), class = "private_cov")
}

# How many times as large as with independent rows of weight 1 a sampling variance can be: sum w^2 <= W sum w, and the
# square of a sum over the G rows of a person <= G times the sum of squares.
sampling_factor <- function(parameters) {
  or_one <- function(name) if (is.null(parameters[[name]])) 1 else as.numeric(parameters[[name]])
  or_one("weight_bound") * max(1, or_one("rows_per_person"), or_one("group_size"))
}

# What a column's scaled units are in those of the release.
release_scales <- function(parameters) {
  columns <- column_scales(parameters)
  if (is_scaled(parameters)) rep(1, length(columns$half)) else columns$half
}

entry_deviations <- function(parts) {
  diagonal <- parts$result$entry_noise_sd_diagonal_scaled
  off <- parts$result$entry_noise_sd_off_diagonal_scaled
  if (is.null(diagonal) || is.null(parts$tables$covariance_raw)) {
    return(NULL)
  }
  scales <- release_scales(parts$parameters)
  sd <- outer(scales, scales) * off
  diag(sd) <- scales^2 * diagonal
  dimnames(sd) <- dimnames(parts$tables$covariance_raw)
  sd
}

#' @export
print.private_cov <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  correlation <- !is.null(x$tables[["correlation"]])
  cat("Private ", if (correlation) "correlation" else "covariance", ", method ", x$method, "\n", sep = "")
  print_guarantee_lines(x$guarantee)
  rows <- rows_in_words(x$result)
  if (nzchar(rows)) cat("rows: ", rows, "\n", sep = "")
  cat("\n")
  print(x$cov, digits = digits, ...)
  if (!is.null(x$entry_sd)) {
    cat("\nstandard deviation of the noise on the entries", if (correlation) " of the covariance", "\n", sep = "")
    print(x$entry_sd, digits = digits, ...)
  }
  if (is.null(x$entry_sd) || correlation) {
    cat("\n")
  }
  if (is_singular(x$cov)) {
    cat("the covariance is singular (in some direction noise left no variance): factanal() and lavaan fail on it; use fewer variables or more budget\n")
  }
  cat("factanal(), and whatever takes a covariance and a number of rows, does not know of this noise: its p-values and\nstandard errors are too sure (?private_cov)\n")
  invisible(x)
}

#' @export
as.matrix.private_cov <- function(x, ...) x$cov

#' @export
nobs.private_cov <- function(object, ...) object$n.obs

#' The noise of a released covariance
#'
#' `noise_cov()` is the covariance matrix of the noise on the entries of the raw covariance: what to add to the sampling
#' covariance of the entries before standard errors are computed from it. Under replace-one, where the trace has less
#' noise of its own, it is an upper bound (in the order of quadratic forms): exact for covariances and differences of
#' variances, too large for single variances and their sum. Entries are the lower triangle by columns
#' (vech), as lavaan orders them. `lavaan_data()` is what `lavaan::cfa()` and `lavaan::sem()` take: `sample.cov`,
#' `sample.nobs`, and `NACOV`, n times the covariance of the entries with sampling (normal theory) and noise.
#'
#' Ignoring the noise makes standard errors too small: they would be those of n rows without privacy. With `NACOV` and
#' `se = "robust.sem"` they include it. Only method gauss states the law of every entry; others are refused.
#'
#' About a private mean the covariance is P/n - m m' of noisy products P, sums and count, whose noise is independent and
#' known; the entries' noise follows to first order.
#'
#' With weights or several rows per person `sample.nobs` is `n.obs`, which is on the safe side.
#'
#' @param fit A release by [private_cov()].
#' @param variables The variables of the model, in the order of the model: lavaan matches `NACOV` by position and not by
#'   name. All, in the order of the release, unless given.
#' @return `noise_cov()`: a matrix, one row and column per entry. `lavaan_data()`: a list.
#' @examples
#' x <- outer(1:2000, 1:3, function(i, j) (i * (2 * j + 1) + i %/% 7 * j) %% 11)
#' colnames(x) <- c("a", "b", "c")
#' fit <- private_cov(x, epsilon = 1, delta = 1e-6, range = c(0, 10))
#' sqrt(diag(noise_cov(fit)))
#' @export
noise_cov <- function(fit) {
  if (!inherits(fit, "private_cov") || !has_gaussian_entries(fit$method) || is.null(fit$raw) ||
    !is.null(fit$parameters$pairwise_columns) || !is.null(fit$parameters$correlation)) {
    method <- gaussian_methods()[1]
    refuse(sprintf("the noise of every entry is only known for a plain covariance by method %s: release it with {method %s}", method, method),
      parameter = "fit"
    )
  }
  entry_noise(fit)
}

entry_noise <- function(fit) {
  parameters <- fit$parameters
  result <- fit$result
  p <- ncol(fit$raw)
  n <- max(1, if (is.null(result[["rows"]])) result$noisy_rows else result[["rows"]])
  scales <- release_scales(parameters)
  pairs <- which(lower.tri(fit$raw, diag = TRUE), arr.ind = TRUE)
  i <- pairs[, 1]
  j <- pairs[, 2]
  # Products of row sums, noised one by one. Under replace-one the trace has less noise of its own and variances go
  # against each other: at most independent ones with the noise of a difference, sqrt(2) times that of a product.
  off <- parameters$noise_sd_off_diagonal
  sd <- ifelse(i == j, max(parameters$noise_sd_diagonal, sqrt(2) * off), off) * scales[i] * scales[j]
  covariance <- diag((sd / n)^2, length(i))
  mean <- if (!is.null(result$noisy_mean)) mean_about_midpoint(parameters, result) else rep(0, p)
  if (!is.null(result$noisy_mean)) {
    # d(P_ij/n - s_i s_j/n^2) = ... - (m_i ds_j + m_j ds_i)/n
    by_sum <- matrix(0, length(i), p)
    by_sum[cbind(seq_along(i), i)] <- by_sum[cbind(seq_along(i), i)] - mean[j] / n
    by_sum[cbind(seq_along(i), j)] <- by_sum[cbind(seq_along(i), j)] - mean[i] / n
    covariance <- covariance + by_sum %*% diag((result$sum_noise_sd_scaled * scales)^2, p) %*% t(by_sum)
  }
  if (!is.null(result$noisy_rows_sd)) {
    # ... - (C_ij - m_i m_j) dn/n about a mean; - M_ij dn/n about the midpoint
    by_count <- -(fit$raw[cbind(i, j)] - mean[i] * mean[j]) / n
    covariance <- covariance + result$noisy_rows_sd^2 * tcrossprod(by_count)
  }
  names <- paste(rownames(fit$raw)[i], colnames(fit$raw)[j], sep = "~~")
  dimnames(covariance) <- list(names, names)
  covariance
}

mean_about_midpoint <- function(parameters, result) {
  columns <- column_scales(parameters)
  if (is_scaled(parameters)) result$noisy_mean else result$noisy_mean - columns$midpoint
}

#' @rdname noise_cov
#' @export
lavaan_data <- function(fit, variables = NULL) {
  noise <- noise_cov(fit)
  n <- fit$n.obs
  chosen <- chosen_variables(variables, colnames(fit$cov))
  s <- fit$cov[chosen, chosen, drop = FALSE]
  warn_if_singular(s)
  pairs <- which(lower.tri(s, diag = TRUE), arr.ind = TRUE)
  i <- pairs[, 1]
  j <- pairs[, 2]
  # The entry of the release, whose lower triangle has the larger of two places first.
  entry <- matrix(0, ncol(fit$cov), ncol(fit$cov))
  entry[lower.tri(entry, diag = TRUE)] <- seq_len(nrow(noise))
  entries <- entry[cbind(pmax(chosen[i], chosen[j]), pmin(chosen[i], chosen[j]))]
  noise <- noise[entries, entries, drop = FALSE]
  names <- paste(rownames(s)[i], colnames(s)[j], sep = "~~")
  dimnames(noise) <- list(names, names)
  # Normal theory: cov(s_ij, s_kl) = (s_ik s_jl + s_il s_jk) / n.
  sampling <- s[i, i] * s[j, j] + s[i, j] * s[j, i]
  nacov <- sampling + n * noise
  dimnames(nacov) <- dimnames(noise)
  list(sample.cov = s, sample.nobs = n, NACOV = nacov)
}

chosen_variables <- function(variables, names) {
  if (is.null(variables)) {
    return(seq_along(names))
  }
  chosen <- match(variables, names)
  if (!is.character(variables) || length(variables) == 0 || anyNA(chosen) || anyDuplicated(chosen)) {
    refuse(sprintf("variables must name columns of the release, each once; it has %s", paste(names, collapse = ", ")), parameter = "variables", call = NULL)
  }
  chosen
}

is_singular <- function(covariance) {
  values <- eigen(covariance, symmetric = TRUE, only.values = TRUE)$values
  min(values) <= 1e-10 * max(values)
}

warn_if_singular <- function(covariance) {
  if (is_singular(covariance)) {
    warn("the covariance is singular: in some direction noise left no variance, and factanal() and lavaan fail on it. Use fewer variables or more budget")
  }
}
