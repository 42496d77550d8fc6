#' What a release would cost and give
#'
#' Noise, predicted error and guarantee of a release before any data is read, from public numbers alone. `compare = TRUE`
#' predicts the error of every method for the assumed `spectrum` and recommends one.
#'
#' @param rows,dimension,columns Assumed sizes: the number of rows, and the number of columns (either argument) or their
#'   names (`columns`).
#' @param spectrum Assumed eigenvalues of the covariance in scaled units, from public knowledge.
#' @param compare Every method on the assumed spectrum; without one on three: a strong component, a power law, flat.
#' @param task `"covariance"`, `"lowrank"`, `"mask"` or `"subspace"`.
#' @inheritParams private_pca
#' @return An object of class `eigenveil_plan`: `title`, `lines` (label and text) and `facts`, the numbers; of a comparison
#'   `methods`, a data frame, and `recommended`; without a spectrum `scenarios`, a list of such comparisons by name.
#' @examples
#' plan_pca(rows = 100000, dimension = 50, k = 3, range = c(0, 10), epsilon = 1, delta = 1e-6)
#' plan_release("covariance", rows = 5000, columns = c("a", "b"), range = c(0, 1), epsilon = 1)
#' @export
plan_pca <- function(rows, dimension = NULL, k = NULL, epsilon = NULL, delta = NULL, ..., columns = NULL, spectrum = NULL,
                     compare = FALSE, rho = NULL, mu = NULL, method = NULL, neighbours = "add-remove", group_size = 1,
                     range = NULL, bounds = NULL, row_norm = NULL, center = "auto", standardize = FALSE, grid = NULL,
                     rank_transform = FALSE, project = NULL, projected_norm = NULL, outside_norm = NULL, normalise_rows = FALSE) {
  planned("pca", arguments(), list(...))
}

#' @rdname plan_pca
#' @export
plan_release <- function(task, rows, dimension = NULL, k = NULL, epsilon = NULL, delta = NULL, ..., columns = NULL,
                         spectrum = NULL, rho = NULL, mu = NULL, method = NULL, neighbours = NULL, group_size = 1,
                         range = NULL, bounds = NULL, row_norm = NULL, center = NULL, standardize = FALSE, grid = NULL,
                         rank_transform = FALSE, project = NULL, projected_norm = NULL, outside_norm = NULL, normalise_rows = FALSE) {
  task <- known_task(task)
  planned(task, arguments(), list(...))
}

planned <- function(task, arguments, dots) {
  columns <- arguments[["columns"]]
  if (!is.null(columns) && !is.null(arguments[["dimension"]])) {
    refuse("give dimension or columns, not both", parameter = "dimension")
  }
  arguments[["columns"]] <- NULL # of a table that is read
  columns <- planned_columns(columns, arguments[["dimension"]])
  job <- job_of(task, arguments, dots)
  job$columns <- listed(columns)
  job$spectrum <- if (!is.null(arguments[["spectrum"]])) I(bare(arguments[["spectrum"]]))
  job$compare <- flag(arguments[["compare"]], "compare")
  plan <- value_of(.Call(ev_plan, drop_null(job)), call = NULL)
  structure(if (isTRUE(arguments[["compare"]])) compared(plan) else spelt_plan(plan), class = "eigenveil_plan")
}

# Names, or how many there are.
planned_columns <- function(columns, dimension) {
  if (is.numeric(columns) && length(columns) == 1) {
    dimension <- columns
    columns <- NULL
  }
  if (!is.null(columns) && (!is.character(columns) || anyNA(columns) || anyDuplicated(columns))) {
    refuse("columns must be different names, c(\"a\", \"b\"), or how many columns there are", parameter = "columns", call = NULL)
  }
  if (is.null(columns) && !is.null(dimension)) {
    columns <- paste0("c", seq_len(whole(dimension, "dimension", 1, 2^20)))
  }
  columns
}

compared <- function(plan) {
  if (is.null(plan$scenarios)) {
    return(comparison(plan))
  }
  names <- vapply(plan$scenarios, function(scenario) scenario$scenario, "")
  list(scenarios = setNames(lapply(plan$scenarios, comparison), names), in_words = plan$in_words)
}

spelt_plan <- function(plan) {
  if (!is.null(plan$guarantee)) {
    plan$guarantee <- value_of(.Call(ev_to_relation, plan$guarantee, plan$guarantee$relation)) # with its words
  }
  plan$lines <- data.frame(
    label = vapply(plan$lines, function(line) line$label, ""), text = vapply(plan$lines, function(line) in_r(line$text), "")
  )
  plan
}

comparison <- function(plan) {
  number <- function(entry, name) if (is.null(entry[[name]])) NA_real_ else sqrt(entry[[name]])
  plan$methods <- data.frame(
    method = vapply(plan$methods, function(m) m$method, ""),
    error = vapply(plan$methods, number, 0, name = "total_error_f2"),
    from_noise = vapply(plan$methods, number, 0, name = "predicted_error_f2"),
    neighbours = vapply(plan$methods, function(m) m$relation, ""), basis = vapply(plan$methods, function(m) m$basis, ""),
    note = vapply(plan$methods, function(m) in_r(m$note), "")
  )
  plan$reason <- in_r(plan$reason)
  plan
}

#' @export
print.eigenveil_plan <- function(x, ...) {
  if (!is.null(x$in_words)) {
    cat(in_r(x$in_words))
    return(invisible(x))
  }
  cat(x$title, "\n", sep = "")
  cat(sprintf("  %-12s %s\n", x$lines$label, x$lines$text), sep = "")
  if (nzchar(x$warning)) cat("  warning      ", in_r(x$warning), "\n", sep = "")
  invisible(x)
}
