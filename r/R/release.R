# What all releases share: arguments into a job, a document into an R object.

# The arguments of the calling face by name, without `...`.
arguments <- function(frame = parent.frame()) {
  face <- sys.function(sys.parent())
  mget(setdiff(names(formals(face)), c("...", "x", "formula", "data")), envir = frame)
}

table_arguments <- function(arguments) {
  arguments[intersect(names(arguments), names(formals(table_spec)))]
}

# The request of a task, as the engine's JSON has it.
request_of <- function(task, arguments, options) {
  center <- center_of(arguments[["center"]])
  budget <- drop_null(lapply(arguments[intersect(names(arguments), c("epsilon", "delta", "rho", "mu"))], bare))
  drop_null(list(
    task = task, method = arguments[["method"]], budget = if (length(budget) > 0) budget, neighbours = arguments[["neighbours"]],
    group_size = bare(arguments[["group_size"]]), components = bare(arguments[["k"]]),
    center = if (is.character(center) && center != "auto") center,
    units = if (isTRUE(flag(arguments[["standardize"]], "standardize"))) "scaled", options = options
  ))
}

# prcomp's words are understood: TRUE is a mean, and a mean must be released.
center_of <- function(center) {
  if (isTRUE(center)) {
    inform("center = TRUE subtracts a privately released mean, which the same budget pays for; center = \"none\" measures from the public midpoint")
    return("private")
  }
  if (identical(center, FALSE)) {
    return("none")
  }
  if (!is.null(center) && !is.numeric(center)) {
    one_of(center, c("auto", "none", "private"), "center")
  }
  center
}

job_of <- function(task, arguments, dots) {
  own <- method_options(task, dots, names(arguments))
  format <- arguments[intersect(names(arguments), c("header", "width", "separator", "decimal", "encoding"))]
  as_given <- lapply(arguments[intersect(names(arguments), c("people", "rows", "threads", "seed", "ledger_key", "data_set"))], bare)
  drop_null(c(as_given, list(
    request = request_of(task, arguments, own$options), table = do.call(table_spec, table_arguments(arguments)),
    format = drop_null(format), private_files = own$files, anyway = flag(arguments[["anyway"]], "anyway"),
    ledger = path_or_null(arguments[["ledger"]]), date = date_text(arguments[["date"]]), builds_on = releases_listed(arguments[["builds_on"]]),
    out = if (!is.null(arguments[["out"]])) {
      list(
        folder = file_path(arguments[["out"]], "out"), arrays = arguments[["arrays"]],
        replace = isTRUE(flag(arguments[["replace"]], "replace"))
      )
    }
  )))
}

path_or_null <- function(ledger) {
  if (inherits(ledger, "eigenveil_ledger")) ledger$path else text_path(ledger)
}

text_path <- function(ledger) {
  ledger <- text(ledger, "ledger", "a ledger, from ledger() or ledger_create(), or the path of one in quotes")
  if (!is.null(ledger)) path.expand(ledger)
}

date_text <- function(date) if (!is.null(date)) text(as.character(date), "date")

# Directories, or releases that were written.
releases_listed <- function(releases) {
  if (is.list(releases) && inherits(releases$release, "eigenveil_release")) {
    releases <- folder_of(releases$release)
  }
  if (!is.null(releases) && (!is.character(releases) || anyNA(releases) || length(releases) == 0)) {
    refuse("builds_on must be directories of releases in quotes, or a release that was written", parameter = "builds_on", call = NULL)
  }
  if (!is.null(releases)) listed(path.expand(releases))
}

folder_of <- function(release) {
  if (length(release$files) > 0) dirname(release$files[1])
}

# What every release object has, beside what its kind adds.
release_parts <- function(outcome, call) {
  document <- outcome$document
  list(
    guarantee = document$guarantee, method = document$method, parameters = document$parameters, result = document$result,
    tables = document$tables, remarks = setNames(in_r_all(document$remarks), names(document$remarks)), null_reason = document$null_reason, call = public_call(call),
    release = structure(
      list(document = document, pointer = outcome$pointer, files = outcome$files, charged = outcome$charged, again = outcome$again),
      class = "eigenveil_release"
    )
  )
}

release_of <- function(task, x, arguments, dots, call) {
  if (missing(x)) {
    refuse("x is missing: a matrix, a data frame, or the path of a table", parameter = "x", call = NULL)
  }
  outcome <- run_job(job_of(task, arguments, dots), x, arguments[["person"]])
  release_parts(outcome, call)
}

check_not_null <- function(fit) {
  if (nzchar(fit$null_reason)) {
    refuse(sprintf("the release is NULL: %s. This is a legal outcome, and its budget is spent", fit$null_reason),
      class = "eigenveil_null_release", call = NULL
    )
  }
}

# Columns of a release: names, midpoints of their public ranges, half widths.
column_scales <- function(parameters) {
  names <- parameters[["columns"]]
  low <- parameters$range_low
  high <- parameters$range_high
  if (is.null(low)) {
    middle <- parameters$public_center
    return(list(names = names, midpoint = if (is.null(middle)) 0 * seq_along(names) else middle, half = rep(1, length(names))))
  }
  list(names = names, midpoint = (low + high) / 2, half = (high - low) / 2)
}

is_scaled <- function(parameters) startsWith(parameters[["units"]], "scaled")

# What columns are measured from, and what they are divided by, for scores.
center_and_scale <- function(parameters, result) {
  columns <- column_scales(parameters)
  scaled <- is_scaled(parameters)
  center <- columns$midpoint
  if (!is.null(result$noisy_mean)) {
    center <- if (scaled) columns$midpoint + columns$half * result$noisy_mean else result$noisy_mean
  }
  if (length(center) != length(columns$names)) { # coordinates in a public basis, not columns
    return(list(center = FALSE, scale = FALSE))
  }
  list(
    center = setNames(center, columns$names),
    scale = if (scaled) setNames(columns$half, columns$names) else FALSE
  )
}

#' The guarantee of a release or plan
#'
#' A guarantee is a value: for which neighbours it holds, its loss, what it rests on and what it assumes. Printing says it
#' in words. `epsilon_at()`, `delta_at()` and `power_at()` convert the loss; `compose_guarantees()` adds up releases of
#' the same data, refusing those about different neighbours.
#'
#' @param object A release, a plan, or a guarantee.
#' @param guarantee A guarantee.
#' @param delta,epsilon,false_alarm Where the converted loss is wanted.
#' @param conditional A basis that does not cover every data set (`spiked`, `sharp`) limits nothing without its condition:
#'   the power is 1 unless this asks for it under that condition.
#' @param relation `"replace-one"` for the same release under these neighbours; only what is proved is converted.
#' @param ... Guarantees, or releases.
#' @return `guarantee()` and `compose_guarantees()`: a list of class `eigenveil_guarantee`. The others: a number, rounded
#'   to the safe side.
#' @examples
#' x <- matrix(c(1, 2, 3, 4), 200, 4)
#' fit <- private_pca(x, epsilon = 1, delta = 1e-6, range = c(0, 10), anyway = TRUE)
#' guarantee(fit)
#' epsilon_at(guarantee(fit), delta = 1e-9)
#' compose_guarantees(fit, fit)
#' @export
guarantee <- function(object, ...) UseMethod("guarantee")

#' @export
guarantee.default <- function(object, ...) {
  found <- if (is.list(object)) object$guarantee
  if (!inherits(found, "eigenveil_guarantee")) {
    refuse("there is no guarantee here: give a release or a plan of this package", parameter = "object")
  }
  found
}

#' @export
guarantee.eigenveil_guarantee <- function(object, ...) object

#' @rdname guarantee
#' @export
epsilon_at <- function(guarantee, delta) value_of(.Call(ev_guarantee_number, guarantee(guarantee), "epsilon", in_unit(delta, "delta"), FALSE))

#' @rdname guarantee
#' @export
delta_at <- function(guarantee, epsilon) value_of(.Call(ev_guarantee_number, guarantee(guarantee), "delta", not_negative(epsilon, "epsilon"), FALSE))

#' @rdname guarantee
#' @export
power_at <- function(guarantee, false_alarm = 0.05, conditional = FALSE) {
  value_of(.Call(
    ev_guarantee_number, guarantee(guarantee), "power", in_unit(false_alarm, "false_alarm"), isTRUE(conditional)
  ))
}

not_negative <- function(value, name) {
  check_number(value, name)
  if (value < 0) {
    refuse(sprintf("%s must not be negative", name), parameter = name, call = NULL)
  }
  as.numeric(value)
}

in_unit <- function(value, name) {
  check_number(value, name)
  if (value < 0 || value > 1) {
    refuse(sprintf("%s must be a number from 0 to 1", name), parameter = name, call = NULL)
  }
  as.numeric(value)
}

#' @rdname guarantee
#' @export
to_relation <- function(guarantee, relation) value_of(.Call(ev_to_relation, guarantee(guarantee), as.character(relation)))

#' @rdname guarantee
#' @export
compose_guarantees <- function(...) {
  all <- list(...)
  value_of(.Call(ev_compose, unname(lapply(all, guarantee))))
}

#' @export
print.eigenveil_guarantee <- function(x, ...) {
  cat(x$in_words, "\n", sep = "")
  cat("in words: ", x$detection, "\n", sep = "")
  if (length(x$assumptions) > 0) {
    cat("assuming:\n", paste0("  - ", x$assumptions, "\n"), sep = "")
  }
  cat("not protected:\n", paste0("  - ", in_r_all(x$not_protected), "\n"), sep = "")
  invisible(x)
}

#' @export
format.eigenveil_guarantee <- function(x, ...) x$in_words

#' Write a release, and read one back
#'
#' A release is a directory: `release.json` with the guarantee, the public parameters and checksums, its arrays, and
#' `report.html` to read and sign. It appears whole or not at all. `read_release()` checks every checksum.
#'
#' @param fit A release of this package, made in this session, or saved (`saveRDS()`) in another one after it was written.
#' @param path The directory; of `read_release()` also the document.
#' @param arrays `"csv"` or `"npy"`.
#' @param replace Whether an earlier release in the directory may be lost.
#' @param data_set,date A public name of the table, and a date, to stand in the release; never filled in.
#' @return `write_release()`: the files, invisibly. `read_release()`: what the face that made it returned, as far as the
#'   files say it.
#' @examples
#' x <- matrix(c(1, 2, 3, 4), 200, 4)
#' fit <- private_pca(x, epsilon = 1, delta = 1e-6, range = c(0, 10), anyway = TRUE)
#' folder <- file.path(tempdir(), "release")
#' write_release(fit, folder)
#' again <- read_release(folder)
#' all.equal(again$rotation, fit$rotation)
#' @export
write_release <- function(fit, path, arrays = "csv", replace = FALSE, data_set = NULL, date = NULL) {
  if (missing(path) || is.null(path)) {
    refuse("path must be a path in quotes", parameter = "path")
  }
  release <- fit$release
  if (!inherits(release, "eigenveil_release")) {
    refuse("give a release of this package", parameter = "fit")
  }
  pointer <- pointer_of(release)
  one_of(arrays, c("csv", "npy"), "arrays")
  document <- release$document
  invisible(value_of(.Call(
    ev_write_release, pointer, file_path(path, "path"), arrays, isTRUE(replace),
    if (is.null(data_set)) document$data_set else as.character(data_set), if (is.null(date)) document$date else as.character(date)
  )))
}

# The release itself. An object that comes from another session (readRDS) has lost it, and finds it again where it was
# written, if that is still the same release.
pointer_of <- function(release) {
  if (.Call(ev_is_alive, release$pointer)) {
    return(release$pointer)
  }
  folder <- folder_of(release)
  lost <- "this object comes from another session, and a saved object holds the numbers of a release but not the release itself: "
  if (is.null(folder) || !file.exists(release$files[1])) {
    refuse(paste0(lost, "write_release() in the session that makes it, and read_release() its directory"), parameter = "fit", call = NULL)
  }
  again <- value_of(.Call(ev_read_release, folder), call = NULL)
  same <- c("task", "method", "request", "result")
  if (!isTRUE(all.equal(again$document[same], release$document[same]))) {
    refuse(paste0(lost, "its directory, ", folder, ", holds another release now"), parameter = "fit", call = NULL)
  }
  again$pointer
}

#' @rdname write_release
#' @export
read_release <- function(path) {
  if (is.null(path)) {
    refuse("path must be a path in quotes", parameter = "path")
  }
  outcome <- value_of(.Call(ev_read_release, file_path(path, "path")))
  if (length(outcome$files) == 0) { # where it lies, so that the object finds it again in another session
    folder <- path.expand(path)
    outcome$files <- if (dir.exists(folder)) file.path(folder, "release.json") else folder
  }
  parts <- release_parts(outcome, sys.call())
  switch(outcome$document$task,
    pca = new_private_pca(parts),
    covariance = new_private_cov(parts),
    lowrank = new_private_lowrank(parts),
    subspace = new_private_subspace(parts),
    mask = new_masked_data(parts),
    structure(parts, class = "eigenveil_fit")
  )
}
