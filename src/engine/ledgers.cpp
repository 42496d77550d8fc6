#include "eigenveil/engine/ledgers.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/strict_json.hpp"
#include "ledger/summary.hpp"
#include "ledger/verify.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

/// Exactly one budget among the fields of a promise.
Result<Budget> promised(StrictObject& in) {
  Json numbers = Json::object();
  for (const char* name : {"epsilon", "delta", "rho", "mu"}) {
    double number = 0.0;
    in.number(name, number);
    if (in.has(name)) {
      numbers[name] = number;
    }
  }
  const bool pair = numbers.size() == 2 && numbers.contains("epsilon") && numbers.contains("delta");
  if (!pair && (numbers.size() != 1 || numbers.contains("delta"))) {
    return bad_request(
        "a ledger needs a promise: {epsilon} with {delta}, {epsilon} alone, {rho} or {mu}, or "
        "{caps}");
  }
  return budget_from_json(numbers);
}

Result<LedgerCaps> caps_from(const Json& json) {
  LedgerCaps caps;
  std::optional<double> draws;
  StrictObject in(json, "{caps}");
  in.number("mu", caps.mu, 0.0);
  in.number("epsilon", caps.epsilon, 0.0);
  in.number("delta", caps.delta, 0.0);
  in.number("draws", draws, 0.0);
  return in.finish().and_then([&] { return check_caps(caps); }).map([&](LedgerCaps sound) {
    sound.draws = draws.value_or(default_draws(promise_of(sound)));
    return sound;
  });
}

/// The caps, and what they add up to.
Result<void> read_promise(LedgerTerms& terms, StrictObject& in) {
  double share = kBasicShare;
  std::optional<double> draws;
  in.number("basic_share", share);
  in.number("draws", draws, 0.0);
  if (const Json* caps = in.find("caps")) {
    for (const char* name : {"epsilon", "delta", "rho", "mu"}) {
      if (in.has(name)) {
        return bad_request("give a promise or {caps}, not both", "caps");
      }
    }
    return caps_from(*caps).map([&](const LedgerCaps& sound) {
      terms.caps = sound;
      terms.promise = promise_of(sound);
    });
  }
  return promised(in).and_then([&](const Budget& promise) {
    terms.promise = std::visit([](const auto& loss) { return Loss(loss); }, promise);
    return caps_for(promise, share).map([&](const LedgerCaps& caps) {
      terms.caps = caps;
      terms.caps.draws = draws.value_or(caps.draws);
    });
  });
}

Result<LedgerTerms> terms_of(const Json& json) {
  LedgerTerms terms;
  std::string relation = "add-remove";
  StrictObject in(json, "a ledger");
  in.text("name", terms.name);
  in.whole("group_size", 1, std::numeric_limits<int>::max(), terms.unit.rows);
  in.text("person", terms.unit.person);
  in.flag("allow_unproved", terms.allow_unproved);
  in.text("neighbours", relation);
  if (!in.has("name")) {
    in.refuse("name", "there: it says which data set the ledger is for");
  }
  const Result<void> promise = read_promise(terms, in);
  const Result<Relation> parsed = parse_relation(relation);
  return in.finish()
      .and_then([&] { return promise; })
      .and_then([&] { return parsed; })
      .map([&](Relation sound) {
        terms.relation = sound;
        return terms;
      });
}

}  // namespace

Result<void> create_ledger(const std::filesystem::path& path, std::string_view text) {
  return terms_of(json_from_outside(text))
      .and_then([&](const LedgerTerms& terms) { return Ledger::create(path, terms); })
      .map([](const Ledger&) {});
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
