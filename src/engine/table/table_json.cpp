#include <cmath>
#include <nlohmann/json.hpp>

#include "core/strict_json.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMidpoint = "midpoint";
constexpr const char* kRefuse = "refuse";
constexpr const char* kPairwise = "pairwise";
constexpr std::int64_t kMostDirections = std::int64_t{1} << 50;

Json range_json(const ColumnRange& range) {
  return {range.low, range.high};
}

bool is_finite(const Json& json) {
  return json.is_number() && std::isfinite(json.get<double>());
}

void read_range(StrictObject& in, const char* key, const Json& json, ColumnRange& into) {
  if (!json.is_array() || json.size() != 2 || !is_finite(json[0]) || !is_finite(json[1]) ||
      !(json[0].get<double>() < json[1].get<double>())) {
    in.refuse(key, "two finite numbers, the lowest below the highest");
    return;
  }
  into = {json[0].get<double>(), json[1].get<double>()};
}

/// Calls `read(name, value)` for every field of an object whose names are those of columns.
template <class Read>
void by_column(StrictObject& in, const char* key, const Read& read) {
  const Json* json = in.find(key);
  if (json != nullptr && !json->is_object()) {
    in.refuse(key, "an object with a field for every column");
  } else if (json != nullptr) {
    for (const auto& [name, value] : json->items()) {
      read(name, value);
    }
  }
}

Json frequency_json(const AlleleFrequency& one) {
  Json json = {{"column", one.column}, {"frequency", one.frequency}};  // NaN becomes null
  if (!one.allele.empty()) {
    json["allele"] = one.allele;
    json["other"] = one.other;
  }
  return json;
}

Result<AlleleFrequency> frequency_of(const Json& json) {
  AlleleFrequency one{{}, NAN, {}, {}};
  StrictObject in(json, "an entry of {allele_frequencies}");
  in.text("column", one.column);
  in.text("allele", one.allele);
  in.text("other", one.other);
  if (const Json* value = in.find("frequency"); value != nullptr && !value->is_null()) {
    in.number("frequency", one.frequency, 0.0);  // null: not known
  }
  if (!in.has("column") || !in.has("frequency")) {
    in.refuse("allele_frequencies", "a list of objects with {column} and {frequency}");
  }
  return in.finish().map([&] { return one; });
}

Json basis_json(const PublicBasis& basis) {
  const Matrix& values = basis.directions;
  return {{"columns", basis.columns},
          {"counted_alleles", basis.counted_alleles},
          {"directions", values.cols()},
          {"values", std::vector<double>(values.data(), values.data() + values.size())}};
}

Result<PublicBasis> basis_of(const Json& json) {
  PublicBasis basis;
  std::vector<double> values;
  Eigen::Index directions = 0;
  StrictObject in(json, "{project}");
  in.texts("columns", basis.columns);
  in.texts("counted_alleles", basis.counted_alleles);
  in.whole("directions", 1, kMostDirections, directions);
  in.numbers("values", values);
  if (const Result<void> read = in.finish(); !read) {
    return error_of(read);
  }
  if (directions < 1 || values.empty() || std::ssize(values) % directions != 0 ||
      std::ssize(values) / directions != std::ssize(basis.columns)) {
    return bad_request("{project} must be a matrix with a row for every column it names",
                       "project");
  }
  basis.directions =
      Eigen::Map<const Matrix>(values.data(), std::ssize(values) / directions, directions);
  return basis;
}

template <class T>
bool read_into(StrictObject& in, Result<T> read, T& into) {
  if (!read) {
    in.refuse(read.error());
    return false;
  }
  into = *std::move(read);
  return true;
}

void read_cells(StrictObject& in, TableSpec& spec) {
  in.texts("columns", spec.columns);
  in.texts("exclude", spec.exclude);
  std::string missing = kMidpoint;
  std::string bad_cell = kRefuse;
  in.word("missing", {kMidpoint, kRefuse, kPairwise}, missing);
  in.word("bad_cell", {kRefuse, kMidpoint}, bad_cell);
  spec.missing = missing == kRefuse ? MissingCell::Refuse : MissingCell::Midpoint;
  spec.bad_cell = bad_cell == kMidpoint ? BadCell::Midpoint : BadCell::Refuse;
  if (missing == kPairwise) {
    spec.pairwise.emplace();
  }
  in.texts(kPairwise, spec.pairwise);
  by_column(in, "one_hot", [&](const std::string& column, const Json& words) {
    const Json alone{{"one_hot", words}};
    StrictObject list(alone, "{one_hot}");
    spec.one_hot.push_back({column, {}});
    list.texts("one_hot", spec.one_hot.back().words);
    if (const Result<void> read = list.finish(); !read) {
      in.refuse("one_hot", "an object with a list of texts for every column");
    }
  });
}

void read_bound(StrictObject& in, TableSpec& spec) {
  if (const Json* range = in.find("range")) {
    read_range(in, "range", *range, spec.range.emplace());
  }
  if (in.has("bounds")) {
    spec.bounds.emplace();
  }
  by_column(in, "bounds", [&](const std::string& column, const Json& range) {
    spec.bounds->push_back({column, {}});
    read_range(in, "bounds", range, spec.bounds->back().range);
  });
  in.number("row_norm", spec.row_norm, 0.0, true);
  in.whole("grid", 1, RowBound::kLargestMaxAbs, spec.grid);
  if (in.has("center")) {
    spec.center.emplace();
  }
  by_column(in, "center", [&](const std::string& column, const Json& value) {
    if (!is_finite(value)) {
      in.refuse("center", "an object with a finite number for every column");
      return;
    }
    spec.center->push_back({column, value.get<double>()});
  });
  if (const Json* list = in.find("allele_frequencies")) {
    spec.allele_frequencies.emplace();
    if (!list->is_array()) {
      in.refuse("allele_frequencies", "a list of objects with {column} and {frequency}");
      return;
    }
    for (const Json& one : *list) {
      read_into(in, frequency_of(one), spec.allele_frequencies->emplace_back());
    }
  }
}

void read_stages(StrictObject& in, TableSpec& spec) {
  in.flag("rank_transform", spec.rank_transform);
  if (const Json* basis = in.find("project")) {
    read_into(in, basis_of(*basis), spec.project.emplace());
  }
  in.number("projected_norm", spec.projected_norm, 0.0, true);
  in.number("outside_norm", spec.outside_norm, 0.0, true);
  in.flag("normalise_rows", spec.normalise_rows);
  in.flag("scaled", spec.scaled);
  in.text("person", spec.person);
  in.whole("rows_per_person", 0, std::numeric_limits<std::int32_t>::max(), spec.rows_per_person);
  in.text("weights", spec.weights);
  in.number("weight_bound", spec.weight_bound, 0.0);
  in.flag("noisy_count", spec.noisy_count);
  if (spec.noisy_count && spec.person.empty()) {
    in.refuse(Error{ErrorCode::BadRequest, "{noisy_count} follows from {person}: leave it out",
                    "noisy_count"});
  }
}

}  // namespace

std::string table_json(const TableSpec& spec) {
  Json json = Json::object();
  if (!spec.columns.empty()) {
    json["columns"] = spec.columns;
  }
  if (!spec.exclude.empty()) {
    json["exclude"] = spec.exclude;
  }
  json["missing"] = spec.pairwise                         ? kPairwise
                    : spec.missing == MissingCell::Refuse ? kRefuse
                                                          : kMidpoint;
  if (spec.pairwise && !spec.pairwise->empty()) {
    json[kPairwise] = *spec.pairwise;
  }
  json["bad_cell"] = spec.bad_cell == BadCell::Refuse ? kRefuse : kMidpoint;
  for (const WordList& list : spec.one_hot) {
    json["one_hot"][list.column] = list.words;
  }
  if (spec.range) {
    json["range"] = range_json(*spec.range);
  }
  if (spec.bounds) {
    json["bounds"] = Json::object();
    for (const NamedRange& one : *spec.bounds) {
      json["bounds"][one.column] = range_json(one.range);
    }
  }
  if (spec.row_norm) {
    json["row_norm"] = *spec.row_norm;
  }
  json["grid"] = spec.grid;
  if (spec.center) {
    json["center"] = Json::object();
    for (const NamedValue& one : *spec.center) {
      json["center"][one.column] = one.value;
    }
  }
  if (spec.allele_frequencies) {
    json["allele_frequencies"] = Json::array();
    for (const AlleleFrequency& one : *spec.allele_frequencies) {
      json["allele_frequencies"].push_back(frequency_json(one));
    }
  }
  if (spec.rank_transform) {
    json["rank_transform"] = true;
  }
  if (spec.project) {
    json["project"] = basis_json(*spec.project);
  }
  if (spec.projected_norm) {
    json["projected_norm"] = *spec.projected_norm;
  }
  if (spec.outside_norm) {
    json["outside_norm"] = *spec.outside_norm;
  }
  for (const auto& [name, flag] :
       {std::pair("normalise_rows", spec.normalise_rows), std::pair("scaled", spec.scaled),
        std::pair("noisy_count", spec.noisy_count)}) {
    if (flag) {
      json[name] = true;
    }
  }
  if (!spec.person.empty()) {
    json["person"] = spec.person;
    json["rows_per_person"] = spec.rows_per_person;
  }
  if (!spec.weights.empty()) {
    json["weights"] = spec.weights;
    json["weight_bound"] = spec.weight_bound;
  }
  return json.dump();
}

Result<TableSpec> table_from_json(const std::string& text) {
  const Json json = json_from_outside<Json>(text);
  if (!json.is_object()) {
    return bad_request("the description of the table is no JSON object");
  }
  TableSpec spec;
  StrictObject in(json, "a table");
  read_cells(in, spec);
  read_bound(in, spec);
  read_stages(in, spec);
  return in.finish().map([&] { return spec; });
}

}  // namespace eigenveil
