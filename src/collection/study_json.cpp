#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "collection/study.hpp"
#include "core/outside_json.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;
constexpr const char* kNoStudy =
    "this is no study of this version: a field is missing, unknown or of another kind";
constexpr const char* kOneToken =
    "the study was made by an earlier version, in which both aggregators saw the same token and "
    "either could answer in a person's name at the other: make a new study";

Json json_of(const AggregatorCard& card) {
  return {{"role", name_of(card.role)},
          {"address", card.address},
          {"signing_key", card.signing_key},
          {"sealing_key", card.sealing_key}};
}

Json json_of(const Budget& budget) {
  if (const auto* pair = std::get_if<ApproxDp>(&budget)) {
    return {{"epsilon", pair->epsilon}, {"delta", pair->delta}};
  }
  if (const auto* rho = std::get_if<Zcdp>(&budget)) {
    return {{"rho", rho->rho}};
  }
  if (const auto* mu = std::get_if<GaussianDp>(&budget)) {
    return {{"mu", mu->mu}};
  }
  return {{"epsilon", std::get<PureDp>(budget).epsilon}};
}

Budget budget_of(const Json& json) {
  if (json.contains("rho")) {
    return Zcdp{json.at("rho").get<double>()};
  }
  if (json.contains("mu")) {
    return GaussianDp{json.at("mu").get<double>()};
  }
  const double epsilon = json.at("epsilon").get<double>();
  return json.contains("delta") ? Budget(ApproxDp{epsilon, json.at("delta").get<double>()})
                                : Budget(PureDp{epsilon});
}

/// nlohmann throws where a field is missing or of another kind; nothing of it passes this call.
template <class T, class Read>
Result<T> reading(std::string_view text, const char* complaint, const Read& read) {
  try {
    return read(json_from_outside(text));
  } catch (const Json::exception&) {
    return bad_request(complaint);
  }
}

AggregatorCard card_of(const Json& json) {
  const Result<Role> role = parse_role(json.at("role").get<std::string>());
  return {role.value_or(Role::A), json.at("address").get<std::string>(),
          json.at("signing_key").get<std::string>(), json.at("sealing_key").get<std::string>()};
}

Json json_of(const Manifest& manifest) {
  Json columns = Json::array();
  for (const StudyColumn& column : manifest.columns) {
    columns.push_back({{"name", column.name},
                       {"low", column.low},
                       {"high", column.high},
                       {"question", column.question}});
  }
  return {{"eigenveil_study", kVersion},
          {"id", manifest.id},
          {"title", manifest.title},
          {"columns", columns},
          {"max_abs", manifest.max_abs},
          {"constant", manifest.constant},
          {"cell_sigma", manifest.cell_sigma},
          {"neighbours", name_of(manifest.relation)},
          {"budget", json_of(manifest.budget)},
          {"noise", name_of(manifest.noise)},
          {"minimum_batch", manifest.minimum_batch},
          {"colluders", manifest.colluders},
          {"deadline", manifest.deadline},
          {"collector_key", manifest.collector_key},
          {"issuer_key", manifest.issuer_key},
          {"a", json_of(manifest.a)},
          {"b", json_of(manifest.b)}};
}

Result<Manifest> manifest_of(const Json& json) {
  const int version = json.at("eigenveil_study").get<int>();
  if (version != kVersion) {
    return bad_request(version == 1 ? kOneToken : kNoStudy);
  }
  Manifest manifest;
  manifest.id = json.at("id").get<std::string>();
  manifest.title = json.at("title").get<std::string>();
  for (const Json& column : json.at("columns")) {
    manifest.columns.push_back({column.at("name").get<std::string>(),
                                column.at("low").get<double>(), column.at("high").get<double>(),
                                column.at("question").get<std::string>()});
  }
  manifest.max_abs = json.at("max_abs").get<std::int64_t>();
  manifest.constant = json.at("constant").get<std::int64_t>();
  manifest.cell_sigma = json.at("cell_sigma").get<std::int64_t>();
  const Result<Relation> relation = parse_relation(json.at("neighbours").get<std::string>());
  const Result<NoiseMode> noise = parse_noise_mode(json.at("noise").get<std::string>());
  if (!relation || !noise) {
    return bad_request(kNoStudy);
  }
  manifest.relation = *relation;
  manifest.noise = *noise;
  manifest.budget = budget_of(json.at("budget"));
  manifest.minimum_batch = json.at("minimum_batch").get<std::int64_t>();
  manifest.colluders = json.at("colluders").get<std::int64_t>();
  manifest.deadline = json.at("deadline").get<std::string>();
  manifest.collector_key = json.at("collector_key").get<std::string>();
  manifest.issuer_key = json.at("issuer_key").get<std::string>();
  manifest.a = card_of(json.at("a"));
  manifest.b = card_of(json.at("b"));
  return check_manifest(manifest).map([&] { return manifest; });
}

std::optional<std::string> signature_in(const Json& json, const char* role) {
  return json.contains(role) ? std::optional(json.at(role).get<std::string>()) : std::nullopt;
}

}  // namespace

std::string to_json(const AggregatorCard& card) {
  return json_of(card).dump(2) + "\n";
}

Result<AggregatorCard> card_from_json(std::string_view text) {
  return reading<AggregatorCard>(text, "this is no card of an aggregator", [](const Json& json) {
    const Result<Role> role = parse_role(json.at("role").get<std::string>());
    return role ? Result<AggregatorCard>(card_of(json)) : Result<AggregatorCard>(error_of(role));
  });
}

std::string to_json(const Manifest& manifest) {
  return json_of(manifest).dump();
}

Result<Manifest> manifest_from_json(std::string_view text) {
  return reading<Manifest>(text, kNoStudy, [&](const Json& json) -> Result<Manifest> {
    const Result<Manifest> manifest = manifest_of(json);
    if (manifest && to_json(*manifest) != text) {
      return bad_request(kNoStudy);
    }
    return manifest;
  });
}

std::string to_json(const Study& study) {
  Json signatures = Json::object();
  if (study.signature_a) {
    signatures["a"] = *study.signature_a;
  }
  if (study.signature_b) {
    signatures["b"] = *study.signature_b;
  }
  return Json{{"manifest", json_of(study.manifest)}, {"signatures", signatures}}.dump(1) + "\n";
}

Result<Study> study_from_json(std::string_view text) {
  return reading<Study>(text, kNoStudy, [](const Json& json) -> Result<Study> {
    return manifest_from_json(json.at("manifest").dump()).map([&](const Manifest& manifest) {
      Study study = Study::of(manifest);
      study.signature_a = signature_in(json.at("signatures"), "a");
      study.signature_b = signature_in(json.at("signatures"), "b");
      return study;
    });
  });
}

}  // namespace eigenveil
