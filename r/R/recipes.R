#' Private components as a step of a recipe
#'
#' Like `recipes::step_pca()`, with loadings from [private_pca()]: `prep()` spends the budget once, on the training rows;
#' `bake()` projects rows on the released loadings. What is baked is private data like the rows; the loadings are the
#' release, and `guarantee(step)` is theirs. Other steps that learn from rows before this one (normalising by the data's
#' mean, say) are not covered by the guarantee, and what they learnt would show in the bounds: scale by public numbers. Such
#' a step is warned of when this one is added. Selectors see names and types of columns and no rows: a column chosen by its
#' mean would tell of the rows.
#'
#' A prepared recipe keeps the training rows (recipes' `template`): save one that was prepared with `retain = FALSE`.
#'
#' @param recipe A recipe.
#' @param ... Selectors of columns.
#' @param role,trained,res,columns,skip,id As in other steps.
#' @param num_comp Number of components: 5 as in `recipes::step_pca()`, or all columns where there are fewer.
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
  whole(num_comp, "num_comp")
  check_step_options(options)
  warn_of_learning(recipe)
  recipes::add_step(recipe, recipes::step(
    subclass = "private_pca", terms = recipes::ellipse_check(...), role = role, trained = trained, num_comp = num_comp,
    options = options, res = res, columns = columns, prefix = prefix, keep_original_cols = keep_original_cols, skip = skip,
    id = id
  ))
}

check_step_options <- function(options) {
  if (!is.list(options) || (length(options) > 0 && !all_named(options))) {
    refuse("options must be a named list of arguments of private_pca(): list(epsilon = 1, delta = 1e-6, range = c(0, 10))",
      parameter = "options", call = NULL
    )
  }
  clash <- intersect(c("k", "x", "columns", "exclude"), names(options))
  if (length(clash) > 0) {
    said <- c(k = "num_comp says how many components", x = "the rows are those of the recipe", columns = "the selectors say which columns", exclude = "the selectors say which columns")
    refuse(sprintf("leave %s out of options: %s", clash[1], said[[clash[1]]]), parameter = "options", call = NULL)
  }
}

# Steps that do the same to a row whatever the other rows are.
row_by_row <- paste0("step_", c(
  "private_pca", "select", "rm", "rename", "rename_at", "log", "sqrt", "inverse", "logit", "invlogit", "hyperbolic",
  "ratio", "interact", "intercept", "cut", "date", "time", "holiday", "arrange", "naomit", "bin2factor", "num2factor", "string2factor"
))

warn_of_learning <- function(recipe) {
  names <- vapply(recipe$steps, function(step) class(step)[1], "")
  learning <- setdiff(names, row_by_row)
  if (length(learning) > 0) {
    warn(sprintf(
      "%s before step_private_pca learns from the rows, or may, and no guarantee covers what it learns: it shows in the baked columns and in the bounds. Scale by public numbers instead: range, bounds, standardize in options",
      learning[1]
    ), "eigenveil_privacy_warning")
  }
}

#' @exportS3Method recipes::prep
prep.step_private_pca <- function(x, training, info = NULL, ...) {
  columns <- selected_columns(x$terms, training, info)
  x$terms <- without_place(x$terms)
  recipes::check_type(training[, columns])
  x$columns <- unname(columns)
  x$res <- do.call(private_pca, c(list(training[, columns], k = min(x$num_comp, length(columns))), x$options))
  x$trained <- TRUE
  x
}

# By names and types alone. Without rows mean(.x) > 5 is no answer, which tidyselect says.
selected_columns <- function(terms, training, info) {
  tryCatch(recipes::recipes_eval_select(terms, training[0, ], info), error = function(e) {
    refuse(paste0(
      "the selectors name no columns: they see names and types of columns and no rows (where(is.numeric), starts_with(\"q\")); nothing was spent. ",
      conditionMessage(e)
    ), call = NULL)
  })
}

# A selector carries the place it was written in, which may hold the rows and would be saved with the recipe.
without_place <- function(terms) {
  kept <- attributes(terms)
  terms <- lapply(unclass(terms), function(term) {
    attr(term, ".Environment") <- globalenv()
    term
  })
  attributes(terms) <- kept
  terms
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
#' @export
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

#' @export
guarantee.recipe <- function(object, ...) {
  steps <- Filter(function(step) inherits(step, "step_private_pca"), object$steps)
  if (length(steps) == 0) {
    refuse("the recipe has no step of this package, so nothing of it is private")
  }
  found <- lapply(steps, guarantee)
  if (length(found) == 1) found[[1]] else do.call(compose_guarantees, found)
}

#' @exportS3Method recipes::required_pkgs
required_pkgs.step_private_pca <- function(x, ...) "eigenveil"
