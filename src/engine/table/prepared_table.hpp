#pragma once

#include <memory>
#include <optional>

#include "data/one_hot.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil {

/// A spec fitted to the columns of a table: the schema and the bound of the rows that a statistic
/// sees, and the stages that turn rows as they are read into those. Made from public facts alone,
/// so every refusal comes before a row is read.
class PreparedTable {
 public:
  /// `read` is the schema of the reader that the stages will stand in front of. `model_radius` is
  /// the row norm where the spec has no bound of its own.
  static Result<PreparedTable> make(const TableSpec& spec, const Schema& read,
                                    std::optional<double> model_radius = {});

  const Schema& schema() const { return schema_; }
  const RowBound& bound() const { return bound_; }

  /// The stages in front of a reader with the schema this was made for. Called once per pass.
  Result<std::unique_ptr<RowReader>> rows(std::unique_ptr<RowReader> read) const;

 private:
  PreparedTable(TableSpec spec, Schema schema, RowBound bound)
      : spec_(std::move(spec)), schema_(std::move(schema)), bound_(std::move(bound)) {}

  TableSpec spec_;
  Schema schema_;
  RowBound bound_;
  std::vector<double> frequencies_ = {};
  std::vector<Categories> levels_ = {};
};

/// A reader that belongs to somebody else, for stages that want one of their own.
std::unique_ptr<RowReader> borrowed(RowReader& reader);

}  // namespace eigenveil
