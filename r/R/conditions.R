# Refusals of the library as R conditions, with parameters spelt as R users write them.

#' Conditions of the package
#'
#' Whatever the engine refuses is an error of class `eigenveil_error`: `eigenveil_bad_request` where the request or its
#' input is wrong, `eigenveil_input_output` where a file could not be read or written. The condition has the fields
#' `code` and `parameter` (the argument that is wrong, where it is one). No message contains a value of a row.
#'
#' A release that is NULL, a legal outcome of some methods, is refused by functions that need its result with an error of
#' class `eigenveil_null_release`. Warnings are of class `eigenveil_privacy_warning` (something that is easy to do and
#' weakens or spends a guarantee) or `eigenveil_result_warning` (a release that may not be what was meant). An
#' interrupt stops a draw; nothing of it is kept, and a budget that a ledger has reserved stays spent.
#'
#' @name eigenveil-conditions
#' @examples
#' tryCatch(
#'   private_pca(matrix(0, 4, 2), epsilon = 1, range = c(0, -1)),
#'   eigenveil_error = function(e) conditionMessage(e)
#' )
NULL

renamed <- c(components = "k")

# What the engine says to people at a terminal, as R has it.
terminal_words <- c(
  "(per column; eigenveil bounds template INPUT writes one to fill in)" = "(per column: list(age = c(0, 120)))",
  " (names with commas: columns @FILE, one per line)" = "",
  "eigenveil ledger create makes one" = "ledger_create() makes one",
  "as eigenveil pca writes it" = "as write_release() writes it",
  "must be true or false" = "must be TRUE or FALSE",
  "given on the command line" = "that were given",
  "analyse, which corrects for the noise" = "private_lm(), which corrects for the noise"
)

in_r <- function(message) {
  message <- spelt_parameters(gsub("} {", "}, {", message, fixed = TRUE))
  for (words in names(terminal_words)) {
    message <- gsub(words, terminal_words[[words]], message, fixed = TRUE)
  }
  message
}

in_r_all <- function(texts) vapply(texts, in_r, "", USE.NAMES = FALSE)

# "{row_norm}" is row_norm, "{method laplace}" is method = "laplace", "{range 0:10}" is range = c(0, 10).
spelt_parameters <- function(message) {
  pattern <- "\\{([a-z][a-z0-9_]*)( [A-Za-z0-9_.:-]+)?\\}"
  repeat {
    found <- regexec(pattern, message, perl = TRUE)
    if (found[[1]][1] < 0) {
      return(message)
    }
    parts <- regmatches(message, found)[[1]]
    regmatches(message, regexpr(pattern, message, perl = TRUE)) <- spelt(parts[2], trimws(parts[3]))
  }
}

spelt <- function(name, value) {
  name <- if (name %in% names(renamed)) renamed[[name]] else name
  if (!nzchar(value)) {
    return(name)
  }
  if (value == "FILE") { # in R the content, not its place
    return(name)
  }
  ends <- strsplit(value, ":", fixed = TRUE)[[1]]
  value <- if (length(ends) == 2) {
    sprintf("c(%s, %s)", ends[1], ends[2])
  } else if (grepl("^([A-Z]+|-?[0-9.]+(e[-+]?[0-9]+)?)$", value)) {
    value
  } else {
    dQuote(value, FALSE)
  }
  paste(name, "=", value)
}

refuse <- function(message, code = "bad-request", parameter = "", class = NULL, call = sys.call(-1)) {
  stop(structure(
    class = c(class, paste0("eigenveil_", gsub("-", "_", code)), "eigenveil_error", "error", "condition"),
    list(message = in_r(message), call = call, code = code, parameter = parameter)
  ))
}

warn <- function(message, class = "eigenveil_result_warning") {
  warning(structure(
    class = c(class, "eigenveil_warning", "warning", "condition"),
    list(message = in_r(message), call = NULL)
  ))
}

inform <- function(message) {
  message(structure(class = c("eigenveil_message", "message", "condition"), list(message = paste0(message, "\n"), call = NULL)))
}

# The value of a call into the library, or the condition that it became there.
value_of <- function(result, call = sys.call(-1)) {
  if (!inherits(result, "eigenveil_refusal")) {
    return(result)
  }
  if (result$code == "interrupted") {
    # As R itself ends an interrupt that nobody handles.
    signalCondition(structure(class = c("interrupt", "condition"), list(message = "interrupted", call = NULL)))
    invokeRestart("abort")
  }
  refuse(result$message, result$code, result$parameter, call = call)
}
