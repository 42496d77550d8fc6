# R is a face of the engine: every method and option is reached by its name, is documented, and gives the program's results.

tasks <- c("pca", "covariance", "lowrank", "mask", "subspace")
faces <- list(
  pca = private_pca, covariance = private_cov, lowrank = private_lowrank, mask = masked_data, subspace = private_subspace
)
pages <- c(pca = "private_pca", covariance = "private_cov", lowrank = "private_lowrank", mask = "masked_data", subspace = "private_subspace")

test_that("every task has a face", {
  expect_setequal(vapply(eigenveil:::catalogue()$tasks, function(task) task$task, ""), tasks)
})

test_that("every option has a face: it is on the page of its task, and the engine takes it by name", {
  help <- tools::Rd_db("eigenveil")
  for (task in tasks) {
    shown <- utils::capture.output(tools::Rd2txt(help[[paste0(pages[[task]], ".Rd")]], options = list(underline_titles = FALSE)))
    page <- gsub("_\b", "", paste(shown, collapse = "\n"), fixed = TRUE) # as help() shows it
    options <- engine_options(task)
    expect_gt(nrow(options), 0)
    # A name that is an argument of the face too would never reach the method.
    expect_identical(intersect(options$option, names(formals(faces[[task]]))), character())
    for (i in seq_len(nrow(options))) {
      expect_true(grepl(options$option[i], page, fixed = TRUE), info = paste(task, options$option[i]))
      value <- switch(options$kind[i],
        flag = TRUE, `whole number` = 3, number = 0.5, share = 0.5, spectrum = c(2, 1), `private file` = "private.json",
        word = trimws(strsplit(eigenveil:::options_of(task)[[options$option[i]]]$words[1], ",")[[1]][1])
      )
      own <- eigenveil:::method_options(task, stats::setNames(list(value), options$option[i]))
      expect_identical(c(names(own$options), names(own$files)), options$option[i])
    }
    for (method in engine_methods(task)$method) {
      expect_true(grepl(method, page, fixed = TRUE), info = paste(task, method))
    }
  }
  expect_error(private_pca(people(), epsilon = 1, range = c(0, 10), no_such = 1), "no argument or option", class = "eigenveil_error")
})

test_that("every argument of the program's release command is an argument of the face", {
  flags <- function(task) {
    said <- system2(program(), c(task, "--help-all"), stdout = TRUE, stderr = TRUE)
    found <- regmatches(said, regexpr("^ +(-k,)?--[a-z0-9-]+", said))
    gsub("-", "_", sub("^ +(-k,)?--", "", found))
  }
  spelt <- c(components = "k", format = "arrays")
  # Of a terminal; several paths are blocks; --published is calibration = "published"; --same-data asks a person. A new flag of the program joins the face, or this list with its reason.
  left_out <- c("help", "json", "quiet", "blocks", "help_all", "published", "same_data")
  for (task in c("pca", "covariance", "lowrank", "mask", "subspace")) {
    wanted <- setdiff(flags(task), c(left_out, engine_options(task)$option))
    wanted <- ifelse(wanted %in% names(spelt), spelt[wanted], wanted)
    expect_gt(length(wanted), 15)
    expect_identical(setdiff(wanted, names(formals(faces[[task]]))), character(), info = task)
  }
})

as_flags <- function(arguments) {
  words <- character()
  for (name in names(arguments)) {
    value <- arguments[[name]]
    if (isFALSE(value)) next
    flag <- paste0("--", gsub("_", "-", if (name == "k") "components" else name))
    if (name == "target_spectrum") {
      file <- tempfile()
      writeLines(format(value), file)
      value <- file
    } else if (length(value) == 2) {
      value <- paste(value, collapse = ":")
    }
    words <- c(words, flag, if (!isTRUE(value)) as.character(value))
  }
  words
}

pure <- list(epsilon = 5, row_norm = 10)
pair <- list(epsilon = 5, delta = 1e-3, row_norm = 10)
model <- list(epsilon = 5, delta = 1e-3, neighbours = "independent-copy", sigma2 = 1, lambda = 30, row_count = 600)
cases <- list(
  list("pca", "gauss", c(k = 2, pair)),
  list("pca", "gauss", list(k = 3, mu = 1, range = c(-20, 25), center = "none", standardize = TRUE, neighbours = "replace-one", group_size = 3)),
  list("pca", "laplace", c(k = 2, pure)), list("pca", "wishart", c(k = 2, pure)), list("pca", "exponential", pure),
  list("pca", "orbit", c(k = 2, variance_share = 0.3, pure)), list("pca", "sharp", pair),
  list("pca", "sharp", list(mu = 0.01, row_norm = 10)), list("pca", "spiked", c(k = 2, model)),
  list("pca", "spiked-robust", list(k = 2, epsilon = 0.01, delta = 1e-9, row_norm = 10)),
  list("pca", "oja", c(batch = 100, neighbours = "replace-one", pair)),
  list("covariance", "gauss", c(center = "none", pair)), list("covariance", "laplace", c(center = "none", pure)),
  list("covariance", "wishart", list(center = "none", neighbours = "replace-one", epsilon = 5, row_norm = 10)),
  list("covariance", "spiked", c(rank = 2, model)), list("lowrank", "gauss", c(k = 2, missing = "refuse", pair)),
  list("lowrank", "orbit", c(k = 2, eigenvalue_share = 0.5, calibration = "published", pure)),
  list("lowrank", "orbit", c(list(target_spectrum = c(2, 1)), pure)),
  list("mask", "gauss", list(epsilon = 1, delta = 1e-6, range = c(0, 10), intercept = TRUE)),
  list("mask", "mask", list(epsilon = 1, delta = 1e-6, range = c(0, 10), intercept = FALSE, factor_only = TRUE)),
  list("subspace", "", list(k = 1, epsilon = 1, delta = 1e-6, exact = TRUE))
)

test_that("seeded releases of every method are the program's", {
  x <- people(600)
  path <- write_people(x)
  used <- character()
  for (case in cases) {
    task <- case[[1]]
    method <- if (nzchar(case[[2]])) case[[2]]
    arguments <- c(case[[3]], if (!is.null(method)) list(method = method), seed = 11)
    theirs <- quietly(program_release(task, path, as_flags(arguments)))
    ours <- quietly(do.call(faces[[task]], c(list(x), arguments)))
    used <- c(used, paste(task, ours$method))
    expect_identical(names(ours$tables), names(theirs$tables))
    expect_identical(ours$null_reason, theirs$null_reason)
    expect_identical(ours$release$document$request, theirs$release$document$request)
    for (name in names(ours$tables)) {
      if (name == "covariance_raw" && case[[2]] %in% c("gauss", "laplace", "wishart")) {
        expect_identical(ours$tables[[name]], theirs$tables[[name]]) # noised on the grid: every bit
      } else {
        expect_same_up_to_rounding(ours$tables[[name]], theirs$tables[[name]])
      }
    }
    for (name in names(ours$result)) {
      expect_same_up_to_rounding(ours$result[[name]], theirs$result[[name]])
    }
  }
  expect_gte(length(unique(used)), 18)
})

test_that("plans are the program's", {
  said <- system2(program(), c("plan", "pca", "--rows", 5000, "--dimension", 8, "-k", 2, "--range", "0:10", "--epsilon", 1, "--delta", 1e-6),
    stdout = TRUE
  )
  plan <- plan_pca(rows = 5000, dimension = 8, k = 2, range = c(0, 10), epsilon = 1, delta = 1e-6)
  words <- function(text) Filter(nzchar, unlist(strsplit(gsub("--|= \"|\"", "", text), "[ \n]+"))) # the program's spelling, or ours
  expect_identical(words(said), words(c(plan$title, t(as.matrix(plan$lines)))))
  expect_output(print(plan), "no data was read|rows")
  compared <- plan_pca(rows = 50000, dimension = 4, k = 1, epsilon = 1, delta = 1e-6, row_norm = 1, compare = TRUE, spectrum = c(.3, .1, .05, .05))
  expect_true(compared$recommended %in% compared$methods$method)
  expect_output(print(compared), "without privacy")
  expect_error(plan_pca(rows = 100, k = 1, epsilon = 1, range = c(0, 1)), "dimension", class = "eigenveil_error")
  twelve <- plan_pca(rows = 5000, columns = 12, k = 2, range = c(0, 10), epsilon = 1, delta = 1e-6)
  expect_identical(twelve, plan_pca(rows = 5000, dimension = 12, k = 2, range = c(0, 10), epsilon = 1, delta = 1e-6))
  expect_match(twelve$title, "12 columns")
  expect_s3_class(guarantee(twelve), "eigenveil_guarantee")
  expect_lte(epsilon_at(twelve, 1e-6), 1)
  assumed <- plan_pca(rows = 5000, dimension = 6, k = 2, epsilon = 1, delta = 1e-6, range = c(0, 10), compare = TRUE)
  expect_length(assumed$scenarios, 3)
  for (scenario in assumed$scenarios) expect_true(scenario$recommended %in% scenario$methods$method)
  expect_output(print(assumed), "power law")
  expect_false(any(grepl("NA|--", capture.output(print(assumed)))))
})
