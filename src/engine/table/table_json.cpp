#include <cmath>
#include <nlohmann/json.hpp>

#include "core/outside_json.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMidpoint = "midpoint";
constexpr const char* kRefuse = "refuse";
constexpr const char* kPairwise = "pairwise";

Json range_json(const ColumnRange& range) {
  return {range.low, range.high};
}

ColumnRange range_of(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>()};
}

Json frequency_json(const AlleleFrequency& one) {
  Json json = {{"column", one.column}, {"frequency", one.frequency}};  // NaN becomes null
  if (!one.allele.empty()) {
    json["allele"] = one.allele;
    json["other"] = one.other;
  }
  return json;
}

AlleleFrequency frequency_of(const Json& json) {
  const Json& value = json.at("frequency");
  return {json.at("column").get<std::string>(), value.is_null() ? NAN : value.get<double>(),
          json.value("allele", ""), json.value("other", "")};
}

Json basis_json(const PublicBasis& basis) {
  const Matrix& values = basis.directions;
  return {{"columns", basis.columns},
          {"counted_alleles", basis.counted_alleles},
          {"directions", values.cols()},
          {"values", std::vector<double>(values.data(), values.data() + values.size())}};
}

PublicBasis basis_of(const Json& json) {
  const auto values = json.at("values").get<std::vector<double>>();
  const auto directions = json.at("directions").get<Eigen::Index>();
  const auto size = static_cast<Eigen::Index>(values.size());
  if (directions < 1 || size % directions != 0) {
    throw nlohmann::detail::other_error::create(501, "not a matrix", nullptr);
  }
  return {json.at("columns").get<std::vector<std::string>>(),
          json.at("counted_alleles").get<std::vector<std::string>>(),
          Eigen::Map<const Matrix>(values.data(), size / directions, directions)};
}

/// A key that is not known is refused: a stage that was passed over would change the rows.
void read_key(TableSpec& spec, const std::string& key, const Json& value) {
  if (key == "columns") {
    spec.columns = value.get<std::vector<std::string>>();
  } else if (key == "exclude") {
    spec.exclude = value.get<std::vector<std::string>>();
  } else if (key == "missing") {
    spec.missing =
        value.get<std::string>() == kRefuse ? MissingCell::Refuse : MissingCell::Midpoint;
    if (value.get<std::string>() == kPairwise && !spec.pairwise) {
      spec.pairwise.emplace();
    }
  } else if (key == kPairwise) {
    spec.pairwise = value.get<std::vector<std::string>>();
  } else if (key == "bad_cell") {
    spec.bad_cell = value.get<std::string>() == kMidpoint ? BadCell::Midpoint : BadCell::Refuse;
  } else if (key == "one_hot") {
    for (const auto& [column, words] : value.items()) {
      spec.one_hot.push_back({column, words.get<std::vector<std::string>>()});
    }
  } else if (key == "range") {
    spec.range = range_of(value);
  } else if (key == "bounds") {
    spec.bounds.emplace();
    for (const auto& [column, range] : value.items()) {
      spec.bounds->push_back({column, range_of(range)});
    }
  } else if (key == "row_norm") {
    spec.row_norm = value.get<double>();
  } else if (key == "grid") {
    spec.grid = value.get<std::int64_t>();
  } else if (key == "center") {
    spec.center.emplace();
    for (const auto& [column, number] : value.items()) {
      spec.center->push_back({column, number.get<double>()});
    }
  } else if (key == "allele_frequencies") {
    spec.allele_frequencies.emplace();
    for (const Json& one : value) {
      spec.allele_frequencies->push_back(frequency_of(one));
    }
  } else if (key == "rank_transform") {
    spec.rank_transform = value.get<bool>();
  } else if (key == "project") {
    spec.project = basis_of(value);
  } else if (key == "projected_norm") {
    spec.projected_norm = value.get<double>();
  } else if (key == "normalise_rows") {
    spec.normalise_rows = value.get<bool>();
  } else if (key == "scaled") {
    spec.scaled = value.get<bool>();
  } else if (key == "person") {
    spec.person = value.get<std::string>();
  } else if (key == "rows_per_person") {
    spec.rows_per_person = value.get<std::uint32_t>();
  } else if (key == "weights") {
    spec.weights = value.get<std::string>();
  } else if (key == "weight_bound") {
    spec.weight_bound = value.get<double>();
  } else if (key == "noisy_count") {
    spec.noisy_count = value.get<bool>();
  } else {
    throw nlohmann::detail::other_error::create(501, "unknown key", nullptr);
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
  try {
    TableSpec spec;
    const Json json = json_from_outside<Json>(text);
    for (const auto& [key, value] : json.get_ref<const Json::object_t&>()) {
      read_key(spec, key, value);
    }
    return spec;
  } catch (const nlohmann::json::exception&) {
    return bad_request("the description of the table cannot be read: not JSON of this version");
  }
}

}  // namespace eigenveil
