#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "eigenveil/data/column_table.hpp"
#include "eigenveil/engine/release.hpp"
#include "engine/table/prepared_table.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil {

/// The table of a job, or a block of it, opened as far as its columns: what is public about it, and
/// its rows as often as they are wanted.
class OpenedTable {
 public:
  /// `block` counts the inputs of the job; a job without inputs reads `memory`. A method's model
  /// may give the bound.
  static Result<OpenedTable> open(const ReleaseJob& job, const Method& method, std::size_t block,
                                  const ColumnTable* memory);

  PublicFacts facts() const;
  Result<std::unique_ptr<RowReader>> rows();
  /// Totals of a .gram file are private like rows: they are read here, once a ledger was charged.
  Result<void> load_totals();
  TablePart part();
  /// A released document in terms of the table.
  ReleaseDocument finish(ReleaseDocument document) const;

 private:
  OpenedTable(const ReleaseJob& job, std::size_t block, const ColumnTable* memory)
      : job_(&job), block_(block), memory_(memory) {}
  Result<std::unique_ptr<RowReader>> read() const;

  const ReleaseJob* job_;
  std::size_t block_;
  const ColumnTable* memory_;
  std::optional<PublicFacts> unbounded_;   ///< of tasks without a bound, and of a .gram file
  std::optional<PreparedTable> prepared_;  ///< of the others
  std::shared_ptr<ExactGram> stored_;      ///< a .gram file
  std::unique_ptr<RowReader> first_;       ///< opened for its columns, not read yet
};

/// How the rows of a block of a job are to be read.
Result<ReadOptions> reading_of(const ReleaseJob& job, std::size_t block);

}  // namespace eigenveil
