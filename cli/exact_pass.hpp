#pragma once

#include <functional>

#include "cli/options/bound_options.hpp"
#include "cli/options/input_options.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "engine/table/prepared_table.hpp"

namespace eigenveil::cli {

/// What the options say of a table; the public files among them are read.
Result<TableSpec> table_spec(const InputOptions& input, const BoundOptions& bounds);

/// The input up to its public facts: columns and bound. Rows have not been read yet, so a plan can
/// be made, and refused, before anything private is touched.
class ExactPass {
 public:
  /// A row norm that a method's model gives, once the columns are known.
  using ModelRadius = std::function<double(const Schema&)>;
  static Result<ExactPass> open(const InputOptions& input, const BoundOptions& bounds,
                                const ModelRadius& model = {});
  /// A table whose rows may have any length.
  static Result<ExactPass> unbounded(const InputOptions& input);
  /// What a plan may know; the rows as their statistic sees them.
  PublicFacts facts() const {
    return prepared_ ? prepared_->facts() : PublicFacts{schema_, bound_};
  }
  /// In terms of the columns of the table, with what stages did.
  ReleaseDocument finish(ReleaseDocument document) const {
    return prepared_ ? prepared_->finish(std::move(document)) : document;
  }
  const Schema& schema() const { return schema_; }
  const RowBound& bound() const { return bound_; }
  /// Totals of a .gram file are private like rows: they are read here, once a ledger was charged.
  Result<void> load_totals();
  /// Totals of a .gram file, or of one pass over the rows, to be had from `stored`.
  Result<void> sum(bool quiet);
  /// The statistic of a .gram file, or of rows, once it is there; else null.
  const ExactGram* stored() const { return stored_ ? &*stored_ : nullptr; }
  /// The rows or the stored statistic, as the engine takes them.
  TablePart part(bool quiet) {
    return {[this, quiet] { return rows(quiet); }, stored()};
  }
  /// One pass over the rows, or the stored statistic.
  Result<ExactGram> run(bool quiet);
  /// The rows from the start, as their methods see them; a second call opens the file again.
  Result<std::unique_ptr<RowReader>> rows(bool quiet);

 private:
  ExactPass(const InputOptions& input, TableSpec spec, Schema schema, RowBound bound)
      : input_(input),
        spec_(std::move(spec)),
        schema_(std::move(schema)),
        bound_(std::move(bound)) {}

  InputOptions input_;
  TableSpec spec_;
  Schema schema_;
  RowBound bound_;
  std::optional<PreparedTable> prepared_;  ///< absent for a .gram file or without a bound
  std::unique_ptr<RowReader> first_;       ///< opened for its schema, not read yet
  std::optional<ExactGram> stored_;
};

}  // namespace eigenveil::cli
