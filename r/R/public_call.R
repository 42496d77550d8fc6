# The call that a release keeps, without values: do.call() puts whole tables into a call, and saveRDS() would write the rows beside the release.
public_call <- function(call) {
  kept <- as.list(call)
  if (is.null(names(kept))) {
    return(as.call(lapply(kept, public_part)))
  }
  table <- names(kept) %in% c("x", "data")
  kept[table] <- lapply(kept[table], public_table)
  as.call(Map(public_part, kept, names(kept) == "formula"))
}

# The table is a name or a path: a selection that was typed, d[d$name == "...", ], says who is in it.
public_table <- function(part) if (is.symbol(part) || (is.character(part) && length(part) == 1)) part else quote(...)

# Names, and calls of names and single constants, are what was typed; anything longer is a value.
public_part <- function(part, data = FALSE) {
  if (is.symbol(part)) {
    return(part)
  }
  if (is.call(part)) {
    plain <- as.call(lapply(as.list(part), public_part))
    attributes(plain) <- attributes(plain)["names"]  # a formula carries the place it was written in
    return(plain)
  }
  short <- is.atomic(part) && is.null(dim(part)) && length(part) <= (if (data) 1 else 4)
  if (is.null(part) || (short && (!data || is.character(part)))) part else quote(...)
}
