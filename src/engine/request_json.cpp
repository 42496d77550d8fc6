#include "eigenveil/engine/request_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/bytes.hpp"
#include "core/parameter_names.hpp"
#include "core/strict_json.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/engine/registry.hpp"
#include "engine/asked_budget.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {
namespace {

constexpr int kRequestVersion = 1;
constexpr std::uint64_t kMostWhole = std::numeric_limits<std::int64_t>::max();

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

/// What an option is where it is not given; nothing where that depends on the rest of the request.
std::optional<OptionValue> default_of(const OptionSpec& spec) {
  if (spec.otherwise || !spec.otherwise_in_words.empty()) {
    return spec.otherwise;
  }
  if (spec.kind == OptionKind::Flag) {
    return false;
  }
  return spec.kind == OptionKind::Word ? std::optional<OptionValue>(spec.words.front())
                                       : std::nullopt;
}

Json options_to_json(const Request& request) {
  Json json = Json::object();
  for (const auto& [name, value] : request.options.all()) {
    const OptionSpec* spec = spec_of(request, name);
    if (spec != nullptr && (spec->kind == OptionKind::PrivateFile || default_of(*spec) == value)) {
      continue;
    }
    json[name] = std::visit([](const auto& content) -> Json { return content; }, value);
  }
  return json;
}

/// Nothing where it is of no kind that an option can have.
std::optional<OptionValue> value_from_json(const Json& json) {
  if (json.is_boolean()) {
    return json.get<bool>();
  }
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kMostWhole) {
    return std::nullopt;  // would wrap
  }
  if (json.is_number_integer()) {
    return json.get<std::int64_t>();
  }
  if (json.is_number()) {
    return json.get<double>();
  }
  if (json.is_string()) {
    return json.get<std::string>();
  }
  const bool list = json.is_array() && std::all_of(json.begin(), json.end(),
                                                   [](const Json& one) { return one.is_number(); });
  return list ? std::optional<OptionValue>(json.get<std::vector<double>>()) : std::nullopt;
}

Result<void> read_options(Request& request, const Json& json) {
  if (!json.is_object()) {
    return bad_request("{options} must be an object with a field for every option", "options");
  }
  for (const auto& [name, given] : json.items()) {
    const std::optional<OptionValue> value = value_from_json(given);
    if (!value) {
      return bad_request(
          fmt::format("{} must be true, false, a number, a text or a list of numbers",
                      spec_of(request, name) != nullptr ? "{" + name + "}"
                                                        : "option '" + shown(name) + "'"),
          name);
    }
    const OptionSpec* spec = spec_of(request, name);
    if (spec == nullptr) {  // said with the options that there are
      Request unknown = request;
      unknown.options.set(name, *value);
      if (const Result<const Method*> refused = choose_method(unknown); !refused) {
        return error_of(refused);
      }
    }
    if (spec == nullptr || spec->kind == OptionKind::PrivateFile) {
      return bad_request(fmt::format("{} has no option {{{}}}", name_of(request.task), name), name);
    }
    Result<OptionValue> option = checked(*spec, *value);
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

Result<std::optional<Budget>> read_budget(const Json& json) {
  if (json.is_null()) {
    return std::nullopt;
  }
  StrictObject in(json, "{budget}");
  std::string kind;
  BudgetNumbers given;
  in.text("kind", kind);
  in.number("epsilon", given.epsilon);
  in.number("delta", given.delta);
  in.number("rho", given.rho);
  in.number("mu", given.mu);
  return in.finish()
      .and_then([&] { return asked_budget(given); })
      .and_then([&](const Budget& budget) -> Result<std::optional<Budget>> {
        if (!kind.empty() && budget_to_json(budget).at("kind") != kind) {
          return bad_request("{budget} has fields that do not go together", "budget");
        }
        return budget;
      });
}

/// What the words of a request mean; each is among those that are known.
template <class T, class Parse>
void read_parsed(StrictObject& in, const char* key, const Parse& parse, T& into) {
  std::string word;
  in.text(key, word);
  if (!in.sound()) {
    return;
  }
  if (auto parsed = parse(shown(word))) {  // no word of ours has a brace
    into = *parsed;
  } else {
    Error error = parsed.error();
    error.parameter = key;
    in.refuse(error);
  }
}

/// A null says that nothing was asked for.
bool is_given(StrictObject& in, const char* key) {
  const Json* json = in.find(key);
  return json != nullptr && !json->is_null();
}

Result<Request> request_from(const Json& json) {
  StrictObject in(json, "a request");
  for (const char* key :
       {"request", "task", "method", "budget", "neighbours", "group_size", "components", "center",
        "units", "table", "arrives_centred", "rank_transform", "options"}) {
    if (!in.has(key)) {
      in.refuse(
          Error{ErrorCode::BadRequest, fmt::format("a request needs a field '{}'", key), key});
    }
  }
  Request request;
  int version = 0;
  in.whole("request", 1, std::numeric_limits<std::int32_t>::max(), version);
  if (in.sound() && version != kRequestVersion) {
    return bad_request(fmt::format("the request has another version than {}", kRequestVersion));
  }
  read_parsed(in, "task", parse_task, request.task);
  read_parsed(in, "neighbours", parse_relation, request.relation);
  in.text("method", request.method);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  in.whole("group_size", 1, kMost, request.group_size);
  request.components_given = is_given(in, "components");
  if (request.components_given) {
    in.whole("components", 1, kMost, request.components);
  }
  std::string center = "unsaid";
  std::string units = "original";
  in.word("center", {"unsaid", "none", "public", "private"}, center);
  in.word("units", {"original", "scaled"}, units);
  request.center = std::find_if(kCenters.begin(), kCenters.end(), [&](const auto& entry) {
                     return entry.second == center;
                   })->first;
  request.units = units == "scaled" ? Units::Scaled : Units::Original;
  in.flag("arrives_centred", request.arrives_centred);
  in.flag("rank_transform", request.rank_transform);
  if (is_given(in, "table")) {
    in.text("table", request.table);
  }
  if (const Result<void> read = in.finish(); !read) {
    return error_of(read);
  }
  return read_budget(json.at("budget")).and_then([&](const std::optional<Budget>& budget) {
    request.budget = budget;
    return read_options(request, json.at("options")).map([&] { return request; });
  });
}

}  // namespace

std::string to_json(const Request& request) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return Json{{"request", kRequestVersion},
              {"task", name_of(request.task)},
              {"method", request.method},
              {"budget", request.budget ? budget_to_json(*request.budget) : Json()},
              {"neighbours", name_of(request.relation)},
              {"group_size", request.group_size},
              {"components",  // one is what is meant where nothing is said
               request.takes_rank() && request.components != 1 ? Json(request.components) : Json()},
              {"center", name_of(request.center)},
              {"units", request.units == Units::Scaled ? "scaled" : "original"},
              {"arrives_centred", request.arrives_centred},
              {"rank_transform", request.rank_transform},
              {"options", options_to_json(request)},
              {"table", or_null(request.table)}}
      .dump();
}

Result<Request> request_from_json(std::string_view text) {
  const Json json = json_from_outside<Json>(text);
  if (!json.is_object()) {
    return bad_request("the text is not a request of Eigenveil");
  }
  return request_from(json);
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
  } else if (facts.schema.people.given()) {  // sums that were made before
    bytes.text(facts.schema.people.column);
    bytes.integer(facts.schema.people.rows);
  }
  return hex(sha256(bytes.view()));
}

}  // namespace eigenveil
