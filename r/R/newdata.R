# Rows that somebody scores on a release: its columns out of a matrix or data frame, whatever else that holds.

# One numeric column per name; "sex=m" is made from the words of column sex where there is no column of that name.
released_columns <- function(newdata, names) {
  if (is.matrix(newdata) && is.null(colnames(newdata))) {
    if (ncol(newdata) != length(names)) {
      refuse(sprintf("newdata must have the %d columns of the release", length(names)), parameter = "newdata", call = NULL)
    }
    colnames(newdata) <- names
  }
  if (!is.data.frame(newdata) && !is.matrix(newdata)) {
    refuse("newdata must be a matrix or a data frame", parameter = "newdata", call = NULL)
  }
  columns <- lapply(names, function(name) released_column(newdata, name, names))
  matrix(as.numeric(unlist(columns)), nrow(newdata), length(names), dimnames = list(rownames(newdata), names))
}

released_column <- function(newdata, name, names) {
  cells <- function(column) if (is.data.frame(newdata)) newdata[[column]] else newdata[, column]
  if (name %in% colnames(newdata)) {
    values <- cells(name)
    if (!is.numeric(values) && !is.logical(values)) {
      refuse(sprintf("column %s of newdata is of class %s, not numbers", name, class(values)[1]), parameter = "newdata", call = NULL)
    }
    return(values)
  }
  column <- worded_column(name, colnames(newdata))
  if (is.null(column)) {
    refuse(sprintf("newdata lacks column %s of the release", sub("=.*", "", name)), parameter = "newdata", call = NULL)
  }
  indicator(as.character(cells(column)), name, column, names)
}

# Names of columns may hold "=" themselves: the longest that fits.
worded_column <- function(name, columns) {
  fits <- columns[startsWith(name, paste0(columns, "="))]
  if (length(fits) > 0) fits[which.max(nchar(fits))]
}

# 1 where the word is the level; "*" is any word that is not listed. A missing word is missing.
indicator <- function(words, name, column, names) {
  level <- substring(name, nchar(column) + 2)
  if (level != "*") {
    return(as.numeric(words == level))
  }
  listed <- substring(names[startsWith(names, paste0(column, "="))], nchar(column) + 2)
  ifelse(is.na(words), NA_real_, as.numeric(!words %in% setdiff(listed, "*")))
}
