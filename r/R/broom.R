#' Tidy a private release
#'
#' Methods for broom's generics. Scores are refused: they are private data.
#'
#' @param x A release by [private_pca()] or [private_lm()].
#' @param matrix `"loadings"` (also `"rotation"`, `"v"`), or `"eigenvalues"` (also `"pcs"`, `"d"`).
#' @param newdata Rows to augment: required, since a release keeps none.
#' @param conf.int,conf.level Whether, and at which level, to add limits that include the noise.
#' @param ... Ignored.
#' @return A data frame (a tibble where tibble is installed).
#' @name tidy.private_pca
#' @examples
#' survey <- data.frame(a = rep(0:10, 200), b = rep(10:0, 200), c = 5)
#' fit <- private_pca(survey, k = 2, epsilon = 1, delta = 1e-6, range = c(0, 10))
#' tidy(fit, matrix = "eigenvalues")
#' glance(fit)
NULL

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

tabular <- function(frame) {
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(frame) else frame
}

#' @rdname tidy.private_pca
#' @export
tidy.private_pca <- function(x, matrix = "loadings", ...) {
  check_not_null(x)
  wanted <- c(
    u = "scores", samples = "scores", scores = "scores", x = "scores", v = "loadings", rotation = "loadings",
    variables = "loadings", loadings = "loadings", d = "eigenvalues", pcs = "eigenvalues", eigenvalues = "eigenvalues"
  )
  kind <- wanted[as.character(matrix)]
  if (length(kind) != 1 || is.na(kind)) {
    refuse("matrix must be \"loadings\" or \"eigenvalues\"", parameter = "matrix")
  }
  if (kind == "scores") {
    refuse("scores are private data and part of no release; \"loadings\" and \"eigenvalues\" are", parameter = "matrix")
  }
  component <- seq_len(ncol(x$rotation))
  if (kind == "loadings") {
    return(tabular(data.frame(
      column = rep(rownames(x$rotation), times = ncol(x$rotation)), PC = rep(component, each = nrow(x$rotation)),
      value = as.vector(x$rotation)
    )))
  }
  share <- x$result$noisy_explained_share
  tabular(data.frame(
    PC = component, std.dev = x$sdev, percent = if (is.null(share)) NA_real_ else share,
    cumulative = if (is.null(share)) NA_real_ else cumsum(share),
    noise.edge = if (is.null(x$noise_edge)) NA_real_ else x$noise_edge,
    below.noise = colnames(x$rotation) %in% x$below_noise
  ))
}

#' @rdname tidy.private_pca
#' @export
glance.private_pca <- function(x, ...) glance_of(x, list(components = ncol(x$rotation), noise.floor = x$noise_floor))

glance_of <- function(x, more) {
  guarantee <- x$guarantee
  rows <- if (is.null(x$result[["rows"]])) x$result$noisy_rows else x$result[["rows"]]
  tabular(do.call(data.frame, c(list(
    method = x$method, guarantee = guarantee$in_words, relation = guarantee$relation, basis = guarantee$basis,
    max.power = if (guarantee$basis == "not-private") 1 else power_at(guarantee), nobs = if (is.null(rows)) NA_real_ else rows / sampling_factor(x$parameters)
  ), more)))
}

#' @rdname tidy.private_pca
#' @export
augment.private_pca <- function(x, newdata, ...) {
  if (missing(newdata)) {
    refuse("augment needs newdata: a private release does not keep the rows it was made from", parameter = "newdata")
  }
  scores <- predict(x, newdata)
  colnames(scores) <- paste0(".fitted", colnames(x$rotation))
  tabular(cbind(as.data.frame(newdata), as.data.frame(scores)))
}

#' @rdname tidy.private_pca
#' @export
augment.private_lm <- function(x, newdata, ...) {
  if (missing(newdata)) {
    refuse("augment needs newdata: a private release does not keep the rows it was made from", parameter = "newdata")
  }
  fitted <- predict(x, newdata, se.fit = TRUE)
  tabular(cbind(as.data.frame(newdata), .fitted = unname(fitted$fit), .se.fit = unname(fitted$se.fit)))
}

#' @rdname tidy.private_pca
#' @export
tidy.private_lm <- function(x, conf.int = FALSE, conf.level = 0.95, ...) {
  table <- data.frame(
    term = names(x$coefficients), estimate = unname(x$coefficients), std.error = unname(x$std.error),
    noise.ignored = unname(x$uncorrected)
  )
  if (isTRUE(conf.int)) {
    limits <- confint(x, level = conf.level)
    table$conf.low <- unname(limits[, 1])
    table$conf.high <- unname(limits[, 2])
  }
  tabular(table)
}

#' @rdname tidy.private_pca
#' @export
glance.private_lm <- function(x, ...) {
  glance_of(c(unclass(x), list(result = list(rows = x$rows / x$sampling_factor))), list(sigma = x$residual_sd))
}
