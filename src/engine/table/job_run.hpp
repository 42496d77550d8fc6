#pragma once

#include <functional>

#include "eigenveil/engine/table_release.hpp"
#include "engine/table/publication.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil {

/// What a face at a terminal adds to a run; any of them may be empty.
struct JobHooks {
  /// Around the rows of an input, for a bar that moves while they are read.
  std::function<std::unique_ptr<RowReader>(std::unique_ptr<RowReader>, const std::string& input)>
      reading = {};
  /// Around the draw, which public sizes predict to take so many seconds.
  std::function<Result<ReleaseDocument>(double seconds,
                                        const std::function<Result<ReleaseDocument>()>& draw)>
      drawing = {};
  /// The rows are not those of the last release under this name: asks whether it is the same data
  /// set. Empty: there is nobody to ask.
  AskSameData same_data = {};
};

/// A release from request to files, the one way there is: public facts, plan, reservation, rows,
/// draw, files, in this order, so that every refusal that can come from the request comes before a
/// row is read. `memory` is the table of a job that names no file.
Result<TableOutcome> run_job(ReleaseJob job, const ColumnTable* memory = nullptr,
                             JobHooks hooks = {});

}  // namespace eigenveil
