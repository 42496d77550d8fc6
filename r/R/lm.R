#' Private linear models
#'
#' Least squares from a private covariance, or from pseudo-data that was released before. Coefficients are corrected for
#' the noise, and standard errors and intervals include it.
#'
#' @param formula `y ~ a + b`: names of columns, and factors whose levels are declared. `y ~ .` takes all other columns.
#'   A model without an intercept (`y ~ 0 + a`) is one of pseudo-data, through the public midpoints; a table or a
#'   covariance about a private mean always has one. Terms that are computed from rows (`I(a^2)`, `a:b`, `log(a)`) are refused: make them columns with bounds of their own.
#' @param data A matrix, a data frame or the path of a table, as in [private_pca()]; or a release by [private_cov()] or
#'   [masked_data()], from which a model costs nothing.
#' @param epsilon,delta,rho,mu The budget; none where `data` is a release.
#' @param ... More arguments of [private_cov()]: `range`, `bounds`, `neighbours`, `ledger`, ...
#' @param levels The public levels of every factor, the reference first: `list(sex = c("f", "m"))`. Any other word counts
#'   as the reference.
#'   Of a release that has a column for every level, the one of the reference is left out.
#' @param ridge Added to the diagonal of the predictors' second moment.
#' @param target What intervals are to cover: `"population"`, the model that rows were drawn from (sampling and noise), or
#'   `"raw"`, what the rows would have given (noise alone); rows as they are after clipping to their bounds. With `weights`, `person` or `group_size` sampling variances
#'   about the population are multiplied by `weight_bound` times the rows of one person (sum w^2 <= W sum w), which is on
#'   the safe side; `nobs()` is divided by it.
#' @return An object of class `private_lm` with `coef()`, `vcov()`, `confint()`, `summary()`, `nobs()`, `predict()` and
#'   [guarantee()]. `uncorrected` holds what ignoring the noise would have given. `update()` is refused where it would
#'   spend again; of a model of a release it works and costs nothing.
#' @examples
#' i <- 1:4000
#' people <- data.frame(a = i %% 11, sex = factor(c("f", "m")[1 + i %% 2]))
#' people$y <- people$a / 2 + (i %/% 13) %% 5
#' fit <- private_lm(y ~ a + sex, people,
#'   epsilon = 1, delta = 1e-6, bounds = list(y = c(0, 10), a = c(0, 10)), levels = list(sex = c("f", "m"))
#' )
#' summary(fit)
#' confint(fit)
#' @export
private_lm <- function(formula, data, epsilon = NULL, delta = NULL, ..., rho = NULL, mu = NULL, levels = NULL, ridge = 0,
                       target = c("population", "raw")) {
  target <- one_of(target[1], c("population", "raw"), "target")
  if (missing(data)) {
    refuse("data is missing: a matrix, a data frame, the path of a table, or a release by private_cov() or masked_data()", parameter = "data", call = NULL)
  }
  released <- inherits(data, c("private_cov", "masked_data"))
  check_ridge(ridge)
  dots <- list(...)
  check_model_arguments(dots, released)
  names <- if (released) released_names(data) else setdiff(table_names(data), c(dots$person, dots$weights))
  model <- model_of(formula, names, levels)
  check_intercept(model, data, released)
  if (released) {
    if (!is.null(c(epsilon, delta, rho, mu))) {
      refuse("a model of a release costs nothing: leave out the budget", parameter = "epsilon")
    }
    release <- data
  } else {
    check_declared(data, model)
    release <- private_cov(data,
      epsilon = epsilon, delta = delta, rho = rho, mu = mu, ..., method = gaussian_methods()[1], center = "private",
      columns = model$columns, one_hot = model$one_hot
    )
  }
  call <- match.call()
  fit <- function() new_private_lm(release, model, ridge, target, formula, call, released)
  if (released) fit() else keeping_what_was_paid(fit(), release)
}

# Noise may leave no signal, which only the release shows: what was paid for is in the condition.
keeping_what_was_paid <- function(fit, release) {
  tryCatch(fit, eigenveil_error = function(e) {
    e$message <- paste0(
      conditionMessage(e), ". The budget is spent, and the covariance it paid for is in the condition: ",
      "cov <- tryCatch(private_lm(...), eigenveil_error = function(e) e$release); models of it, private_lm(y ~ a, cov), cost nothing"
    )
    e$release <- release
    stop(e)
  })
}

check_ridge <- function(ridge) {
  check_number(ridge, "ridge")
  if (ridge < 0 || ridge > 1e50) {
    refuse("ridge must be a number from 0 to 1e50", parameter = "ridge", call = NULL)
  }
}

# A covariance about a private mean has the intercept in every model; without one lm() would go through zero.
check_intercept <- function(model, data, released) {
  centered <- !released || (inherits(data, "private_cov") && !is.null(data$result$noisy_mean))
  if (!model$intercept && centered) {
    refuse(paste0(
      "a model without an intercept (0 + ...) would go through zero, and a covariance about a private mean does not know it: leave out '0 +'",
      if (!released) "; nothing was spent"
    ), parameter = "formula", call = NULL)
  }
}

# Arguments of private_cov() that the formula decides.
decided_by_formula <- c(
  one_hot = "declare factors with levels, the reference first: levels = list(sex = c(\"f\", \"m\"))",
  columns = "the formula says which columns are used", exclude = "the formula says which columns are used",
  center = "a model is measured from a private mean; for another centre release private_cov() and give it as data",
  method = "a model needs method \"gauss\"; for pseudo-data release masked_data() and give it as data",
  correlation = "coefficients come from covariances"
)

check_model_arguments <- function(dots, released) {
  names <- names(dots)
  if (any(c(dots$missing, names(dots$missing)) == "pairwise")) {
    refuse("a model here is of sums over all rows: leave out missing = \"pairwise\"; nothing was spent", parameter = "missing", call = NULL)
  }
  if (released && length(names) > 0) {
    refuse(sprintf("a model of a release takes no argument '%s': what it says was decided when the release was made", names[1]),
      parameter = names[1], call = NULL
    )
  }
  clash <- intersect(names, names(decided_by_formula))
  if (length(clash) > 0) {
    refuse(sprintf("leave out %s: %s", clash[1], decided_by_formula[[clash[1]]]), parameter = clash[1], call = NULL)
  }
}

# Words without declared levels, by the class of their column: said before anything is spent.
check_declared <- function(data, model) {
  if (!is.data.frame(data)) {
    return()
  }
  used <- intersect(setdiff(model$columns, names(model$one_hot)), names(data))
  words <- Filter(function(column) is.factor(data[[column]]) || is.character(data[[column]]), used)
  if (length(words) > 0) {
    refuse(sprintf(
      "column %s holds words (class %s): declare its public levels, the reference first, levels = list(%s = c(...)); nothing was spent",
      words[1], class(data[[words[1]]])[1], words[1]
    ), parameter = "levels", call = NULL)
  }
}

new_private_lm <- function(release, model, ridge, target, formula, call, costs_nothing) {
  question <- list(
    estimate = "regression", response = model$response, predictors = I(predictors_in(release, model)), ridge = ridge,
    level = 0.95, about = target
  )
  answer <- estimate(release, question)
  if (!model$intercept && answer$measured_from != "zero") {
    warn(sprintf("without an intercept this model goes through the %s, not through zero as one of lm()", answer$measured_from))
  }
  environment(formula) <- globalenv()  # the place it was written in may hold the rows, and would be saved with the fit
  names <- sub("^intercept$", "(Intercept)", answer$predictors)
  named <- function(values) setNames(as.numeric(values), names)
  covariance <- matrix(unlist(answer$covariance), length(names), dimnames = list(names, names))
  structure(list(
    coefficients = named(answer$coefficients), std.error = named(answer$standard_errors), vcov = covariance,
    uncorrected = named(answer$uncorrected), residual_sd = answer$residual_sd, rows = answer$rows,
    sampling_factor = sampling_factor(release$parameters), sampling = answer$sampling, units = release$parameters[["units"]],
    measured_from = answer$measured_from, missing_cells = answer$missing_cells, guarantee = release$guarantee,
    method = release$method, question = question, release = release$release, formula = formula,
    costs_nothing = costs_nothing, call = public_call(call)
  ), class = "private_lm")
}

estimate <- function(release, question) {
  pointer <- pointer_of(release$release)
  folder <- if (length(release$release$files) > 0) dirname(release$release$files[1]) else ""
  value_of(.Call(ev_estimate, pointer, folder, question), call = NULL)
}

table_names <- function(data) {
  if (is_path(data)) {
    return(NULL)
  }
  if (is.matrix(data) && is.null(colnames(data))) paste0("c", seq_len(ncol(data))) else colnames(data)
}

released_names <- function(release) setdiff(release$parameters[["columns"]], "intercept")

# Which columns a formula speaks of: the response, numbers, and factors with their levels.
model_of <- function(formula, names, levels) {
  if (!inherits(formula, "formula") || length(formula) != 3) {
    refuse("the formula must have a response and predictors: y ~ a + b", parameter = "formula")
  }
  response <- formula[[2]]
  if (!is.name(response)) {
    refuse("the response must be the name of a column", parameter = "formula")
  }
  response <- as.character(response)
  dot <- "." %in% all.vars(formula[[3]])
  if (dot && is.null(names)) {
    refuse("the columns of a file are not known before it is opened: name the predictors", parameter = "formula")
  }
  others <- setdiff(unique(sub("=.*", "", names)), response)
  empty <- as.data.frame(matrix(0, 0, length(others) + 1, dimnames = list(NULL, c(response, others))))
  parts <- stats::terms(formula, data = if (dot) empty, keep.order = TRUE)
  labels <- gsub("`", "", attr(parts, "term.labels"))
  variables <- vapply(as.list(attr(parts, "variables"))[-1], function(v) if (is.name(v)) as.character(v) else NA_character_, "")
  if (anyNA(variables) || any(attr(parts, "order") != 1) || !is.null(attr(parts, "offset"))) {
    refuse("terms must be columns: make what is computed from them (I(a^2), a:b, log(a)) a column with bounds of its own",
      parameter = "formula"
    )
  }
  if (!is.null(levels)) {
    check_levels(levels, "levels", 2)
    stray <- setdiff(names(levels), labels)
    if (length(stray) > 0) {
      refuse(sprintf("levels are declared for '%s', which is no predictor of the formula", stray[1]), parameter = "levels")
    }
  }
  if ("intercept" %in% c(response, labels)) {
    refuse("'intercept' is the name of the constant, which is part of the model: rename the column", parameter = "formula")
  }
  if ("*" %in% unlist(lapply(levels, as.character))) {
    refuse("the levels of a model are words of their own: leave out \"*\", any other word counts as the reference", parameter = "levels")
  }
  factors <- intersect(names(levels), labels)
  list(
    response = response, labels = labels, intercept = attr(parts, "intercept") == 1, columns = c(response, labels),
    one_hot = if (length(factors) > 0) lapply(levels[factors], function(l) l[-1])
  )
}

# The columns of the release that stand for the terms of the model.
predictors_in <- function(release, model) {
  names <- released_names(release)
  found <- unlist(lapply(model$labels, function(label) {
    declared <- model$one_hot[[label]]
    if (!is.null(declared)) {
      return(declared_columns(label, declared, names))
    }
    if (label %in% names) label else grep(paste0("^", escape_regex(label), "="), names, value = TRUE)
  }))
  absent <- Filter(function(label) !any(label == names | startsWith(names, paste0(label, "="))), model$labels)
  if (length(absent) > 0) {
    refuse(sprintf("the release has no column '%s'; it has %s", absent[1], paste(names, collapse = ", ")), parameter = "formula")
  }
  has_constant <- "intercept" %in% release$parameters[["columns"]] || !is.null(release$result$noisy_mean)
  if (model$intercept && !has_constant) {
    refuse("the release has no intercept: release it with intercept = TRUE (masked_data) or center = \"private\" (private_cov)",
      parameter = "formula"
    )
  }
  c(if (model$intercept) "intercept", found)
}

# The columns of declared levels but the reference.
declared_columns <- function(label, levels, names) {
  wanted <- paste0(label, "=", levels)
  absent <- setdiff(wanted, names)
  if (length(absent) > 0) {
    refuse(sprintf("the release has no column '%s'; it has %s", absent[1], paste(names, collapse = ", ")), parameter = "levels")
  }
  wanted
}

escape_regex <- function(text) gsub("([][{}()+*^$|\\\\?.])", "\\\\\\1", text)

#' @export
print.private_lm <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Private linear model: ", deparse(x$formula), "\n", sep = "")
  print_guarantee_lines(x$guarantee)
  cat("\n")
  print(x$coefficients, digits = digits)
  print_origin(x)
  invisible(x)
}

print_origin <- function(x) {
  if (x$measured_from != "zero") {
    scaled <- isTRUE(startsWith(x$units, "scaled"))
    cat("columns are measured from their ", x$measured_from, if (scaled) ", in scaled units", "\n", sep = "")
  }
}

#' @export
coef.private_lm <- function(object, ...) object$coefficients

#' @export
vcov.private_lm <- function(object, ...) object$vcov

#' @export
nobs.private_lm <- function(object, ...) max(1, round(object$rows / object$sampling_factor))

#' @export
confint.private_lm <- function(object, parm, level = 0.95, ...) {
  check_number(level, "level")
  wanted <- if (missing(parm)) names(object$coefficients) else coefficients_named(object, parm)
  question <- object$question
  question$level <- level
  answer <- estimate(list(release = object$release), question)
  tails <- c((1 - level) / 2, 1 - (1 - level) / 2)
  limits <- cbind(as.numeric(answer$low), as.numeric(answer$high))
  dimnames(limits) <- list(names(object$coefficients), paste(format(100 * tails, trim = TRUE, digits = 3), "%"))
  limits[wanted, , drop = FALSE]
}

coefficients_named <- function(object, parm) {
  names <- names(object$coefficients)
  found <- if (is.character(parm)) parm[parm %in% names] else names[parm[parm %in% seq_along(names)]]
  if (length(found) != length(parm) || length(parm) == 0) {
    refuse(sprintf("parm must name coefficients of the model, which are %s", paste(names, collapse = ", ")), parameter = "parm", call = NULL)
  }
  found
}

#' Fitted values of a private linear model
#'
#' Coefficients are released; fitted values are computed from rows that the caller holds, and are as private as those.
#' The warning says so, as in [predict.private_pca()].
#'
#' @param object A release by [private_lm()].
#' @param newdata A matrix or data frame with the predictors; other columns are left alone.
#' @param se.fit Whether to give standard errors of the fitted means, with sampling and noise.
#' @param ... Nothing: prediction intervals (`interval`) are not made.
#' @return A vector, or with `se.fit` a list of `fit` and `se.fit`: private data. A row with a missing predictor is `NA`.
#' @method predict private_lm
#' @examples
#' i <- 1:4000
#' people <- data.frame(a = i %% 11, y = i %% 11 / 2 + (i %/% 13) %% 5)
#' fit <- private_lm(y ~ a, people, epsilon = 1, delta = 1e-6, range = c(0, 10))
#' suppressWarnings(predict(fit, data.frame(a = c(0, 5, 10))))
#' @export
predict.private_lm <- function(object, newdata, se.fit = FALSE, ...) {
  if (missing(newdata)) {
    refuse("predictions need newdata: a private release does not keep the rows it was made from", parameter = "newdata", call = NULL)
  }
  others <- list(...)
  if (length(others) > 0 && !identical(others, list(interval = "none"))) {
    refuse("predict() of a private model takes newdata and se.fit, and makes no intervals: add your own quantile to se.fit",
      parameter = "interval", call = NULL
    )
  }
  se.fit <- isTRUE(flag(se.fit, "se.fit"))
  check_predictable(object)
  names <- names(object$coefficients)
  predictors <- setdiff(names, "(Intercept)")
  if (is.matrix(newdata) && is.null(colnames(newdata))) {
    refuse("newdata must name its columns", parameter = "newdata", call = NULL)
  }
  rows <- released_columns(newdata, predictors)
  if ("(Intercept)" %in% names) {
    rows <- cbind(`(Intercept)` = rep(1, nrow(rows)), rows)
  }
  rows <- rows[, names, drop = FALSE]
  warn("fitted values are private data: they are computed from rows, and no guarantee covers them", "eigenveil_privacy_warning")
  fit <- drop(rows %*% object$coefficients)
  if (se.fit) list(fit = fit, se.fit = sqrt(rowSums((rows %*% object$vcov) * rows))) else fit
}

check_predictable <- function(object) {
  if (isTRUE(startsWith(object$units, "rows of norm 1"))) {
    refuse("this model is of rows that were scaled to norm 1: predictions need one without normalise_rows", call = NULL)
  }
  if (object$measured_from != "zero") {
    scaled <- isTRUE(startsWith(object$units, "scaled"))
    refuse(sprintf(
      "this model is measured from %s%s: predictions need one %s", object$measured_from, if (scaled) " in scaled units" else "",
      if (scaled) "without standardize" else "with an intercept"
    ), call = NULL)
  }
}

#' @export
summary.private_lm <- function(object, level = 0.95, ...) {
  limits <- confint(object, level = level)
  table <- cbind(Estimate = object$coefficients, `Std. Error` = object$std.error, limits)
  if (!isTRUE(all.equal(object$uncorrected, object$coefficients))) { # noise on cells biases, noise on sums does not
    table <- cbind(table, `Noise ignored` = object$uncorrected)
  }
  structure(c(unclass(object), list(table = table)), class = "summary.private_lm")
}

#' @export
print.summary.private_lm <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Private linear model: ", deparse(x$formula), "\n", sep = "")
  print_guarantee_lines(x$guarantee)
  cat("\n")
  print(x$table, digits = digits)
  cat(sprintf(
    "\nintervals cover %s; residual sd %s; about %.0f rows\n",
    if (x$question$about == "raw") "what the rows, clipped to their bounds, would give (noise alone)" else "the population of rows clipped to their bounds (sampling and noise)",
    format(x$residual_sd, digits = digits), x$rows
  ))
  if (isTRUE(nzchar(x$sampling))) cat(x$sampling, "\n", sep = "")
  print_origin(x)
  cat("missing cells: ", x$missing_cells, "\n", sep = "")
  invisible(x)
}
