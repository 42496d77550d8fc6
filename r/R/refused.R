# What stats and graphics would do with the fields of a release, and must not.

# update() evaluates the call again, and every release spends.
refuse_update <- function(object) {
  face <- class(object)[1]
  refuse(sprintf(
    "update() would make a second release and spend its budget again: call %s() with what you want, or work from the release that you have",
    face
  ), call = NULL)
}

#' @importFrom stats update
#' @export
update.private_pca <- function(object, ...) refuse_update(object)

#' @export
update.private_cov <- function(object, ...) refuse_update(object)

#' @export
update.private_lowrank <- function(object, ...) refuse_update(object)

#' @export
update.private_subspace <- function(object, ...) refuse_update(object)

#' @export
update.masked_data <- function(object, ...) refuse_update(object)

# A model of a release costs nothing, and may be changed as often as one likes.
#' @export
update.private_lm <- function(object, ...) if (isTRUE(object$costs_nothing)) NextMethod() else refuse_update(object)

#' @export
plot.private_lm <- function(x, ...) {
  refuse("the plots of lm() show every person's residual, and residuals are private data; plot confint(fit), the coefficients", call = NULL)
}

#' @importFrom stats residuals fitted
#' @export
residuals.private_lm <- function(object, ...) {
  refuse("residuals are private data, and a release keeps no rows; predict(fit, newdata) gives fitted values of rows that you hold", call = NULL)
}

#' @export
fitted.private_lm <- function(object, ...) {
  refuse("a release keeps no rows: predict(fit, newdata) gives fitted values of rows that you hold", call = NULL)
}
