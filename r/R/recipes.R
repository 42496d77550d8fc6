#' Private components as a step of a recipe
#'
#' Like `recipes::step_pca()`, with loadings from [private_pca()]: `prep()` spends the budget once, on the training rows;
#' `bake()` projects rows on the released loadings. What is baked is private data like the rows; the loadings are the
#' release, and `guarantee(step)` is theirs. Other steps that learn from rows before this one (normalising by the data's
#' mean, say) are not covered by the guarantee, and what they learnt would show in the bounds: scale by public numbers.
#'
#' @param recipe A recipe.
#' @param ... Selectors of columns.
#' @param role,trained,res,columns,skip,id As in other steps.
#' @param num_comp Number of components.
#' @param options A named list of arguments of [private_pca()]: budget, bounds, method.
#' @param prefix Of the names of the new columns.
#' @param keep_original_cols Whether the columns stay.
#' @param x A step.
#' @return The recipe with the step.
#' @examples
#' if (requireNamespace("recipes", quietly = TRUE)) {
#'   survey <- data.frame(y = rep(0:1, 1100), a = rep(0:10, 200), b = rep(10:0, 200))
#'   rec <- recipes::recipe(y ~ ., data = survey)
#'   rec <- step_private_pca(rec, recipes::all_numeric_predictors(),
#'     num_comp = 1,
#'     options = list(epsilon = 1, delta = 1e-6, range = c(0, 10))
#'   )
#'   rec <- recipes::prep(rec, training = survey)
#'   guarantee(rec$steps[[1]])
#' }
#' @export
step_private_pca <- function(recipe, ..., role = "predictor", trained = FALSE, num_comp = 5, options = list(), res = NULL,
                             columns = NULL, prefix = "PC", keep_original_cols = FALSE, skip = FALSE,
                             id = recipes::rand_id("private_pca")) {
  recipes::add_step(recipe, recipes::step(
    subclass = "private_pca", terms = recipes::ellipse_check(...), role = role, trained = trained, num_comp = num_comp,
    options = options, res = res, columns = columns, prefix = prefix, keep_original_cols = keep_original_cols, skip = skip,
    id = id
  ))
}

#' @exportS3Method recipes::prep
prep.step_private_pca <- function(x, training, info = NULL, ...) {
  columns <- recipes::recipes_eval_select(x$terms, training, info)
  recipes::check_type(training[, columns])
  x$columns <- unname(columns)
  x$res <- do.call(private_pca, c(list(training[, columns], k = x$num_comp), x$options))
  x$trained <- TRUE
  x
}

#' @exportS3Method recipes::bake
bake.step_private_pca <- function(object, new_data, ...) {
  check_not_null(object$res)
  # What is baked is as private as what comes in, and the recipe's user knows it.
  scores <- suppressWarnings(predict(object$res, new_data[, object$columns]), classes = "eigenveil_privacy_warning")
  colnames(scores) <- recipes::names0(ncol(scores), object$prefix)
  new_data <- cbind(as.data.frame(new_data), as.data.frame(scores))
  if (!isTRUE(object$keep_original_cols)) {
    new_data <- new_data[, setdiff(names(new_data), object$columns), drop = FALSE]
  }
  tibble::as_tibble(new_data)
}

#' @export
print.step_private_pca <- function(x, width = max(20, options()$width - 35), ...) {
  if (x$trained) {
    cat("Private PCA extraction with ", paste(x$columns, collapse = ", "), " [trained; ", x$res$guarantee$in_words, "]\n", sep = "")
  } else {
    cat("Private PCA extraction (nothing is spent before prep)\n")
  }
  invisible(x)
}

#' @rdname step_private_pca
#' @exportS3Method generics::tidy
tidy.step_private_pca <- function(x, ...) {
  if (!x$trained) {
    return(tabular(data.frame(terms = NA_character_, value = NA_real_, component = NA_character_, id = x$id)))
  }
  rotation <- x$res$rotation
  tabular(data.frame(
    terms = rep(rownames(rotation), times = ncol(rotation)), value = as.vector(rotation),
    component = rep(colnames(rotation), each = nrow(rotation)), id = x$id
  ))
}

#' @export
guarantee.step_private_pca <- function(object, ...) {
  if (!object$trained) {
    refuse("nothing was released yet: prep() the recipe first")
  }
  guarantee(object$res)
}

#' @exportS3Method recipes::required_pkgs
required_pkgs.step_private_pca <- function(x, ...) "eigenveil"
