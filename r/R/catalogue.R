#' Methods of the engine, and their options
#'
#' What the C++ library itself says: every method of a task with the budgets it takes, and every option of these methods.
#' Options are arguments of the faces by their name, `private_pca(x, method = "orbit", variance_share = 0.3)`.
#'
#' @param task `"pca"`, `"covariance"`, `"lowrank"`, `"mask"` or `"subspace"`.
#' @return A data frame with a line per method, or per option.
#' @examples
#' engine_methods("pca")[, c("method", "budgets")]
#' engine_options("covariance")
#' @export
engine_methods <- function(task = "pca") {
  methods <- task_info(known_task(task))$methods
  column <- function(name) vapply(methods, function(method) method[[name]], "")
  data.frame(method = column("name"), budgets = column("budgets"), sentence = in_r_all(column("sentence")))
}

#' @rdname engine_methods
#' @export
engine_options <- function(task = "pca") {
  options <- options_of(known_task(task))
  column <- function(name) vapply(options, function(option) paste(option[[name]], collapse = ", "), "", USE.NAMES = FALSE)
  data.frame(
    option = names(options), kind = column("kind"), methods = column("methods"), default = in_r_all(column("default")),
    sentence = in_r_all(column("sentence"))
  )
}

# Methods of covariances whose entries have Gaussian noise and nothing else: what intervals need.
gaussian_methods <- function() {
  methods <- Filter(function(method) method$gaussian_entries, task_info("covariance")$methods)
  vapply(methods, function(method) method$name, "")
}

has_gaussian_entries <- function(method) method %in% gaussian_methods()

known_task <- function(task) {
  tasks <- vapply(catalogue()$tasks, function(entry) entry$task, "")
  one_of(task, tasks, "task")
}

# For roxygen: a section that is filled in when the page is shown, so that it always has the engine's own words.
options_section <- function(task) {
  c("@section Methods and their options:", sprintf("\\Sexpr[results=rd,stage=render]{eigenveil:::options_rd(\"%s\")}", task))
}

# The methods of a task and their options, as Rd.
options_rd <- function(task) {
  escape <- function(text) gsub("([%{}\\\\])", "\\\\\\1", text)
  methods <- engine_methods(task)
  options <- engine_options(task)
  method_item <- sprintf("\\item{\\code{%s}}{(%s) %s}", methods$method, escape(methods$budgets), escape(methods$sentence))
  option_item <- sprintf(
    "\\item{\\code{%s}}{(%s; %s) %s%s}", options$option, options$kind, options$methods, escape(options$sentence),
    ifelse(nzchar(options$default), sprintf(" (default %s)", escape(options$default)), "")
  )
  paste(c("Methods:", "\\describe{", method_item, "}", "Options:", "\\describe{", option_item, "}"), collapse = "\n")
}
