#' A budget that outlives the session
#'
#' One budget for all releases about a data set, kept in a file that other programs and sessions spend from too. Every
#' release that names it (`ledger =`, or `EIGENVEIL_LEDGER`) is charged, on the disk, before a row is read; nothing comes
#' back when a release fails. What does not fit is refused. The promise holds although every release may be chosen after
#' seeing the earlier ones.
#'
#' @param path The file; its key lies beside it, in `path` + ".key".
#' @param name Of the data set, in your words; public.
#' @param epsilon,delta,rho,mu The promise, which never changes: `epsilon` with `delta`, `epsilon` alone, `rho` or `mu`.
#' @param caps Instead of a promise: `list(mu =, epsilon =, delta =)`, the cap of each account, for experts.
#' @param basic_share With `epsilon` and `delta`: the part kept for releases without Gaussian noise (0.25).
#' @param draws What draws in doubles (`orbit`, `exponential`) may add to `delta` in all, beside the promise; as much as its
#'   `delta` where nothing is said.
#' @param neighbours,group_size,person What every release protects.
#' @param allow_unproved Take releases that are not proved for every data set; after one of them nothing is promised.
#' @param x A ledger.
#' @param view `"text"`, `"json"`, `"html"`, or `"registry"`.
#' @param ... Of `ledger_verify()`: directories of releases to check against the ledger.
#' @param copy Where a copy goes: it can be shown and verified, not spent from.
#' @return `ledger()` and `ledger_create()`: an object of class `eigenveil_ledger`. `ledger_entries()`: a data frame with a
#'   line per release: `entry`, `time`, `task`, `method`, `charged` (in words), `account`, `mu`, `epsilon`, `delta`,
#'   `data_set`, `key` and `release` (the checksum; `NA` where budget was spent and no release came of it).
#'   `ledger_verify()`: a data frame with a line per `problem`, none when all is well.
#' @examples
#' file <- tempfile(fileext = ".ledger")
#' survey <- ledger_create(file, "Survey 2026", epsilon = 3, delta = 1e-6)
#' x <- matrix(c(1, 2, 3, 4), 200, 4)
#' fit <- private_pca(x,
#'   epsilon = 1, delta = 1e-6, range = c(0, 10), ledger = survey, out = tempfile("release"), anyway = TRUE
#' )
#' ledger_entries(survey)
#' ledger_verify(survey)
#' survey
#' @export
ledger <- function(path) {
  if (is.null(path)) {
    refuse("a ledger has a path: ledger(\"survey.ledger\")", parameter = "path")
  }
  path <- normalizePath(path_or_null(path), mustWork = FALSE)
  value_of(.Call(ev_ledger_show, path, "json"))
  structure(list(path = path), class = "eigenveil_ledger")
}

#' @rdname ledger
#' @export
ledger_create <- function(path, name, epsilon = NULL, delta = NULL, rho = NULL, mu = NULL, caps = NULL, basic_share = NULL, draws = NULL,
                          neighbours = "add-remove", group_size = 1, person = NULL, allow_unproved = FALSE) {
  if (!is.null(caps) && !is.null(c(epsilon, delta, rho, mu))) {
    refuse("give a promise or caps, not both", parameter = "caps")
  }
  terms <- drop_null(c(
    list(
      name = name, caps = if (!is.null(caps)) as.list(caps), basic_share = basic_share, neighbours = neighbours, group_size = group_size,
      person = person, draws = draws, allow_unproved = flag(allow_unproved, "allow_unproved")
    ),
    lapply(list(epsilon = epsilon, delta = delta, rho = rho, mu = mu), bare)
  ))
  value_of(.Call(ev_ledger_create, file_path(path, "path"), terms))
  ledger(path)
}

#' @rdname ledger
#' @export
ledger_show <- function(x, view = "text") {
  one_of(view, c("text", "json", "html", "registry"), "view")
  value_of(.Call(ev_ledger_show, path_or_null(x), view))
}

#' @rdname ledger
#' @export
ledger_entries <- function(x) {
  entries <- value_of(.Call(ev_ledger_summary, path_or_null(x)))$entries
  words <- function(name) vapply(entries, function(entry) if (is.null(entry[[name]])) NA_character_ else paste(entry[[name]], collapse = " "), "")
  numbers <- function(name) vapply(entries, function(entry) if (is.null(entry[[name]])) NA_real_ else as.numeric(entry[[name]]), 0)
  structure(data.frame(
    entry = numbers("index"), time = words("time"), task = words("task"), method = words("method"),
    charged = vapply(entries, charge_in_words, ""), account = words("account"), mu = numbers("mu"), epsilon = numbers("epsilon"),
    delta = numbers("delta"), data_set = words("data_set"), key = words("key"), release = words("release")
  ), class = c("eigenveil_entries", "data.frame"))
}

charge_in_words <- function(entry) {
  if (identical(entry$account, "gaussian")) {
    return(sprintf("mu %.4g", entry$mu))
  }
  paste0(sprintf("epsilon %.4g", entry$epsilon), if (isTRUE(entry$delta > 0)) sprintf(", delta %.3g", entry$delta))
}

#' @export
print.eigenveil_entries <- function(x, ...) {
  if (nrow(x) == 0) {
    cat("no release was charged yet\n")
    return(invisible(x))
  }
  wanted <- intersect(c("entry", "time", "task", "method", "charged", "account", "key", "release"), names(x))
  shown <- as.data.frame(unclass(x)[wanted], stringsAsFactors = FALSE)
  if (!is.null(shown$release)) {
    shown$release <- ifelse(is.na(shown$release), "none (spent)", paste0(substr(shown$release, 1, 12), "..."))
  }
  if (!is.null(shown$key) && !any(nzchar(shown$key))) {
    shown$key <- NULL
  }
  print(shown, row.names = FALSE, right = FALSE)
  invisible(x)
}

#' @rdname ledger
#' @export
ledger_verify <- function(x, ...) {
  folders <- unlist(list(...))
  if (!is.null(folders) && (!is.character(folders) || anyNA(folders))) {
    refuse("directories of releases must be paths in quotes", parameter = "...")
  }
  problems <- value_of(.Call(ev_ledger_problems, path_or_null(x), path.expand(as.character(folders))))
  structure(data.frame(problem = in_r_all(problems)),
    class = c("eigenveil_problems", "data.frame"), entries = nrow(ledger_entries(x)), releases = length(folders)
  )
}

#' @export
print.eigenveil_problems <- function(x, ...) {
  entries <- attr(x, "entries")
  if (nrow(x) == 0 && !is.null(entries)) {
    releases <- attr(x, "releases")
    cat(sprintf("nothing is wrong: %d entries checked%s\n", entries, if (releases > 0) sprintf(", %d releases against them", releases) else ""))
  } else {
    cat(paste0("- ", x$problem, "\n"), sep = "")
  }
  invisible(x)
}

#' @rdname ledger
#' @export
ledger_backup <- function(x, copy) invisible(value_of(.Call(ev_ledger_backup, path_or_null(x), file_path(copy, "copy"))))

#' @export
print.eigenveil_ledger <- function(x, ...) {
  cat(in_r(ledger_show(x)))
  invisible(x)
}
