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
#' @param neighbours,group_size,person What every release protects.
#' @param allow_unproved Take releases that are not proved for every data set; after one of them nothing is promised.
#' @param x A ledger.
#' @param view `"text"`, `"json"`, `"html"`, or `"registry"`.
#' @param ... Of `ledger_verify()`: directories of releases to check against the ledger.
#' @param copy Where a copy goes: it can be shown and verified, not spent from.
#' @return `ledger()` and `ledger_create()`: an object of class `eigenveil_ledger`. `ledger_entries()`: a data frame with a
#'   line per release. `ledger_verify()`: what is wrong, empty when all is well.
#' @examples
#' file <- tempfile(fileext = ".ledger")
#' survey <- ledger_create(file, "Survey 2026", epsilon = 3, delta = 1e-6)
#' x <- matrix(c(1, 2, 3, 4), 200, 4)
#' fit <- private_pca(x,
#'   epsilon = 1, delta = 1e-6, range = c(0, 10), ledger = survey, out = tempfile("release"), anyway = TRUE
#' )
#' ledger_entries(survey)$method
#' survey
#' @export
ledger <- function(path) {
  path <- normalizePath(path.expand(path), mustWork = FALSE)
  value_of(.Call(ev_ledger_show, path, "json"))
  structure(list(path = path), class = "eigenveil_ledger")
}

#' @rdname ledger
#' @export
ledger_create <- function(path, name, epsilon = NULL, delta = NULL, rho = NULL, mu = NULL, caps = NULL, basic_share = NULL,
                          neighbours = "add-remove", group_size = 1, person = NULL, allow_unproved = FALSE) {
  if (!is.null(caps) && !is.null(c(epsilon, delta, rho, mu))) {
    refuse("give a promise or caps, not both", parameter = "caps")
  }
  terms <- drop_null(c(
    list(
      name = as.character(name), caps = if (!is.null(caps)) as.list(caps), basic_share = basic_share,
      neighbours = neighbours, group_size = whole(group_size, "group_size"), person = person, allow_unproved = flag(allow_unproved)
    ),
    if (is.null(caps)) budget_of(epsilon, delta, rho, mu)
  ))
  value_of(.Call(ev_ledger_create, path.expand(path), terms))
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
  column <- function(name) {
    vapply(entries, function(entry) if (is.null(entry[[name]])) NA_character_ else paste(entry[[name]], collapse = " "), "")
  }
  data.frame(task = column("task"), method = column("method"), account = column("account"), release = column("release"))
}

#' @rdname ledger
#' @export
ledger_verify <- function(x, ...) value_of(.Call(ev_ledger_problems, path_or_null(x), as.character(c(...))))

#' @rdname ledger
#' @export
ledger_backup <- function(x, copy) invisible(value_of(.Call(ev_ledger_backup, path_or_null(x), path.expand(copy))))

#' @export
print.eigenveil_ledger <- function(x, ...) {
  cat(in_r(ledger_show(x)))
  invisible(x)
}
