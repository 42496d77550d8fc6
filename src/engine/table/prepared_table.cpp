#include "engine/table/prepared_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/bytes.hpp"
#include "core/parameter_names.hpp"
#include "data/genotypes.hpp"
#include "data/people.hpp"
#include "data/rank_transform.hpp"
#include "engine/table/table_bound.hpp"

namespace eigenveil {
namespace {

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
    const Result<std::size_t> dropped = drop_person(split.features, spec.person);
    if (!dropped) {
      return error_of(dropped);
    }
    split.key_cells = *dropped;
  }
  if (!spec.weights.empty() && !drop_last(split.features, {spec.weights})) {
    return bad_request(
        fmt::format("the table has no column '{}' for {{weights}}", shown(spec.weights)),
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

/// What coordinates in a basis were measured from, in which units: sums of others are no sums.
std::string mark_of_cells(const RowBound& cells, bool scaled, const std::vector<double>& rates) {
  ByteWriter bytes;
  bytes.text("eigenveil cells of a public basis 1");
  bytes.integer(std::uint64_t{scaled});
  for (std::size_t j = 0; j < cells.dimension(); ++j) {
    bytes.real(cells.midpoint(j));
    bytes.real(cells.has_ranges() ? cells.half_width(j) : 0.0);  // 0: not clipped
  }
  for (const double rate : rates) {
    bytes.real(rate);
  }
  return hex(sha256(bytes.view())).substr(0, 8);
}

/// c of rows (c, c m, x). Without indicators R / 2, as the count of gauss has it: a quarter more
/// noise, and a mean that is good enough. With q of them noise grows with R^2 + c^2 Q, Q = q + 1,
/// and a covariance about means of size u carries 1 + u^2 / c^2 times it (sums, counts):
/// c^2 = R u / sqrt(Q) is best, and u = R / (2 sqrt(p)) stands for means halfway to the bounds.
double counting_constant(const RowBound& bound, std::size_t indicators) {
  if (indicators == 0) {
    return 0.5 * bound.radius();
  }
  const auto p = static_cast<double>(bound.dimension());
  const auto constants = static_cast<double>(indicators + 1);
  return bound.radius() / std::sqrt(2.0 * std::sqrt(p * constants));
}

}  // namespace

Result<std::size_t> drop_person(Schema& read, const std::string& person) {
  if (drop_last(read, hashed_names(person))) {
    return kHashedCells;
  }
  if (drop_last(read, {person})) {
    return 1;
  }
  return bad_request(fmt::format("the table has no column '{}' for {{person}}", shown(person)),
                     "person");
}

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
  schema.people = spec.people();
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
  spec_.project->cells = mark_of_cells(cells_, spec_.scaled, frequencies_);
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
  schema_ = Schema{direction_names(used), {}, {}, columns_.fills_gaps, columns_.people};
  return RowBound::row_norm(used.dimension(), *spec_.projected_norm, spec_.grid)
      .map([&](RowBound inside) { bound_ = std::move(inside); })
      .and_then([&] { return measure_outside(); });
}

/// What the basis leaves out, as a column that is short: c^2 E^2 = kOutsideShare R^2.
Result<void> PreparedTable::measure_outside() {
  if (!spec_.outside_norm) {
    return {};
  }
  const double norm = *spec_.projected_norm;
  return RowBound::row_norm(schema_.dimension() + 1, norm * std::sqrt(1.0 + kOutsideShare),
                            spec_.grid)
      .map([&](RowBound longer) {
        outside_ =
            OutsideTable{schema_, bound_, norm * std::sqrt(kOutsideShare) / *spec_.outside_norm};
        schema_.columns.push_back(outside_name(*spec_.outside_norm));
        bound_ = std::move(longer);
      });
}

/// The columns whose presence is counted.
Result<std::vector<std::size_t>> PreparedTable::indicated() const {
  std::vector<std::size_t> places;
  if (!spec_.pairwise) {
    return places;
  }
  if (spec_.pairwise->empty()) {
    places.resize(columns_.dimension());
    std::iota(places.begin(), places.end(), std::size_t{0});
    return places;
  }
  for (const std::string& name : *spec_.pairwise) {
    const auto found = std::find(columns_.columns.begin(), columns_.columns.end(), name);
    if (found == columns_.columns.end()) {
      return bad_request(
          fmt::format("{{missing pairwise}} names '{}', which is no column of the table",
                      shown(name)),
          "missing");
    }
    places.push_back(static_cast<std::size_t>(found - columns_.columns.begin()));
  }
  std::sort(places.begin(), places.end());
  if (std::adjacent_find(places.begin(), places.end()) != places.end()) {
    return bad_request("{missing pairwise} names a column twice", "missing");
  }
  return places;
}

Result<void> PreparedTable::count_inside() {
  if (!spec_.counts_inside()) {
    return {};
  }
  Result<std::vector<std::size_t>> places = indicated();
  if (!places) {
    return error_of(places);
  }
  CountedRows asked;
  asked.indicated = *std::move(places);
  asked.weighted = !spec_.weights.empty();
  asked.weight_bound = asked.weighted ? spec_.weight_bound : 1.0;
  asked.constant = counting_constant(bound_, asked.indicated.size());
  asked.square_constant = asked.weighted ? 0.25 * bound_.radius() : 0.0;  // 5% more noise
  return counted_bound(bound_, std::move(asked), spec_.grid).map([&](CountedBound made) {
    counted_rows_ = std::move(made.rows);
    counted_ = CountedTable{schema_,
                            bound_,
                            counted_rows_.constant,
                            counted_rows_.weight_bound,
                            counted_rows_.square_constant,
                            counted_rows_.indicated};
    schema_ = Schema{counted_names(counted_->schema, counted_rows_),
                     {},
                     {},
                     counted_->schema.fills_gaps,
                     counted_->schema.people};
    bound_ = std::move(made.bound);
  });
}

PublicFacts PreparedTable::facts() const {
  PublicFacts facts{schema_, bound_};
  facts.counted = counted_;
  facts.outside = outside_;
  facts.keeps_columns = !spec_.project && !spec_.normalise_rows;
  if (spec_.project || has_people() || counted_ || spec_.normalise_rows) {
    facts.preparation = table_json(spec_);
  }
  return facts;
}

Result<std::unique_ptr<RowReader>> PreparedTable::rows(std::unique_ptr<RowReader> read,
                                                       std::shared_ptr<SeenPeople> seen) const {
  Result<std::unique_ptr<RowReader>> reader = std::move(read);
  if (has_people()) {
    reader = limit_rows_per_person(std::move(*reader), key_cells_, spec_.people(), std::move(seen),
                                   spec_.bad_cell, spec_.people_shard());
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
    std::optional<OutsideColumn> outside;
    if (outside_) {
      outside = {*spec_.projected_norm, *spec_.outside_norm, outside_->constant};
    }
    reader = project_rows(std::move(*reader), cells_, spec_.scaled, *spec_.project, outside);
  }
  if (spec_.normalise_rows) {
    reader = normalise_rows(std::move(*reader), cells_, spec_.scaled);
  }
  if (counted_) {
    reader = count_rows_inside(std::move(*reader), counted_->bound, counted_rows_);
  }
  return reader;
}

Result<void> settle_people(TableSpec& spec, Request& request) {
  if (spec.person.empty()) {
    return {};
  }
  if (request.group_size != 1) {
    return bad_request("with {person} the rows of a person are the group; leave out {group_size}",
                       "group_size");
  }
  request.group_size = std::max(1, static_cast<int>(spec.rows_per_person));
  spec.noisy_count = request.relation != Relation::AddRemove;
  return {};
}

Result<AssumedTable> assumed_table(const TableSpec& spec, Schema schema, std::int64_t rows) {
  AssumedTable table{std::move(schema), rows, {}, spec.row_norm, {}};
  const bool people = !spec.person.empty();
  if (!spec.project && !spec.normalise_rows && spec.one_hot.empty() && !people &&
      !spec.counts_inside()) {
    table.bound = [spec, columns = table.schema](const std::optional<double>& model_radius) {
      return PreparedTable::make(spec, columns, model_radius)
          .map([](const PreparedTable& prepared) { return prepared.bound(); });
    };
    return table;
  }
  Schema read = table.schema;  // as a reader would have it: weights and people at the end
  std::erase_if(read.columns, [&](const std::string& name) {
    return !name.empty() && (name == spec.person || name == spec.weights);
  });
  if (!spec.weights.empty()) {
    read.columns.push_back(spec.weights);
  }
  if (people) {
    read.columns.push_back(spec.person);
  }
  return PreparedTable::make(spec, read).map([&](const PreparedTable& prepared) {
    table.prepared = prepared.facts();
    table.schema = table.prepared->counted   ? table.prepared->counted->schema
                   : table.prepared->outside ? table.prepared->outside->schema
                                             : prepared.schema();
    table.person = spec.person;
    table.bound = [bound = prepared.bound()](const auto&) { return Result<RowBound>(bound); };
    for (const FactLine& line : prepared.remarks()) {
      table.remarks.emplace_back(line.label, line.text);
    }
    return table;
  });
}

std::unique_ptr<RowReader> borrowed(RowReader& reader) {
  return std::make_unique<BorrowedReader>(reader);
}

}  // namespace eigenveil
