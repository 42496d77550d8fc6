#include "eigenveil/engine/ledgers.hpp"

#include <nlohmann/json.hpp>

#include "core/outside_json.hpp"
#include "ledger/summary.hpp"
#include "ledger/verify.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {
namespace {

/// The caps, and what they add up to.
Result<void> read_promise(LedgerTerms& terms, const nlohmann::ordered_json& json) {
  if (json.contains("caps")) {
    const auto& caps = json.at("caps");
    return check_caps({caps.value("mu", 0.0), caps.value("epsilon", 0.0), caps.value("delta", 0.0)})
        .map([&](const LedgerCaps& sound) {
          terms.caps = sound;
          terms.promise = promise_of(sound);
          terms.caps.draws = caps.value("draws", default_draws(terms.promise));
        });
  }
  return budget_from_json(json).and_then([&](const Budget& promise) {
    terms.promise = std::visit([](const auto& loss) { return Loss(loss); }, promise);
    return caps_for(promise, json.value("basic_share", kBasicShare)).map([&](const LedgerCaps& c) {
      terms.caps = c;
      terms.caps.draws = json.value("draws", c.draws);
    });
  });
}

Result<LedgerTerms> terms_of(const nlohmann::ordered_json& json) {
  LedgerTerms terms;
  terms.name = json.at("name").get<std::string>();
  terms.unit = {json.value("group_size", 1), json.value("person", "")};
  terms.allow_unproved = json.value("allow_unproved", false);
  return parse_relation(json.value("neighbours", "add-remove"))
      .and_then([&](const Relation relation) {
        terms.relation = relation;
        return read_promise(terms, json);
      })
      .map([&] { return terms; });
}

}  // namespace

Result<void> create_ledger(const std::filesystem::path& path, std::string_view text) {
  // The JSON library reports a missing or mistyped field by exception.
  try {
    return terms_of(json_from_outside(text))
        .and_then([&](const LedgerTerms& terms) { return Ledger::create(path, terms); })
        .map([](const Ledger&) {});
  } catch (const nlohmann::json::exception&) {
    return bad_request(
        "a ledger needs {name} and a promise: {epsilon} with {delta}, {epsilon} alone, {rho} or "
        "{mu}");
  }
}

Result<std::string> show_ledger(const std::filesystem::path& path, std::string_view view) {
  const Result<LedgerState> state =
      Ledger::open(path).and_then([](const Ledger& ledger) { return ledger.state(); });
  return state.map([&](const LedgerState& checked) {
    const LedgerSummary summary = summary_of(checked);
    return view == "html"       ? ledger_html(summary)
           : view == "text"     ? ledger_text(summary)
           : view == "registry" ? registry_record(summary)
                                : ledger_json(summary);
  });
}

Result<std::vector<std::string>> ledger_problems(const std::filesystem::path& path,
                                                 const std::vector<std::string>& releases) {
  return verify_ledger(path, {releases.begin(), releases.end()}).map([](const auto& found) {
    return found.problems;
  });
}

Result<void> back_up_ledger(const std::filesystem::path& path, const std::filesystem::path& copy) {
  return Ledger::open(path).and_then([&](const Ledger& ledger) { return ledger.backup(copy); });
}

}  // namespace eigenveil
