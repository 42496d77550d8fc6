#' Private principal components
#'
#' Principal components of a table of rows about people, released with differential privacy. The result has the shape of
#' [stats::prcomp()] without scores: `sdev`, `rotation`, `center` and `scale` are noisy, and what may be published.
#'
#' @section What must be declared:
#' A budget (there is no default) and a bound on the rows, which is never read off the data: `range`, `bounds` or
#' `row_norm`. Values beyond a bound are clipped to it. `epsilon = 1, delta = 1e-6` is a common start; delta should be far
#' below one over the number of people.
#'
#' @param x A numeric matrix or a data frame, rows about people, read in place a block at a time; or the path of a table:
#'   CSV or TSV (also `.gz`), NPY, PLINK BED, IDX, or totals in a `.gram` file.
#' @param k Number of components (1 where nothing is said).
#' @param epsilon,delta,rho,mu The budget: `epsilon` with `delta`, `epsilon` alone (pure), `rho` (zCDP) or `mu` (GDP).
#' @param ... Options of the methods, by name: see below.
#' @param method How the release is made; `NULL` is the default of task and budget: `gauss`, and `wishart` for pure
#'   epsilon. [engine_methods()] lists them.
#' @param neighbours Between which tables the guarantee holds: `"add-remove"`, `"replace-one"`, `"zero-row"`, ...
#' @param group_size Rows that are protected together.
#' @param range The public range of every column, `c(0, 10)`.
#' @param bounds The public range of each column: `list(age = c(0, 120), income = c(0, 2e5))`, a data frame with the columns
#'   `column`, `low`, `high`, or the path of such a CSV file.
#' @param row_norm A public bound on the Euclidean norm of a row; after `range` or `bounds` in scaled units.
#' @param center `"auto"` (a privately released mean where the method has one), `"private"`, `"none"` (about the public
#'   midpoint), or a public centre: a named vector with one number per column.
#' @param standardize Work with columns scaled from their public range to \[-1, 1\] instead of original units.
#' @param columns,exclude Names of the columns to use, and to leave out.
#' @param one_hot Columns of words, or factors, that become one 0/1 column per public level:
#'   `list(sex = c("f", "m"))`. Anything else is 0 in all of them, or 1 in a column of its own where the list ends in
#'   `"*"`.
#' @param missing `"midpoint"` (a missing cell counts as the public midpoint), `"refuse"`, or `"pairwise"`: missing cells of
#'   all columns, or of those in `list(pairwise = c("a", "b"))`, are left out pair by pair.
#' @param bad_cell `"refuse"` (a cell that is no number stops the run) or `"midpoint"`.
#' @param grid Grid steps from zero to the bound (default 2^18); `1` is exact for genotypes with `range = c(0, 2)`.
#' @param rank_transform Replace every column by its average ranks: for method `sharp` only.
#' @param allele_frequencies Genotypes: public frequencies by column, by which cells are standardised: a named vector, or the
#'   path of a CSV file with the columns `column` and `value`, or of one that plink wrote (.frq).
#' @param project A public basis: a matrix with orthonormal columns, one row per column of the table, a `prcomp` object
#'   of public rows, or the path of a file of loadings. Rows become their coordinates in it.
#' @param projected_norm With `project`: coordinates longer than this are scaled down to it.
#' @param outside_norm With `project`: release what share of the rows lies inside of the basis, for a tenth more noise; what
#'   lies outside of it has this norm at most.
#' @param normalise_rows Scale every row to norm 1 about the public centre.
#' @param person,rows_per_person The column that says whose a row is, and how many rows of everybody count: a person is
#'   protected with all their rows.
#' @param weights,weight_bound A column of survey weights and the largest weight by the survey's design.
#' @param people About how many rows there are, as the public knows it: a release that noise must drown at this number is
#'   refused before anything is spent.
#' @param anyway Spend although the verdict is against it.
#' @param header,width,separator Of a text table: `"auto"`, `"present"`, `"absent"` or `"numbers"`; fields on every line without a
#'   header; `"comma"`, `"semicolon"`, `"tab"` or `"pipe"`.
#' @param decimal,encoding Of a text table: `"comma"` or `"point"`, the decimal mark, where digits may stand in groups;
#'   `"utf-8"`, `"latin-1"` or `"utf-16"`.
#' @param threads Threads to use; `NULL`: one per core.
#' @param ledger,ledger_key A [ledger()] that is charged before a row is read, or its path; a name for this release, to
#'   repeat the call safely. `EIGENVEIL_LEDGER` names a ledger for a session.
#' @param out,arrays,replace A directory for the release ([write_release()]); needed with a ledger.
#' @param data_set,date Public texts to stand in the release.
#' @param builds_on Directories of releases that this one is made with, private bounds for example; their checksums stand in
#'   it.
#' @param seed For tests and reproduction only: the randomness is known, so the release is marked NOT PRIVATE.
#' @eval options_section("pca")
#' @return An object of class `c("private_pca", "prcomp")`: `sdev`, `rotation`, `center`, `scale`; `noise_floor` and
#'   `noise_edge`, which a component must exceed; `below_noise`, the components that cannot be told from noise (methods that
#'   draw a subspace have no edge and mark none: they know nothing of what they leave out);
#'   `guarantee`; `method`, `parameters`, `result` and `tables` as the release document has them. There is no `x`: scores
#'   are private data.
#' @seealso [plan_pca()] before spending; [tidy.private_pca()], [step_private_pca()].
#' @examples
#' survey <- data.frame(a = rep(0:10, 200), b = rep(10:0, 200), c = 5)
#' fit <- private_pca(survey, k = 2, epsilon = 1, delta = 1e-6, range = c(0, 10))
#' fit
#' summary(fit)
#' @export
private_pca <- function(x, k = NULL, epsilon = NULL, delta = NULL, ..., rho = NULL, mu = NULL, method = NULL,
                        neighbours = "add-remove", group_size = 1, range = NULL, bounds = NULL, row_norm = NULL,
                        center = "auto", standardize = FALSE, columns = NULL, exclude = NULL, one_hot = NULL,
                        missing = "midpoint", bad_cell = "refuse", grid = NULL, rank_transform = FALSE,
                        allele_frequencies = NULL, project = NULL, projected_norm = NULL, outside_norm = NULL, normalise_rows = FALSE,
                        person = NULL, rows_per_person = NULL, weights = NULL, weight_bound = NULL, people = NULL,
                        anyway = FALSE, header = "auto", width = NULL, separator = NULL, decimal = NULL, encoding = NULL, threads = NULL, ledger = NULL,
                        ledger_key = NULL, out = NULL, arrays = "csv", replace = FALSE, data_set = NULL, date = NULL, builds_on = NULL,
                        seed = NULL) {
  new_private_pca(release_of("pca", x, arguments(), list(...), match.call()))
}

new_private_pca <- function(parts) {
  result <- parts$result
  loadings <- parts$tables$loadings
  if (!is.null(parts$tables$loadings_real)) { # complex rows
    loadings <- parts$tables$loadings_real + 1i * parts$tables$loadings_imaginary
  }
  variance <- result$noisy_explained_variance
  where <- center_and_scale(parts$parameters, result)
  if (!is.null(result$noisy_column_deviations)) { # correlations: of the columns whose variance stands above its noise
    where$scale <- setNames(result$noisy_column_deviations, names(where$center))[rownames(loadings)]
    where$center <- where$center[rownames(loadings)]
  }
  fit <- list(
    sdev = if (is.null(variance)) rep(NA_real_, NCOL(loadings)) else sqrt(pmax(variance, 0)),
    rotation = loadings, center = where$center, scale = where$scale,
    noise_floor = noise_floor_of(result), noise_edge = result$noise_edge,
    below_noise = if (is.null(result$below_noise)) character() else result$below_noise
  )
  structure(c(fit, parts), class = c("private_pca", "prcomp"))
}

noise_floor_of <- function(result) {
  for (name in c("noise_floor", "noise_edge", "variance_noise_sd")) {
    if (!is.null(result[[name]])) {
      return(max(result[[name]]))
    }
  }
  NA_real_
}

#' @export
print.private_pca <- function(x, digits = max(3L, getOption("digits") - 3L), loadings = 3, ...) {
  cat("Private principal components, method ", x$method, "\n", sep = "")
  print_guarantee_lines(x$guarantee)
  if (nzchar(x$null_reason)) {
    cat("NULL: ", x$null_reason, "\n", sep = "")
    return(invisible(x))
  }
  cat("\n")
  print(component_table(x, loadings, digits), row.names = FALSE, right = FALSE)
  invisible(x)
}

print_guarantee_lines <- function(guarantee) {
  cat(guarantee$in_words, "\n", guarantee$detection, "\n", sep = "")
}

component_table <- function(x, loadings, digits) {
  share <- x$result$noisy_explained_share
  table <- data.frame(
    component = colnames(x$rotation),
    variance = format(x$sdev^2, digits = digits),
    share = if (is.null(share)) "" else ifelse(is.finite(share), sprintf("%.1f%%", 100 * share), ""),
    `must exceed` = if (is.null(x$noise_edge)) "" else format(x$noise_edge, digits = digits),
    `largest loadings` = apply(x$rotation, 2, largest_loadings, count = loadings),
    note = ifelse(colnames(x$rotation) %in% x$below_noise, "cannot be told from noise", ""),
    check.names = FALSE
  )
  table[, vapply(table, function(column) any(nzchar(column)), NA)]
}

largest_loadings <- function(loading, count) {
  first <- utils::head(order(-Mod(loading)), count)
  paste(names(loading)[first], if (is.complex(loading)) format(loading[first], digits = 2) else sprintf("%+.2f", loading[first]),
    collapse = ", "
  )
}
