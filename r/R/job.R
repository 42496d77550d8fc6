# A request of R as the one JSON text that the engine takes (docs/formats.md#jobs), and the engine's own words about its
# methods and options.

the <- new.env(parent = emptyenv())

catalogue <- function() {
  if (is.null(the$catalogue)) {
    the$catalogue <- value_of(.Call(ev_catalogue))
  }
  the$catalogue
}

task_info <- function(task) {
  found <- Filter(function(entry) entry$task == task, catalogue()$tasks)
  found[[1]]
}

# The specs of all options that methods of the task have, by name; methods share names, and then the meaning.
options_of <- function(task) {
  specs <- list()
  for (method in task_info(task)$methods) {
    for (option in method$options) {
      if (is.null(specs[[option$name]])) {
        option$methods <- character()
        specs[[option$name]] <- option
      }
      specs[[option$name]]$methods <- c(specs[[option$name]]$methods, method$name)
    }
  }
  specs
}

drop_null <- function(list) list[!vapply(list, is.null, NA)]

# Numbers without names and classes of their own; whether they are what they must be the engine says.
bare <- function(value) if (is.numeric(value)) as.numeric(value) else value

check_number <- function(value, name) {
  if (!is.numeric(value) || length(value) != 1 || !is.finite(value)) {
    refuse(paste(name, "must be one finite number"), parameter = name, call = NULL)
  }
}

# One word, name or path, or nothing.
text <- function(value, name, what = "one text in quotes") {
  if (!is.null(value) && !(is.character(value) && length(value) == 1 && !is.na(value) && nzchar(value))) {
    refuse(sprintf("%s must be %s", name, what), parameter = name, call = NULL)
  }
  value
}

file_path <- function(value, name) {
  value <- text(value, name, "a path in quotes")
  if (!is.null(value)) path.expand(value)
}

# The nearest of the words that may have been meant: the start of one, or few letters away from it.
nearest <- function(typed, words) {
  starts <- words[startsWith(words, typed)]
  if (nchar(typed) > 2 && length(starts) > 0) {
    return(starts[1])
  }
  distance <- utils::adist(typed, words)[1, ]
  if (length(distance) > 0 && min(distance) <= nchar(typed) / 3) words[which.min(distance)]
}

# What arguments of other functions are called here.
called_elsewhere <- c(
  scale. = "standardize", scale = "standardize", rank. = "k", n_components = "k", ncomp = "k", eps = "epsilon", na.action = "missing"
)

# A whole number, or a refusal: truncating 2.7 would protect less than was asked for.
whole <- function(value, name, least = 1, most = 2^31 - 1) {
  if (is.null(value)) {
    return(NULL)
  }
  if (!is.numeric(value) || length(value) != 1 || is.na(value) || value != floor(value) || value < least || value > most) {
    refuse(sprintf("%s must be a whole number from %.0f to %.0f", name, least, most), parameter = name, call = NULL)
  }
  as.numeric(value)
}

# Options of the methods as they were given in `...`, checked against the engine's specs for their name and shape; what
# they may hold the engine says. `arguments` are the names that the face has beside them.
method_options <- function(task, given, arguments = character()) {
  if (length(given) == 0) {
    return(list(options = NULL, files = NULL))
  }
  specs <- options_of(task)
  if (is.null(names(given)) || any(!nzchar(names(given)))) {
    refuse("arguments after the first must be named", call = NULL)
  }
  given <- drop_null(given)
  unknown <- setdiff(names(given), names(specs))
  if (length(unknown) > 0) {
    refuse_unknown(unknown[1], c(names(specs), arguments), task)
  }
  spectra <- vapply(names(given), function(name) specs[[name]]$kind == "spectrum", NA)
  given[spectra] <- lapply(given[spectra], function(values) I(bare(values)))
  private <- vapply(names(given), function(name) specs[[name]]$kind == "private file", NA)
  list(options = if (any(!private)) given[!private], files = if (any(private)) given[private])
}

refuse_unknown <- function(name, known, task) {
  meant <- if (name %in% names(called_elsewhere)) called_elsewhere[[name]] else nearest(name, known)
  refuse(sprintf(
    "there is no argument or option '%s'%s engine_options(\"%s\") lists the options of the methods", name,
    if (length(meant) > 0) sprintf("; did you mean %s?", meant) else ";", task
  ), parameter = name, call = NULL)
}

# How rows become bounded rows, from what is known without looking.
table_spec <- function(range = NULL, bounds = NULL, row_norm = NULL, center = NULL, columns = NULL, exclude = NULL,
                       one_hot = NULL, missing = NULL, bad_cell = NULL, grid = NULL, rank_transform = FALSE,
                       allele_frequencies = NULL, project = NULL, projected_norm = NULL, outside_norm = NULL, normalise_rows = FALSE,
                       person = NULL, rows_per_person = NULL, weights = NULL, weight_bound = NULL) {
  if (!is.null(range) && !is.null(bounds)) {
    refuse("give {range} or {bounds}, not both", parameter = "range", call = NULL)
  }
  pairwise <- NULL
  if (is.list(missing) && identical(names(missing), "pairwise")) {
    pairwise <- names_listed(missing$pairwise, "missing")
    missing <- "pairwise"
  }
  drop_null(list(
    columns = names_listed(columns, "columns"), exclude = names_listed(exclude, "exclude"), missing = missing, pairwise = pairwise,
    bad_cell = bad_cell, one_hot = levels_listed(one_hot), range = bare(range), bounds = bounds_listed(bounds), row_norm = bare(row_norm),
    grid = bare(grid), center = if (is.numeric(center)) values_listed(center, "center"),
    allele_frequencies = frequencies_listed(allele_frequencies), rank_transform = flag(rank_transform, "rank_transform"),
    project = basis(project), projected_norm = bare(projected_norm), outside_norm = bare(outside_norm),
    normalise_rows = flag(normalise_rows, "normalise_rows"), person = text(person, "person", "the name of one column"),
    rows_per_person = bare(rows_per_person), weights = text(weights, "weights", "the name of one column"), weight_bound = bare(weight_bound)
  ))
}

listed <- function(names) if (!is.null(names)) I(as.character(names))
# TRUE, or nothing; what is neither TRUE nor FALSE is no answer.
flag <- function(value, name) {
  if (!is.null(value) && !isTRUE(value) && !identical(value, FALSE)) {
    refuse(sprintf("%s must be TRUE or FALSE", name), parameter = name, call = NULL)
  }
  if (isTRUE(value)) TRUE
}

names_listed <- function(names, parameter) {
  if (!is.null(names) && (!is.character(names) || length(names) == 0 || anyNA(names))) {
    refuse(sprintf("%s must be names of columns: %s = c(\"age\", \"income\")", parameter, parameter), parameter = parameter, call = NULL)
  }
  listed(names)
}

one_of <- function(value, words, name) {
  if (!is.null(value) && !(is.character(value) && length(value) == 1 && value %in% words)) {
    refuse(sprintf("%s must be %s", name, paste(dQuote(words, FALSE), collapse = " or ")), parameter = name, call = NULL)
  }
  value
}

# A list of pairs by column, a matrix or data frame with columns low and high, or the path of a bounds file.
bounds_listed <- function(bounds) {
  if (is.null(bounds)) {
    return(NULL)
  }
  if (is.character(bounds) && length(bounds) == 1) {
    return(path.expand(bounds))
  }
  if (is.data.frame(bounds) || is.matrix(bounds)) {
    bounds <- bounds_of_rows(bounds)
  }
  if (!is.list(bounds) || !all_named(bounds)) {
    refuse_bounds()
  }
  lapply(bounds, bare)
}

refuse_bounds <- function() {
  refuse(paste(
    "bounds must be a list of pairs by column, list(age = c(0, 120)), a data frame with the columns column, low and high,",
    "a matrix with the columns low and high and a row named after each column, or the path of a CSV file column,low,high"
  ), parameter = "bounds", call = NULL)
}

all_named <- function(list) length(list) > 0 && !is.null(names(list)) && all(nzchar(names(list))) && !anyDuplicated(names(list))

# A matrix of two columns without names is low and high; its rows must be named.
bounds_of_rows <- function(bounds) {
  if (is.matrix(bounds) && is.null(colnames(bounds)) && ncol(bounds) == 2) {
    colnames(bounds) <- c("low", "high")
  }
  named <- is.data.frame(bounds) || !is.null(rownames(bounds))
  bounds <- as.data.frame(bounds)
  if (!named || !all(c("low", "high") %in% names(bounds))) {
    refuse_bounds()
  }
  names <- if ("column" %in% names(bounds)) as.character(bounds$column) else rownames(bounds)
  setNames(Map(c, bounds$low, bounds$high), names)
}

values_listed <- function(values, name) {
  if (is.null(names(values))) {
    refuse(sprintf("a public %s needs the names of its columns: c(age = 50, income = 40000)", name), parameter = name, call = NULL)
  }
  as.list(values)
}

frequencies_listed <- function(values) {
  if (is.null(values)) {
    return(NULL)
  }
  if (is.character(values) && length(values) == 1) {
    return(path.expand(values))
  }
  if (is.null(names(values))) {
    refuse("allele_frequencies needs the names of its columns", parameter = "allele_frequencies", call = NULL)
  }
  unname(Map(function(column, frequency) list(column = column, frequency = frequency), names(values), as.numeric(values)))
}

levels_listed <- function(one_hot) {
  if (is.null(one_hot)) {
    return(NULL)
  }
  check_levels(one_hot, "one_hot", 1)
  lapply(one_hot, function(levels) I(as.character(levels)))
}

# Public levels by column, each once.
check_levels <- function(lists, parameter, least) {
  if (!is.list(lists) || !all_named(lists)) {
    refuse(sprintf("%s must be a list of public levels by column: list(sex = c(\"f\", \"m\"))", parameter), parameter = parameter, call = NULL)
  }
  for (column in names(lists)) {
    levels <- lists[[column]]
    if (!is.atomic(levels) || length(levels) < least || anyNA(levels) || any(!nzchar(as.character(levels)))) {
      refuse(sprintf("the levels of column %s must be %d or more words or codes", column, least), parameter = parameter, call = NULL)
    }
    twice <- as.character(levels)[duplicated(as.character(levels))]
    if (length(twice) > 0) {
      refuse(sprintf("the level '%s' of column %s is listed twice", twice[1], column), parameter = parameter, call = NULL)
    }
    if ("*" %in% utils::head(levels, -1)) {
      refuse(sprintf("\"*\", which stands for any other word, must be the last level of column %s", column), parameter = parameter, call = NULL)
    }
  }
}

basis <- function(project) {
  if (is.null(project)) {
    return(NULL)
  }
  if (is.character(project) && length(project) == 1) {
    return(path.expand(project))
  }
  if (inherits(project, "prcomp")) {
    project <- project$rotation
  }
  if (!is.matrix(project) || !is.numeric(project)) {
    refuse("project must be a public matrix, columns of the table by directions, a prcomp object of public rows, or the path of a file of loadings",
      parameter = "project", call = NULL
    )
  }
  list(
    columns = I(as.character(rownames(project))), counted_alleles = I(character()), directions = ncol(project),
    values = I(as.numeric(project))
  )
}

# Rows as the engine reads them: a path, or vectors in place.
is_path <- function(x) is.character(x) && !is.matrix(x) && length(x) >= 1

# `used` names the columns that are read (NULL: all); others stay for their names alone, whatever they hold. `worded` names
# those that may hold words. A column of any other class is refused here, by its class, before anything is charged.
rows_in_memory <- function(x, used = NULL, worded = character(), bad_cell = "refuse") {
  if (inherits(x, "Matrix")) {
    refuse("a sparse matrix is not read in place; give as.matrix(x)", parameter = "x", call = NULL)
  }
  if (is.matrix(x)) {
    if (!typeof(x) %in% c("double", "integer", "logical")) {
      refuse("a matrix must hold numbers", parameter = "x", call = NULL)
    }
    return(x)
  }
  if (!is.data.frame(x)) {
    refuse("x must be a matrix, a data frame, or the path of a table", parameter = "x", call = NULL)
  }
  if (anyNA(names(x)) || any(!nzchar(names(x)))) {
    refuse("every column needs a name", parameter = "x", call = NULL)
  }
  rows <- nrow(x)
  x <- unclass(x)
  attributes(x) <- list(names = names(x))
  unread <- if (is.null(used)) rep(FALSE, length(x)) else !names(x) %in% used
  check_words(x[!unread], worded, bad_cell)
  x[!unread] <- Map(column_in_memory, x[!unread], names(x)[!unread])
  if (any(unread)) {
    x[unread] <- if (all(unread)) list(logical(rows)) else x[which(!unread)[1]] # no copy: a second name for a column
  }
  x
}

check_words <- function(columns, worded, bad_cell) {
  words <- vapply(columns, function(cells) is.factor(cells) || (is.character(cells) && bad_cell != "midpoint"), NA)
  stray <- setdiff(names(columns)[words], worded)
  if (length(stray) > 0) {
    refuse(sprintf(
      "column %s holds words (class %s): list its public levels, one_hot = list(%s = c(...)), or leave it out with exclude; nothing was spent",
      stray[1], class(columns[[stray[1]]])[1], stray[1]
    ), parameter = "columns", call = NULL)
  }
}

column_in_memory <- function(cells, name) {
  plain <- !is.object(cells) || is.factor(cells) || identical(class(cells), "AsIs")
  if (plain && typeof(cells) %in% c("double", "integer", "logical") && is.null(dim(cells))) {
    return(cells)
  }
  if (is.character(cells)) { # as places in the list of its words
    words <- unique(cells)
    words <- words[!is.na(words)]
    return(structure(match(cells, words), levels = words, class = "factor"))
  }
  refuse(sprintf(
    "column %s is of class %s; turn it into numbers whose range is public, or leave it out with exclude", name,
    class(cells)[1]
  ), parameter = "columns", call = NULL)
}

used_columns <- function(x, table) {
  if (!is.data.frame(x)) {
    return(NULL)
  }
  selected <- if (is.null(table$columns)) names(x) else table$columns
  c(setdiff(selected, table$exclude), table$person, table$weights)
}

# The person column as numbers: which number stands for whom says nothing, rows are only compared.
people_in_memory <- function(x, person) {
  if (!is.null(person) && is.list(x) && person %in% names(x)) {
    cells <- x[[person]]
    if (is.factor(cells)) {
      x[[person]] <- as.integer(cells)
    }
  }
  x
}

# One release: the job as JSON, rows in place.
run_job <- function(job, x, person = NULL, label = NULL) {
  if (is_path(x)) {
    job$input <- if (length(x) == 1) path.expand(x) else I(path.expand(x))
    rows <- NULL
  } else {
    table <- job$table
    bad_cell <- if (is.null(table$bad_cell)) "refuse" else table$bad_cell
    rows <- rows_in_memory(x, used_columns(x, table), c(names(table$one_hot), table$person, label), bad_cell)
    rows <- people_in_memory(rows, person)
  }
  outcome <- value_of(.Call(ev_release, job, rows), call = NULL)
  if (isTRUE(outcome$again)) {
    inform(sprintf("ledger_key \"%s\" stands for an earlier release, which this is: no row was read, and nothing was drawn or charged", job$ledger_key))
  }
  for (sentence in outcome$warnings) {
    warn(sentence)
  }
  outcome
}
