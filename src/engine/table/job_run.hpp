#pragma once

#include <functional>

#include "eigenveil/engine/table_release.hpp"
#include "engine/table/release_session.hpp"

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

/// The release of a job that names its input (release_session.hpp). `memory` is the table of one
/// that names no file.
Result<TableOutcome> run_job(ReleaseJob job, const ColumnTable* memory = nullptr,
                             JobHooks hooks = {});

}  // namespace eigenveil
