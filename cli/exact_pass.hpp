#pragma once

#include "cli/options/bound_options.hpp"
#include "cli/options/input_options.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil::cli {

/// The input up to its public facts: columns and bound. Rows have not been read yet, so a plan can
/// be made, and refused, before anything private is touched.
class ExactPass {
 public:
  static Result<ExactPass> open(const InputOptions& input, const BoundOptions& bounds);
  const Schema& schema() const { return schema_; }
  const RowBound& bound() const { return bound_; }
  /// One pass over the rows, or the statistic of a .gram file as it was stored.
  Result<ExactGram> run(bool quiet);

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
