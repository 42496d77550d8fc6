# What people call on a prcomp, on a release.

#' @export
summary.private_pca <- function(object, ...) {
  check_not_null(object)
  share <- object$result$noisy_explained_share
  importance <- rbind(
    `Standard deviation` = object$sdev,
    `Proportion of Variance` = if (is.null(share)) NA_real_ else ifelse(is.finite(share), share, NA),
    `Cumulative Proportion` = if (is.null(share)) NA_real_ else cumsum(ifelse(is.finite(share), share, NA)),
    `Must exceed (variance)` = if (is.null(object$noise_edge)) NA_real_ else object$noise_edge
  )
  colnames(importance) <- colnames(object$rotation)
  structure(c(unclass(object), list(importance = importance)), class = c("summary.private_pca", "private_pca", "prcomp"))
}

#' @export
print.summary.private_pca <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Importance of private components (method ", x$method, "):\n", sep = "")
  print(in_digits(x$importance, digits), quote = FALSE, right = TRUE)
  if (length(x$below_noise) > 0) {
    cat("\ncannot be told from noise, so without a share: ", paste(x$below_noise, collapse = ", "), "\n", sep = "")
  }
  if (is.finite(x$noise_floor)) {
    cat("\nnoise floor (noise alone passes it in 5% of releases at most): ", format(x$noise_floor, digits = digits), "\n", sep = "")
    if (is.null(x$noise_edge)) {
      cat("whether there is more along these directions than along those left out, this release does not say\n")
    }
  }
  rows <- rows_in_words(x$result)
  if (nzchar(rows)) cat("rows: ", rows, "\n", sep = "")
  for (label in names(x$remarks)) {
    cat(label, ": ", x$remarks[[label]], "\n", sep = "")
  }
  cat("missing cells: ", x$parameters$missing_cells, "\n\n", sep = "")
  print(x$guarantee)
  invisible(x)
}

# Rows of a table that say something; a number that there is none of stays blank.
in_digits <- function(table, digits) {
  table <- table[rowSums(is.finite(table)) > 0, , drop = FALSE]
  shown <- t(apply(table, 1, function(row) format(row, digits = digits)))
  dim(shown) <- dim(table)
  shown[!is.finite(table)] <- ""
  dimnames(shown) <- dimnames(table)
  shown
}

rows_in_words <- function(result) {
  if (!is.null(result$noisy_rows)) {
    return(sprintf("%.0f (noisy, standard deviation %.3g)", result$noisy_rows, result$noisy_rows_sd))
  }
  if (!is.null(result[["rows"]])) sprintf("%.0f (public for these neighbours)", result[["rows"]]) else ""
}

#' Scree plot of a private release
#'
#' Bars are the noisy variances; the dashed line is the noise floor, which noise alone passes in 5% of releases at most, and the marks are
#' what each component must exceed to be told from noise. Components that do not are drawn pale.
#'
#' @param x A release by [private_pca()].
#' @param main Title.
#' @param npcs How many components.
#' @param ... Passed to [graphics::barplot()].
#' @return The positions of the bars, invisibly.
#' @method plot private_pca
#' @aliases screeplot.private_pca
#' @examples
#' survey <- data.frame(a = rep(0:10, 200), b = rep(10:0, 200), c = 5)
#' plot(private_pca(survey, k = 3, epsilon = 1, delta = 1e-6, range = c(0, 10)))
#' @export
plot.private_pca <- function(x, main = "Private scree plot", npcs = min(10, length(x$sdev)), ...) {
  check_not_null(x)
  if (all(is.na(x$sdev))) {
    refuse(sprintf("method %s releases directions and no variances: there is no scree to plot", x$method))
  }
  shown <- seq_len(npcs)
  variance <- x$sdev[shown]^2
  edge <- if (is.null(x$noise_edge)) rep(NA_real_, npcs) else x$noise_edge[shown]
  pale <- colnames(x$rotation)[shown] %in% x$below_noise
  top <- 1.05 * max(variance, edge, x$noise_floor, na.rm = TRUE)
  margins <- graphics::par(mar = c(5, 4, 6, 1) + 0.1)
  on.exit(graphics::par(margins))
  at <- graphics::barplot(variance,
    names.arg = colnames(x$rotation)[shown], ylab = "Variance (noisy)", ylim = c(0, top),
    col = ifelse(pale, "grey88", "steelblue4"), border = NA, ...
  )
  graphics::abline(h = x$noise_floor, lty = 2, col = "firebrick")
  graphics::segments(at - 0.5, edge, at + 0.5, edge, col = "firebrick", lwd = 2)
  # Above the plot by its own height in lines, whatever the size of the device; the title stands above it.
  graphics::legend(mean(graphics::par("usr")[1:2]), top + 0.4 * diff(graphics::grconvertY(0:1, "lines", "user")),
    xjust = 0.5, yjust = 0, xpd = NA, ncol = 2, cex = 0.8, bty = "n", legend = c("noisy variance", "cannot be told from noise", "noise floor", "must exceed"),
    fill = c("steelblue4", "grey88", NA, NA), border = NA, lty = c(NA, NA, 2, 1), lwd = c(NA, NA, 1, 2),
    col = c(NA, NA, "firebrick", "firebrick"), merge = FALSE
  )
  graphics::title(main, line = 4.2)
  graphics::mtext(x$guarantee$in_words, side = 1, line = 3, cex = 0.7, col = "grey30")
  invisible(at)
}

#' @importFrom stats screeplot
#' @export
screeplot.private_pca <- function(x, ...) plot(x, ...)

#' @importFrom stats biplot
#' @export
biplot.private_pca <- function(x, ...) {
  refuse(paste(
    "a biplot draws every person's scores, and scores are private data that no release of components covers. Plot the",
    "loadings (tidy(fit)), or release a private score plot: a noisy histogram of people on two released components",
    "(the program's command scores)"
  ))
}

#' Scores of new rows on released components
#'
#' Loadings are released; scores are not: they are computed from rows, and are as private as those. The warning says so
#' each time, and [suppressWarnings()] with `classes = "eigenveil_privacy_warning"` turns it off where rows are the
#' caller's own.
#'
#' @param object A release by [private_pca()].
#' @param newdata A matrix or data frame with the columns of the release; other columns are left alone, and columns of
#'   words become those of `one_hot`. There is no default: the rows of the release are not kept.
#' @param ... Ignored.
#' @return A matrix of scores: private data.
#' @method predict private_pca
#' @examples
#' survey <- data.frame(a = rep(0:10, 200), b = rep(10:0, 200), c = 5)
#' fit <- private_pca(survey, epsilon = 1, delta = 1e-6, range = c(0, 10))
#' suppressWarnings(predict(fit, data.frame(a = 5, b = 5, c = 5)))
#' @export
predict.private_pca <- function(object, newdata, ...) {
  check_not_null(object)
  if (missing(newdata)) {
    refuse("scores need newdata: a private release does not keep the rows it was made from", parameter = "newdata")
  }
  rows <- scored_rows(object, newdata)
  warn("scores are private data: they are computed from rows, and no guarantee covers them", "eigenveil_privacy_warning")
  rows %*% object$rotation
}

# Rows as the release measured them: its columns, missing cells at the public midpoint, about its centre.
scored_rows <- function(object, newdata) {
  names <- rownames(object$rotation)
  if (length(object$center) != length(names)) {
    refuse("this release has stages between columns and components: scores of new rows are not defined here",
      parameter = "newdata"
    )
  }
  newdata <- released_columns(newdata, names)
  columns <- column_scales(object$parameters)
  middle <- setNames(columns$midpoint, columns$names)[names]
  for (j in seq_along(names)) {
    newdata[is.na(newdata[, j]), j] <- middle[j]
  }
  scale(newdata, object$center, object$scale)
}
