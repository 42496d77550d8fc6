#include "eigenveil/engine/request_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/bytes.hpp"
#include "core/outside_json.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/engine/registry.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {
namespace {

constexpr int kRequestVersion = 1;

constexpr std::array<std::pair<CenterChoice, std::string_view>, 4> kCenters = {
    {{CenterChoice::Unsaid, "unsaid"},
     {CenterChoice::None, "none"},
     {CenterChoice::Public, "public"},
     {CenterChoice::Private, "private"}}};

std::string_view name_of(CenterChoice center) {
  return kCenters[static_cast<std::size_t>(center)].second;
}

/// The spec of an option: that of the method asked for, or else of any that serves the task.
const OptionSpec* spec_of(const Request& request, std::string_view name) {
  const OptionSpec* found = nullptr;
  for (const Method* method : methods_for(request.task)) {
    const OptionSpec* spec = method->info().option(name);
    if (spec != nullptr && (found == nullptr || method->info().name == request.method)) {
      found = spec;
    }
  }
  return found;
}

Json options_to_json(const Request& request) {
  Json json = Json::object();
  for (const auto& [name, value] : request.options.all()) {
    const OptionSpec* spec = spec_of(request, name);
    if (spec != nullptr &&
        (spec->kind == OptionKind::PrivateFile || (spec->otherwise && *spec->otherwise == value))) {
      continue;
    }
    json[name] = std::visit([](const auto& content) -> Json { return content; }, value);
  }
  return json;
}

OptionValue value_from_json(const Json& json) {
  if (json.is_boolean()) {
    return json.get<bool>();
  }
  if (json.is_number_integer()) {
    return json.get<std::int64_t>();
  }
  if (json.is_number()) {
    return json.get<double>();
  }
  return json.is_string() ? OptionValue(json.get<std::string>())
                          : OptionValue(json.get<std::vector<double>>());
}

Result<void> read_options(Request& request, const Json& json) {
  for (const auto& [name, value] : json.items()) {
    const OptionSpec* spec = spec_of(request, name);
    if (spec == nullptr) {  // said with the options that there are
      Request unknown = request;
      unknown.options.set(name, value_from_json(value));
      if (const Result<const Method*> refused = choose_method(unknown); !refused) {
        return error_of(refused);
      }
    }
    if (spec == nullptr || spec->kind == OptionKind::PrivateFile) {
      return bad_request(fmt::format("{} has no option {{{}}}", name_of(request.task), name), name);
    }
    Result<OptionValue> option = checked(*spec, value_from_json(value));
    if (!option) {
      return error_of(option);
    }
    if (spec->kind == OptionKind::Flag && *option == OptionValue(false)) {
      continue;  // as if it had not been given
    }
    request.options.set(name, *std::move(option));
  }
  return {};
}

constexpr std::array kKeys = {"request",         "task",           "method", "budget", "neighbours",
                              "group_size",      "components",     "center", "units",  "table",
                              "arrives_centred", "rank_transform", "options"};

Result<void> check_keys(const Json& json) {
  if (json.at("request").get<int>() != kRequestVersion) {
    return bad_request(fmt::format("the request has another version than {}", kRequestVersion));
  }
  for (const auto& [name, value] : json.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), name) == kKeys.end()) {
      return bad_request(fmt::format("a request has no field '{}'", name));
    }
  }
  return {};
}

/// A pure budget with a delta would be released as the weaker promise.
bool says_no_more(const Json& given, const Budget& budget) {
  const Json canonical = budget_to_json(budget);
  for (const auto& [name, value] : given.items()) {
    if (!canonical.contains(name) || (name == "kind" && canonical.at("kind") != value)) {
      return false;
    }
  }
  return true;
}

Result<Request> request_from(const Json& json) {
  if (const Result<void> known = check_keys(json); !known) {
    return error_of(known);
  }
  Request request;
  const Result<Task> task = parse_task(json.at("task").get<std::string>());
  const Result<Relation> relation = parse_relation(json.at("neighbours").get<std::string>());
  if (!task) {
    return error_of(task);
  }
  if (!relation) {
    return error_of(relation);
  }
  request.task = *task;
  request.relation = *relation;
  request.method = json.at("method").get<std::string>();
  if (!json.at("budget").is_null()) {
    const Result<Budget> budget = budget_from_json(json.at("budget"));
    if (!budget) {
      return error_of(budget);
    }
    if (!says_no_more(json.at("budget"), *budget)) {
      return bad_request("the budget has fields that do not go together");
    }
    request.budget = *budget;
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto group = whole_number(json.at("group_size"), 1, kMost);
  request.components_given = !json.at("components").is_null();
  const auto components = request.components_given ? whole_number(json.at("components"), 1, kMost)
                                                   : std::optional(std::int64_t{1});
  const auto center = json.at("center").get<std::string>();
  const auto* choice = std::find_if(kCenters.begin(), kCenters.end(),
                                    [&](const auto& entry) { return entry.second == center; });
  if (choice == kCenters.end() || !group || !components) {
    return bad_request("the centre, the group size or the number of components is no such thing");
  }
  request.group_size = static_cast<int>(*group);
  request.components = static_cast<Eigen::Index>(*components);
  request.center = choice->first;
  request.units = json.at("units").get<std::string>() == "scaled" ? Units::Scaled : Units::Original;
  request.arrives_centred = json.at("arrives_centred").get<bool>();
  request.rank_transform = json.at("rank_transform").get<bool>();
  request.table = json.at("table").is_null() ? "" : json.at("table").get<std::string>();
  return read_options(request, json.at("options")).map([&] { return request; });
}

}  // namespace

std::string to_json(const Request& request) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return Json{
      {"request", kRequestVersion},
      {"task", name_of(request.task)},
      {"method", request.method},
      {"budget", request.budget ? budget_to_json(*request.budget) : Json()},
      {"neighbours", name_of(request.relation)},
      {"group_size", request.group_size},
      {"components",
       request.takes_rank() && request.components_given ? Json(request.components) : Json()},
      {"center", name_of(request.center)},
      {"units", request.units == Units::Scaled ? "scaled" : "original"},
      {"arrives_centred", request.arrives_centred},
      {"rank_transform", request.rank_transform},
      {"options", options_to_json(request)},
      {"table", or_null(request.table)}}
      .dump();
}

Result<Request> request_from_json(std::string_view text) {
  constexpr const char* kForeign = "the text is not a request of Eigenveil";
  const Json json = json_from_outside<Json>(text);
  if (!json.is_object()) {
    return bad_request(kForeign);
  }
  // The JSON library reports a missing or mistyped field by exception.
  try {
    return request_from(json);
  } catch (const Json::exception&) {
    return bad_request(kForeign);
  }
}

std::string request_hash(const Request& request) {
  return hex(sha256(to_json(request)));
}

std::string table_fingerprint(const PublicFacts& facts) {
  ByteWriter bytes;
  bytes.text("eigenveil table 1");
  for (const auto* names : {&facts.schema.columns, &facts.schema.counted_alleles}) {
    bytes.integer(names->size());
    for (const std::string& name : *names) {
      bytes.text(name);
    }
  }
  bytes.integer(facts.schema.allele_frequencies.size());
  for (const double frequency : facts.schema.allele_frequencies) {
    bytes.real(frequency);
  }
  bytes.integer(facts.schema.fills_gaps ? 1 : 0);
  bytes.text(facts.bound.encode());
  if (!facts.preparation.empty()) {
    bytes.text(facts.preparation);
  }
  return hex(sha256(bytes.view()));
}

}  // namespace eigenveil
