#pragma once

#include <functional>

#include "cli/options/bound_options.hpp"
#include "cli/options/input_options.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "statistics/bounded_table.hpp"

namespace eigenveil::cli {

/// The input up to its public facts: columns and bound. Rows have not been read yet, so a plan can
/// be made, and refused, before anything private is touched.
class ExactPass {
 public:
  /// Completes bounds once the columns are known: methods whose model gives a radius.
  using BoundCompletion = std::function<BoundOptions(const Schema&)>;
  static Result<ExactPass> open(const InputOptions& input, const BoundOptions& bounds,
                                const BoundCompletion& complete = {});
  const Schema& schema() const { return schema_; }
  const RowBound& bound() const { return bound_; }
  /// One pass over the rows, or the statistic of a .gram file as it was stored.
  Result<ExactGram> run(bool quiet);
  /// The same, keeping the rows where there are fewer of them than columns (public row counts
  /// only).
  Result<TableOrGram> run_table_or_gram(bool quiet);
  /// The reader itself, for methods that see rows once and in order; absent for a .gram file.
  std::unique_ptr<RowReader> take_reader(bool quiet);

 private:
  ExactPass(const InputOptions& input, Schema schema, RowBound bound)
      : input_(input), schema_(std::move(schema)), bound_(std::move(bound)) {}

  InputOptions input_;
  Schema schema_;
  RowBound bound_;
  std::unique_ptr<RowReader> reader_;
  std::optional<ExactGram> stored_;
  bool ranks_ = false;
};

}  // namespace eigenveil::cli
