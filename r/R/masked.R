#' Private pseudo-data
#'
#' As many rows and the same columns, with second moments that are those of the data up to noise: fit for linear models and
#' covariances, and for nothing that looks at single rows. No row belongs to a person.
#'
#' `intercept` has no default here: a model with an intercept needs `intercept = TRUE`, and it cannot be added once the
#' budget is spent.
#'
#' @inheritParams private_pca
#' @param x As in [private_pca()]; several paths are blocks of one table, each masked by itself.
#' @param columns,exclude Names of the columns to use, and to leave out.
#' @param out,arrays,replace Where the release goes: a directory, or a file `.csv`, `.csv.gz` or `.npy` with the release
#'   beside it (`NULL` keeps it for the session); the form of arrays in a directory; whether an earlier release may be lost.
#' @eval options_section("mask")
#' @return An object of class `masked_data`: `data` (a data frame of pseudo-rows; absent with `factor_only`), `guarantee`,
#'   and the release. `as.data.frame()` gives the rows; [private_lm()] takes the object as its data.
#' @examples
#' survey <- data.frame(a = rep(0:10, 200), b = rep(c(1, 9), 1100))
#' masked <- masked_data(survey, epsilon = 1, delta = 1e-6, range = c(0, 10), intercept = TRUE)
#' masked
#' private_lm(a ~ b, masked)
#' @export
masked_data <- function(x, epsilon = NULL, delta = NULL, ..., rho = NULL, mu = NULL, method = NULL,
                        neighbours = "zero-row", group_size = 1, range = NULL, bounds = NULL, row_norm = NULL,
                        center = "auto", standardize = FALSE, columns = NULL, exclude = NULL, one_hot = NULL, missing = "midpoint",
                        bad_cell = "refuse", grid = NULL, allele_frequencies = NULL, header = "auto", width = NULL,
                        separator = NULL, decimal = NULL, encoding = NULL, threads = NULL, ledger = NULL, ledger_key = NULL, out = NULL, arrays = "npy",
                        replace = FALSE, data_set = NULL, date = NULL, builds_on = NULL, seed = NULL) {
  given <- arguments()
  dots <- list(...)
  if (is.null(dots$intercept)) { # what is left out cannot be put in after the budget is spent
    refuse(paste(
      "say whether the rows have an intercept: with intercept = TRUE models with one can be fitted, private_lm(y ~ a, masked);",
      "with intercept = FALSE those through the public midpoint alone, y ~ 0 + a, with a little less noise; nothing was spent"
    ), parameter = "intercept", call = NULL)
  }
  if (is.null(given$out)) {
    given$out <- tempfile("masked-")
  }
  call <- match.call()
  new_masked_data(release_of("mask", x, given, dots, call))
}

new_masked_data <- function(parts) {
  files <- parts$release$files
  rows <- grep("pseudo_data|\\.csv(\\.gz)?$|\\.npy$", files, value = TRUE)
  rows <- rows[!grepl("noisy_gram|factor", basename(rows))]
  data <- if (length(rows) == 1) read_array(rows, pseudo_names(parts))
  structure(c(list(data = data), parts), class = "masked_data")
}

pseudo_names <- function(parts) parts$parameters[["columns"]]

read_array <- function(path, names) {
  if (!grepl("\\.npy$", path)) {
    return(utils::read.csv(path, check.names = FALSE))
  }
  table <- read_npy(path)
  colnames(table) <- names
  as.data.frame(table)
}

# Doubles of an NPY file that the library wrote.
read_npy <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  readBin(file, "raw", 8)
  header <- readChar(file, readBin(file, "integer", 1, size = 2, signed = FALSE, endian = "little"), useBytes = TRUE)
  shape <- as.numeric(strsplit(sub(".*'shape': \\(([0-9, ]*)\\).*", "\\1", header), ",")[[1]])
  values <- readBin(file, "double", prod(shape), endian = "little")
  matrix(values, shape[1], shape[2], byrow = grepl("'fortran_order': False", header, fixed = TRUE))
}

#' @export
print.masked_data <- function(x, rows = 4, ...) {
  cat("Private pseudo-data, method ", x$method, ": ", format(x$result[["rows"]]), " rows that belong to nobody\n", sep = "")
  print_guarantee_lines(x$guarantee)
  if (!is.null(x$data)) {
    cat("\n")
    print(utils::head(x$data, rows), ...)
  }
  invisible(x)
}

#' @export
as.data.frame.masked_data <- function(x, ...) x$data
