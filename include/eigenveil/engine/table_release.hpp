#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/data/column_table.hpp"
#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// What a release of a table came to.
struct TableOutcome {
  ReleaseDocument document;
  std::vector<std::string> warnings = {};         ///< sentences from public facts; name parameters
  std::vector<std::filesystem::path> files = {};  ///< where it was written, if anywhere
  std::string charged = {};                       ///< what a ledger took, in words
  bool again = false;  ///< the job has a key that was used: the same bits, nothing charged or read
  std::int64_t entry = -1;    ///< of the ledger, where it was found again
  std::string settled = {};   ///< SHA-256 of the document as a ledger has it
  std::string checksum = {};  ///< that it bears then
  std::string bounds = {};    ///< what bounds the rows, in words; empty where nothing does
};

/// A release from request to files, as a face in another language asks for it: public facts, plan,
/// reservation, rows, draw, files, in this order, so that every refusal that can come from the
/// request comes before a row is read. `job` is a JSON object (docs/formats.md#jobs): the request,
/// how rows become bounded rows, the input and where results go. `memory` is the table of a job
/// that names no file.
[[nodiscard]] Result<TableOutcome> release_table(std::string_view job,
                                                 const ColumnTable* memory = nullptr);

/// The plan of such a job for a table nobody has read: a JSON object with `method`, `title`,
/// `lines` (label, text), `facts`, `warning` and `guarantee` (report/guarantee_text.hpp, or null);
/// with `compare` in the job, every method on its assumed spectrum, and `in_words`.
[[nodiscard]] Result<std::string> plan_table(std::string_view job);

/// What a face shows of the engine, as JSON: tasks with their methods, each with its sentence,
/// budgets and option specs.
std::string engine_catalogue();

}  // namespace eigenveil
