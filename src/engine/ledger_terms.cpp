#include "engine/ledger_terms.hpp"

#include <limits>

#include "core/strict_json.hpp"
#include "engine/asked_budget.hpp"

namespace eigenveil {
namespace {

using Json = nlohmann::ordered_json;

/// What the caps add up to.
Result<void> take_caps(const Json& json, std::optional<double> draws, LedgerTerms& terms) {
  StrictObject in(json, "{caps}");
  in.number("mu", terms.caps.mu);
  in.number("epsilon", terms.caps.epsilon);
  in.number("delta", terms.caps.delta);
  in.number("draws", draws);
  return in.finish().and_then([&] { return check_caps(terms.caps); }).and_then([&](const auto&) {
    terms.promise = promise_of(terms.caps);
    terms.caps.draws = draws.value_or(default_draws(terms.promise));
    return check_caps(terms.caps).map([](const LedgerCaps&) {});
  });
}

/// The caps that keep it.
Result<void> take_promise(const BudgetNumbers& given, const std::optional<double>& basic_share,
                          const std::optional<double>& draws, LedgerTerms& terms) {
  return asked_budget(given).and_then([&](const Budget& promise) -> Result<void> {
    if (basic_share && !std::holds_alternative<ApproxDp>(promise)) {
      return bad_request(
          "{basic_share} divides {epsilon} and {delta}; other promises have one account",
          "basic_share");
    }
    terms.promise = std::visit([](const auto& loss) { return Loss(loss); }, promise);
    return caps_for(promise, basic_share.value_or(kBasicShare))
        .and_then([&](LedgerCaps caps) {
          caps.draws = draws.value_or(caps.draws);
          return check_caps(caps);
        })
        .map([&](const LedgerCaps& caps) { terms.caps = caps; });
  });
}

}  // namespace

Result<LedgerTerms> ledger_terms(std::string_view text) {
  const Json json = json_from_outside<Json>(text);
  StrictObject in(json, "the description of a ledger");
  LedgerTerms terms;
  BudgetNumbers promise;
  std::optional<double> basic_share;
  std::optional<double> draws;
  std::string neighbours = "add-remove";
  in.text("name", terms.name);
  in.text("neighbours", neighbours);
  in.whole("group_size", 1, std::numeric_limits<std::int32_t>::max(), terms.unit.rows);
  in.text("person", terms.unit.person);
  in.flag("allow_unproved", terms.allow_unproved);
  in.number("epsilon", promise.epsilon);
  in.number("delta", promise.delta);
  in.number("rho", promise.rho);
  in.number("mu", promise.mu);
  in.number("basic_share", basic_share);
  in.number("draws", draws);
  const Json* caps = in.find("caps");
  if (!in.has("name")) {
    in.refuse({ErrorCode::BadRequest, "a ledger needs a {name}", "name"});
  }
  if (caps != nullptr && (promise.given() || basic_share)) {
    in.refuse({ErrorCode::BadRequest, "give a promise ({epsilon}, ...) or caps, not both", "caps"});
  }
  return in.finish()
      .and_then([&] { return parse_relation(neighbours); })
      .and_then([&](Relation relation) {
        terms.relation = relation;
        return caps != nullptr ? take_caps(*caps, draws, terms)
                               : take_promise(promise, basic_share, draws, terms);
      })
      .map([&] { return terms; });
}

}  // namespace eigenveil
