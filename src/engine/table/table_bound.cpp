#include "engine/table/table_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/parameter_names.hpp"
#include "data/genotypes.hpp"

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
      return bad_request(
          fmt::format("{{{}}} names column '{}' twice", parameter, shown(one.column)), parameter);
    }
  }
  std::vector<const Named*> ordered;
  for (const std::string& column : columns) {
    const auto found = by_name.find(column);
    if (found == by_name.end()) {
      return bad_request(fmt::format("{{{}}} says nothing of column '{}'; add it, or choose "
                                     "columns with {{columns}}",
                                     parameter, shown(column)),
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
                    shown(counted), shown(given.column)),
        "allele_frequencies");
  }
  return given.allele == counted ? given.frequency : 1.0 - given.frequency;
}

}  // namespace

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

namespace {

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

}  // namespace

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

}  // namespace eigenveil
