# The call that a release keeps, without values: do.call() puts whole tables into a call, and saveRDS() would write the rows beside the release.
public_call <- function(call) {
  kept <- as.list(call)
  data <- if (is.null(names(kept))) FALSE else names(kept) %in% c("x", "data", "formula")
  as.call(Map(public_part, kept, data))
}

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
