#pragma once

#include <memory>
#include <optional>

#include "data/counted_rows.hpp"
#include "data/one_hot.hpp"
#include "data/people.hpp"
#include "eigenveil/engine/request.hpp"
#include "eigenveil/report/document.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil {

/// What a release of rows that were limited by person states, and where a table is no more than
/// that; nothing where they were not.
void state_people(const PeopleLimit& people, ReleaseDocument& document);

/// Parameters of a release with one 0/1 column per level: the names of these columns, and the
/// column of the table that each of them was made from.
inline constexpr const char* kLevelColumns = "one_hot_columns";
inline constexpr const char* kLevelsOf = "one_hot_of";

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
  /// The columns that results speak of, and what bounds their cells before any stage.
  const Schema& columns() const { return columns_; }
  const RowBound& cells() const { return cells_; }

  const TableSpec& spec() const { return spec_; }
  /// Everything public that methods ask of a table before a row is read; `rows` is theirs to add.
  PublicFacts facts() const;
  /// A released document in terms of the table: loadings of directions become those of columns
  /// (B V), and what the stages did is stated. Post-processing.
  ReleaseDocument finish(ReleaseDocument document) const;
  /// What the basis and the people mean for a release, for plans and the terminal.
  std::vector<FactLine> remarks() const;

  /// The stages in front of a reader with the schema this was made for. Called once per pass, or
  /// for each reader of a table that comes in several, with the people `seen` in those before.
  Result<std::unique_ptr<RowReader>> rows(std::unique_ptr<RowReader> read,
                                          std::shared_ptr<SeenPeople> seen = nobody_seen()) const;

 private:
  PreparedTable(TableSpec spec, Schema columns, RowBound bound)
      : spec_(std::move(spec)),
        columns_(std::move(columns)),
        cells_(bound),
        schema_(columns_),
        bound_(std::move(bound)) {}
  Result<void> project();
  Result<void> measure_outside();
  Result<void> count_inside();
  void describe_columns(ReleaseDocument& document) const;
  void describe_levels(Fields& parameters) const;
  Result<std::vector<std::size_t>> indicated() const;
  bool has_people() const { return !spec_.person.empty(); }

  TableSpec spec_;
  Schema columns_;  ///< those that results speak of
  RowBound cells_;  ///< of their cells
  Schema schema_;   ///< after all stages
  RowBound bound_;
  std::size_t key_cells_ = 0;            ///< columns at the end that say whose a row is
  std::optional<OutsideTable> outside_;  ///< what the basis leaves out is a column
  std::optional<CountedTable> counted_;  ///< counts are entries
  CountedRows counted_rows_ = {};        ///< as its rows are made
  std::vector<double> frequencies_ = {};
  std::vector<Categories> levels_ = {};
};

/// Takes away the last columns of a reader, those that say whose a row is, and says how many.
Result<std::size_t> drop_person(Schema& read, const std::string& person);

/// What people mean for a request: their rows are the group, and where they are not added or
/// removed their count needs noise.
Result<void> settle_people(TableSpec& spec, Request& request);

/// A table nobody has read, prepared as one that is read would be: for plans.
Result<AssumedTable> assumed_table(const TableSpec& spec, Schema schema, std::int64_t rows);

/// A reader that belongs to somebody else, for stages that want one of their own.
std::unique_ptr<RowReader> borrowed(RowReader& reader);

}  // namespace eigenveil
