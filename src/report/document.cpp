#include "eigenveil/report/document.hpp"

#include "eigenveil/report/fields.hpp"
#include "report/not_protected.hpp"

namespace eigenveil {

std::optional<Release<Matrix>> ReleaseDocument::array(std::string_view table) const {
  for (const ReleasedTable& released : tables) {
    if (released.name == table) {
      return trusted::assume_released(released.values, guarantee_, method);
    }
  }
  return std::nullopt;
}

std::string null_reason(const ReleaseDocument& document) {
  const auto* null = field<bool>(document.result, "null");
  if (null != nullptr && *null) {
    return "the noisy eigengap is too small for this budget: no components are released";
  }
  const auto* outcome = field<std::string>(document.result, "outcome");
  if (outcome != nullptr && *outcome == "null") {
    return "no subspace is shared by enough of the rows to be told at this budget";
  }
  if (outcome != nullptr && *outcome == "not achievable") {
    return "at this size no noise level meets the target: nothing was drawn";
  }
  return {};
}

std::vector<std::string> not_protected(Relation relation, const std::string& person) {
  std::vector<std::string> facts = {
      "the names and number of columns", "the bounds, budget and options given on the command line",
      "how long the program ran",
      person.empty() ? std::string("people who are related to, or described by, several rows")
                     : "people who have several values of " + person +
                           ", and what the rows of their relatives say of them"};
  if (row_count_is_public(relation)) {
    facts.emplace_back("the number of rows");
  }
  return facts;
}

std::vector<std::string> not_protected(const ReleaseDocument& document) {
  std::vector<std::string> facts =
      not_protected(document.guarantee().relation, document.guarantee().person);
  if (field<std::string>(document.parameters, "study_hash") != nullptr) {
    facts.emplace_back(
        "who takes part: both aggregators see addresses and times, and whoever issues codes knows "
        "to whom they went");
  }
  return facts;
}

std::string headline(const Guarantee& guarantee, const Budget& requested) {
  Guarantee stated = guarantee;
  // An implied pair may be stated in place of the tighter curve, never the other way round.
  if (const auto* approx = std::get_if<ApproxDp>(&requested)) {
    stated.loss = *approx;
  } else if (const auto* zcdp = std::get_if<Zcdp>(&requested)) {
    stated.loss = *zcdp;
  }
  return in_words(stated);
}

}  // namespace eigenveil
