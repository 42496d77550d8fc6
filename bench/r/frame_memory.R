# A data frame is read in place: how much memory a release takes beside it (VmHWM, the most the process ever had).
#   Rscript bench/r/frame_memory.R [ROWS] [COLUMNS]     with the package installed
arguments <- as.numeric(commandArgs(TRUE))
rows <- if (length(arguments) >= 1) arguments[1] else 1e6
columns <- if (length(arguments) >= 2) arguments[2] else 20
library(eigenveil)
peak <- function(field = "VmHWM") {
  line <- grep(field, readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}
# Half of the columns doubles, a quarter whole numbers, a quarter factors.
table <- lapply(seq_len(columns), function(j) {
  cells <- (seq_len(rows) * j) %% 11L
  switch(1 + j %% 4, as.numeric(cells), as.integer(cells), as.numeric(cells), factor(c("a", "b", "c")[1 + cells %% 3]))
})
names(table) <- paste0("c", seq_len(columns))
table <- structure(table, class = "data.frame", row.names = .set_row_names(rows))
words <- names(table)[vapply(table, is.factor, NA)]
levels <- setNames(rep(list(c("a", "b", "c")), length(words)), words)
bounds <- setNames(rep(list(c(0, 10)), columns - length(words)), setdiff(names(table), words))
invisible(private_pca(table[1:1000, ], k = 2, epsilon = 1, delta = 1e-6, bounds = bounds, one_hot = levels, anyway = TRUE))
size <- as.numeric(utils::object.size(table)) / 2^20
invisible(gc(full = TRUE))
writeLines("5", "/proc/self/clear_refs") # the peak from here on
before <- peak("VmRSS")
time <- system.time(private_pca(table, k = 2, epsilon = 1, delta = 1e-6, bounds = bounds, one_hot = levels))[["elapsed"]]
cat(sprintf(
  "data frame of %.0f x %d, %.0f MiB: a release took %.2f s and %.1f MiB beside it\n", rows, columns, size, time, peak() - before
))
