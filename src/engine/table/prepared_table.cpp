#include "engine/table/prepared_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/genotypes.hpp"
#include "data/people.hpp"
#include "data/rank_transform.hpp"

namespace eigenveil {
namespace {

/// What a public list says of each column that needs it, in the order of the columns. `parameter`
/// is how the list was given.
template <class Named>
Result<std::vector<const Named*>> in_order(const std::vector<Named>& list,
                                           const std::vector<std::string>& columns,
                                           const std::string& parameter) {
  std::map<std::string_view, const Named*> by_name;
  for (const Named& one : list) {
    if (!by_name.emplace(one.column, &one).second) {
      return bad_request(fmt::format("{{{}}} names column '{}' twice", parameter, one.column),
                         parameter);
    }
  }
  std::vector<const Named*> ordered;
  for (const std::string& column : columns) {
    const auto found = by_name.find(column);
    if (found == by_name.end()) {
      return bad_request(fmt::format("{{{}}} has no line for column '{}'; add one, or choose "
                                     "columns with {{columns}}",
                                     parameter, column),
                         parameter);
    }
    ordered.push_back(found->second);
  }
  return ordered;
}

/// The frequency of the allele that the table counts.
Result<double> counted_frequency(const AlleleFrequency& given, const Schema& schema,
                                 std::size_t column) {
  if (given.allele.empty()) {
    return given.frequency;
  }
  if (schema.counted_alleles.empty()) {
    return bad_request(
        "{allele_frequencies} gives frequencies of named alleles, but the table does not say which "
        "allele its columns count; give a CSV file column,value instead",
        "allele_frequencies");
  }
  const std::string& counted = schema.counted_alleles[column];
  if (std::isnan(given.frequency) || (given.allele != counted && given.other != counted)) {
    return bad_request(
        fmt::format("{{allele_frequencies}} has no frequency of allele {}, which the table counts "
                    "in column '{}'",
                    counted, given.column),
        "allele_frequencies");
  }
  return given.allele == counted ? given.frequency : 1.0 - given.frequency;
}

Result<std::vector<double>> frequencies_of(const std::vector<AlleleFrequency>& list,
                                           const Schema& schema) {
  const auto ordered = in_order(list, schema.columns, "allele_frequencies");
  if (!ordered) {
    return error_of(ordered);
  }
  std::vector<double> values;
  for (std::size_t j = 0; j < ordered->size(); ++j) {
    const Result<double> value = counted_frequency(*(*ordered)[j], schema, j);
    if (!value) {
      return error_of(value);
    }
    values.push_back(*value);
  }
  return values;
}

/// The bound of rows with these columns, of which some are indicators of levels.
class Bounding {
 public:
  Bounding(const TableSpec& spec, const Schema& schema, const Schema& read)
      : spec_(spec), columns_(schema.columns) {
    const std::set<std::string_view> known(read.columns.begin(), read.columns.end());
    for (const std::string& column : columns_) {
      if (known.contains(column)) {
        plain_.push_back(column);
      }
    }
  }

  Result<RowBound> bound() const;

 private:
  Result<std::vector<ColumnRange>> ranges() const;
  /// A public centre by column; a level that is not named has none. Empty: none was given.
  Result<std::vector<std::optional<double>>> center() const;

  const TableSpec& spec_;
  const std::vector<std::string>& columns_;
  std::vector<std::string> plain_;  ///< those that are no indicators, in order
};

Result<std::vector<ColumnRange>> Bounding::ranges() const {
  std::vector<const NamedRange*> named;
  if (spec_.bounds) {
    auto ordered = in_order(*spec_.bounds, plain_, "bounds");
    if (!ordered) {
      return error_of(ordered);
    }
    named = *std::move(ordered);
  }
  std::vector<ColumnRange> all;
  std::size_t next = 0;
  for (const std::string& column : columns_) {
    if (next < plain_.size() && column == plain_[next]) {
      all.push_back(spec_.range ? *spec_.range : named[next]->range);
      ++next;
    } else {
      all.push_back({0.0, 1.0});
    }
  }
  return all;
}

Result<std::vector<std::optional<double>>> Bounding::center() const {
  std::vector<std::optional<double>> values;
  if (!spec_.center) {
    return values;
  }
  if (const auto all = in_order(*spec_.center, plain_, "center"); !all) {
    return error_of(all);
  }
  std::map<std::string_view, double> by_name;
  for (const NamedValue& one : *spec_.center) {
    by_name.emplace(one.column, one.value);
  }
  for (const std::string& column : columns_) {
    const auto found = by_name.find(column);
    values.push_back(found == by_name.end() ? std::nullopt : std::optional(found->second));
  }
  return values;
}

Result<RowBound> Bounding::bound() const {
  const Result<std::vector<std::optional<double>>> middle = center();
  if (!middle) {
    return error_of(middle);
  }
  if (!spec_.range && !spec_.bounds) {
    std::vector<double> about;
    for (const std::optional<double>& value : *middle) {
      about.push_back(value.value_or(0.0));
    }
    return RowBound::row_norm(columns_.size(), *spec_.row_norm, spec_.grid, std::move(about));
  }
  Result<std::vector<ColumnRange>> all = ranges();
  if (!all) {
    return error_of(all);
  }
  // A public centre moves the midpoint: the range is widened to be symmetric about it.
  for (std::size_t j = 0; j < middle->size(); ++j) {
    if (const std::optional<double>& c = (*middle)[j]) {
      ColumnRange& column = (*all)[j];
      const double half = std::max(column.high - *c, *c - column.low);
      column = {*c - half, *c + half};
    }
  }
  return RowBound::ranges(*std::move(all), spec_.row_norm, spec_.grid, columns_);
}

/// Cells are already centred at twice the frequency, so ranges are symmetric about zero.
Result<RowBound> standardised_bound(const TableSpec& spec, const Schema& schema,
                                    const std::vector<double>& frequencies) {
  if (!spec.range) {
    return RowBound::row_norm(schema.dimension(), *spec.row_norm, spec.grid);
  }
  return standardised_ranges(schema.columns, frequencies).and_then([&](auto columns) {
    return RowBound::ranges(std::move(columns), spec.row_norm, spec.grid, schema.columns);
  });
}

Result<RowBound> bound_of(const TableSpec& spec, const Schema& schema, const Schema& read,
                          const std::vector<double>& frequencies) {
  if (spec.rank_transform) {
    return RowBound::ranges(std::vector<ColumnRange>(schema.dimension()), spec.row_norm, spec.grid);
  }
  if (spec.allele_frequencies) {
    return standardised_bound(spec, schema, frequencies);
  }
  return Bounding(spec, schema, read).bound();
}

Result<std::vector<Categories>> levels_of(const TableSpec& spec) {
  std::vector<Categories> all;
  for (const WordList& list : spec.one_hot) {
    Result<Categories> levels = categories_of(list.column, list.words);
    if (!levels) {
      return error_of(levels);
    }
    all.push_back(*std::move(levels));
  }
  return all;
}

class BorrowedReader final : public RowReader {
 public:
  explicit BorrowedReader(RowReader& reader) : reader_(reader) {}
  const Schema& schema() const override { return reader_.schema(); }
  Result<bool> next_chunk(RawChunk& chunk) override { return reader_.next_chunk(chunk); }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    return reader_.parse(chunk, block);
  }
  std::optional<double> progress() const override { return reader_.progress(); }

 private:
  RowReader& reader_;
};

}  // namespace

namespace {

/// The columns of a reader without those at the end that hold people and weights.
struct SplitColumns {
  Schema features;
  std::size_t key_cells = 0;
};

bool drop_last(Schema& schema, const std::vector<std::string>& names) {
  const bool there = schema.dimension() > names.size() &&
                     std::equal(names.begin(), names.end(),
                                schema.columns.end() - static_cast<std::ptrdiff_t>(names.size()));
  if (there) {
    schema.columns.resize(schema.dimension() - names.size());
  }
  return there;
}

Result<SplitColumns> split_columns(const TableSpec& spec, const Schema& read) {
  SplitColumns split{read};
  if (!spec.person.empty()) {
    if (drop_last(split.features, hashed_names(spec.person))) {
      split.key_cells = kHashedCells;
    } else if (drop_last(split.features, {spec.person})) {
      split.key_cells = 1;
    } else {
      return bad_request(fmt::format("the table has no column '{}' for {{person}}", spec.person),
                         "person");
    }
  }
  if (!spec.weights.empty() && !drop_last(split.features, {spec.weights})) {
    return bad_request(fmt::format("the table has no column '{}' for {{weights}}", spec.weights),
                       "weights");
  }
  return split;
}

/// Without a range or norm of their own the cells of a stage are about the public centre.
TableSpec with_cells(TableSpec spec) {
  if ((spec.project || spec.normalise_rows) && !spec.range && !spec.bounds && !spec.row_norm) {
    spec.row_norm = 1.0;  // stands for no clipping: stages look at midpoints and ranges alone
  }
  return spec;
}

}  // namespace

Result<PreparedTable> PreparedTable::make(const TableSpec& given, const Schema& read,
                                          std::optional<double> model_radius) {
  TableSpec spec = given;
  if (!spec.bounded()) {
    spec.row_norm = model_radius;
  }
  if (const Result<void> sound = spec.check(); !sound) {
    return error_of(sound);
  }
  const Result<SplitColumns> split = split_columns(spec, read);
  if (!split) {
    return error_of(split);
  }
  const Schema& features = split->features;
  Result<std::vector<double>> frequencies = spec.allele_frequencies
                                                ? frequencies_of(*spec.allele_frequencies, features)
                                                : std::vector<double>();
  if (!frequencies) {
    return error_of(frequencies);
  }
  Result<std::vector<Categories>> levels = levels_of(spec);
  if (!levels) {
    return error_of(levels);
  }
  Schema schema = features;
  if (!levels->empty()) {
    const Result<Schema> expanded = one_hot_schema(features, *levels);
    if (!expanded) {
      return error_of(expanded);
    }
    schema = *expanded;
  }
  schema.allele_frequencies = *frequencies;
  Result<RowBound> bound = bound_of(with_cells(spec), schema, features, *frequencies);
  if (!bound) {
    return error_of(bound);
  }
  PreparedTable table(std::move(spec), std::move(schema), *std::move(bound));
  table.key_cells_ = split->key_cells;
  table.frequencies_ = *std::move(frequencies);
  table.levels_ = *std::move(levels);
  if (const Result<void> done = table.project(); !done) {
    return error_of(done);
  }
  if (const Result<void> done = table.count_inside(); !done) {
    return error_of(done);
  }
  return table;
}

Result<void> PreparedTable::project() {
  if (spec_.normalise_rows) {
    return RowBound::row_norm(columns_.dimension(), 1.0, spec_.grid).map([&](RowBound unit) {
      bound_ = std::move(unit);
      schema_.allele_frequencies.clear();
    });
  }
  if (!spec_.project) {
    return {};
  }
  Result<PublicBasis> basis = orthonormal(*std::move(spec_.project));
  if (!basis) {
    return error_of(basis);
  }
  spec_.project = *std::move(basis);
  const PublicBasis& used = *spec_.project;
  if (static_cast<std::size_t>(used.directions.rows()) != columns_.dimension() ||
      (!used.columns.empty() && used.columns != columns_.columns)) {
    return bad_request(
        "the columns are not those of {project}, in its order; leave out {columns} and "
        "{exclude}, or make a basis for these columns",
        "project");
  }
  if (!used.counted_alleles.empty() && used.counted_alleles != columns_.counted_alleles) {
    return bad_request("{project} counts other alleles than the table does", "project");
  }
  schema_ = Schema{direction_names(used.dimension())};
  schema_.fills_gaps = columns_.fills_gaps;
  return RowBound::row_norm(used.dimension(), *spec_.projected_norm, spec_.grid)
      .map([&](RowBound inside) { bound_ = std::move(inside); });
}

Result<void> PreparedTable::count_inside() {
  if (!spec_.counts_inside()) {
    return {};
  }
  // As the count of gauss does: a quarter more noise, and a mean that is good enough.
  const double radius = bound_.radius();
  const double constant = 0.5 * radius;
  CountedTable counted{schema_, bound_, constant, spec_.weights.empty() ? 1.0 : spec_.weight_bound};
  return RowBound::row_norm(bound_.dimension() + 1,
                            std::nextafter(std::hypot(radius, constant), 1e300), spec_.grid)
      .map([&](RowBound longer) {
        schema_ = Schema{{"count"}};
        schema_.fills_gaps = counted.schema.fills_gaps;
        schema_.columns.insert(schema_.columns.end(), counted.schema.columns.begin(),
                               counted.schema.columns.end());
        bound_ = std::move(longer);
        counted_ = std::move(counted);
      });
}

PublicFacts PreparedTable::facts() const {
  PublicFacts facts{schema_, bound_};
  facts.counted = counted_;
  facts.rows_per_person = static_cast<int>(spec_.rows_per_person);
  if (spec_.project || has_people() || counted_ || spec_.normalise_rows) {
    facts.preparation = table_json(spec_);
  }
  return facts;
}

Result<std::unique_ptr<RowReader>> PreparedTable::rows(std::unique_ptr<RowReader> read) const {
  Result<std::unique_ptr<RowReader>> reader = std::move(read);
  if (has_people()) {
    reader = limit_rows_per_person(std::move(*reader), key_cells_, spec_.rows_per_person);
  }
  if (!frequencies_.empty()) {
    reader = standardise_genotypes(std::move(*reader), frequencies_);
  }
  if (reader && !levels_.empty()) {
    reader = one_hot(std::move(*reader), levels_);
  }
  if (!reader) {
    return reader;
  }
  if (spec_.rank_transform) {
    reader = ranked(std::move(*reader));
  }
  if (spec_.project) {
    reader = project_rows(std::move(*reader), cells_, spec_.scaled, *spec_.project);
  }
  if (spec_.normalise_rows) {
    reader = normalise_rows(std::move(*reader), cells_, spec_.scaled);
  }
  if (counted_) {
    reader =
        count_rows_inside(std::move(*reader), counted_->bound,
                          {counted_->constant, counted_->weight_bound, !spec_.weights.empty()});
  }
  return reader;
}

std::vector<FactLine> PreparedTable::remarks() const {
  std::vector<FactLine> lines;
  if (spec_.project) {
    lines.push_back({"basis", fmt::format("{} public directions of {} columns: nothing outside of "
                                          "their span can show, and shares are of the variance "
                                          "inside",
                                          spec_.project->dimension(), columns_.dimension())});
  }
  if (spec_.normalise_rows) {
    lines.push_back({"rows",
                     "every row is scaled to norm 1 about the public centre: variances are "
                     "of normalised rows, directions are those of the data where it is "
                     "elliptical"});
  }
  if (has_people()) {
    lines.push_back({"people", fmt::format("the first {} row{} of every person in column {} count, "
                                           "and are protected together; rows without one are "
                                           "dropped",
                                           spec_.rows_per_person,
                                           spec_.rows_per_person == 1 ? "" : "s", spec_.person)});
  }
  if (!spec_.weights.empty()) {
    lines.push_back(
        {"weights", fmt::format("column {}, clipped to 0..{:g}; the row count is the sum "
                                "of weights. Weights that were computed from other "
                                "rows of the table (raking) are not covered",
                                spec_.weights, spec_.weight_bound)});
  }
  return lines;
}

namespace {

void set_field(Fields& fields, const std::string& name, FieldValue value) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const auto& one) { return one.first == name; });
  if (found == fields.end()) {
    fields.emplace_back(name, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

/// Rows of a table are directions: in terms of the columns of the data.
void to_columns(ReleasedTable& table, const PublicBasis& basis, const Schema& columns,
                const std::vector<std::string>& directions) {
  if (table.row_names != directions) {
    return;
  }
  if (table.column_names == directions) {
    table.description += " (in coordinates of the public basis)";
    return;
  }
  table.values = basis.directions * table.values;
  table.row_names = columns.columns;
  table.counted_alleles = columns.counted_alleles;
}

}  // namespace

ReleaseDocument PreparedTable::finish(ReleaseDocument document) const {
  Fields& parameters = document.parameters;
  if (spec_.project) {
    const std::vector<std::string> directions = direction_names(spec_.project->dimension());
    for (ReleasedTable& table : document.tables) {
      to_columns(table, *spec_.project, columns_, directions);
    }
    set_field(parameters, "projected_on",
              fmt::format("a public basis of {} directions of {} columns",
                          spec_.project->dimension(), columns_.dimension()));
    set_field(parameters, "basis_sha256", hex(spec_.project->digest()));
    set_field(parameters, "projected_norm", *spec_.projected_norm);
    if (document.task == "pca") {
      set_field(parameters, "columns", columns_.columns);
      if (!columns_.counted_alleles.empty()) {
        set_field(parameters, "counted_alleles", columns_.counted_alleles);
      }
    }
    if (!columns_.allele_frequencies.empty()) {
      set_field(parameters, "allele_frequencies", columns_.allele_frequencies);
      set_field(parameters, "units", std::string("standardised by public frequencies"));
      set_field(parameters, "center", std::string("public allele frequencies"));
    }
  }
  if (spec_.normalise_rows) {
    set_field(parameters, "units", std::string("rows of norm 1 about the public centre"));
  }
  if (has_people()) {
    document.guarantee.person = spec_.person;
    set_field(parameters, "person", spec_.person);
    set_field(parameters, "rows_per_person", std::int64_t{spec_.rows_per_person});
  }
  if (!spec_.weights.empty()) {
    set_field(parameters, "weights", spec_.weights);
    set_field(parameters, "weight_bound", spec_.weight_bound);
  }
  const std::vector<FactLine> lines = remarks();
  document.remarks.insert(document.remarks.end(), lines.begin(), lines.end());
  return document;
}

std::unique_ptr<RowReader> borrowed(RowReader& reader) {
  return std::make_unique<BorrowedReader>(reader);
}

}  // namespace eigenveil
