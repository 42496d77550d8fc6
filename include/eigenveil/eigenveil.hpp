#pragma once

#if __cplusplus < 202002L
#error "eigenveil needs C++20: compile with -std=c++20"
#endif

/// Differentially private spectral analysis: what a program that uses the library includes.
///
/// A release is three steps. `plan` (engine/release.hpp) turns a `Request` and what is public about
/// a table into a `Plan`, or says in one sentence what is wrong; no row has been seen. `release`
/// (engine/release.hpp) reads the rows and draws once. `write_release` (report/release_writer.hpp)
/// publishes the `ReleaseDocument`; `read_release` (report/read_release.hpp) reads it back and
/// checks it. Every failure is a `Result`, which must not be dropped, and `in_words`
/// (engine/error_words.hpp) says it in one sentence; nothing throws but what the standard library
/// throws when memory runs out.
///
/// Rows come as an Eigen matrix of either storage order (data/matrix_view.hpp), through a
/// `RowReader` (data/raw_rows.hpp), or as totals made before, also in shards on several machines
/// (`GramAccumulator`, `ExactGram`: statistics/exact_gram.hpp). `RowBound` (data/bounding.hpp) is
/// what is known about rows without looking. Randomness is `RandomStream::secure()`; whatever a
/// seeded stream draws is marked not private.
///
/// A document names its arrays and fields: `document.array("loadings")`,
/// `field<std::vector<double>>(document.result, "noisy_explained_variance")` (report/fields.hpp).
/// docs/formats.md lists them by task.
///
/// A published value carries its `Guarantee` (privacy/guarantee.hpp); `Release::map`
/// (privacy/release.hpp) post-processes it and keeps the guarantee. Losses convert and add up
/// (privacy/conversion.hpp, privacy/composition.hpp).
///
/// A face in another language asks for a release, from request to files, with one JSON text
/// (engine/table_release.hpp), hands over a data frame by its columns (data/column_table.hpp), and
/// asks for estimates with the noise in their intervals (engine/estimates.hpp); budgets that
/// outlive the process are in engine/ledgers.hpp.
///
/// A mechanism of one's own includes eigenveil/mechanism.hpp too. Worked examples: examples/.

#include "eigenveil/core/version.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/column_table.hpp"
#include "eigenveil/data/matrix_view.hpp"
#include "eigenveil/data/raw_rows.hpp"
#include "eigenveil/engine/error_words.hpp"
#include "eigenveil/engine/estimates.hpp"
#include "eigenveil/engine/ledgers.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/engine/table_release.hpp"
#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/privacy/release.hpp"
#include "eigenveil/random/stream.hpp"
#include "eigenveil/report/fields.hpp"
#include "eigenveil/report/read_release.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
