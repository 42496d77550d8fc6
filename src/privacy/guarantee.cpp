#include "eigenveil/privacy/guarantee.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/privacy/conversion.hpp"

namespace eigenveil {
namespace {

constexpr std::string_view kPowerField = "max_power_at_5pct";

struct BasisWords {
  Basis basis;
  std::string_view name;
  std::string_view description;
  BasisCondition condition = {};
  std::string_view power_field = kPowerField;
};

constexpr std::array kBases = {
    BasisWords{Basis::Proved, "proved", "holds for every data set (proved)"},
    BasisWords{Basis::ProvedRealArithmetic, "proved-real-arithmetic",
               "holds for every data set (proved for real arithmetic)"},
    BasisWords{Basis::Asymptotic,
               "asymptotic",
               "holds for this data set as its size grows, not for a given size",
               {"in the limit of many rows", "for the number of rows at hand nothing is proved"},
               "max_power_at_5pct_in_the_limit"},
    BasisWords{Basis::ModelProbability,
               "model-probability",
               "holds with high probability over data from the model, not for every data set",
               {"with high probability over data drawn from the model",
                "for other data, or a person unlike the model, nothing limits detection"},
               "max_power_at_5pct_if_model_holds"},
    BasisWords{Basis::NotPrivate, "not-private", "NOT PRIVATE"},
};

/// At most six digits, never less than the value: a printed loss must not look smaller than it is.
std::string printed_up(double value) {
  std::string text = fmt::format("{:.6g}", value);
  double printed = 0.0;  // from_chars: strtod would read a comma where the locale has one
  std::from_chars(text.data(), text.data() + text.size(), printed);
  if (std::isfinite(value) && printed < value) {
    const double step = std::pow(10.0, std::floor(std::log10(value)) - 5.0);
    text = fmt::format("{:.6g}", value + 0.5 * step);
  }
  return text;
}

/// Curves have no parameter to print, so they are summed up at a customary delta; where a curve has
/// no finite epsilon there, at the next that has one.
constexpr std::array kSummaryDeltas = {1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4,
                                       1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1,  0.2,  0.5};

ApproxDp summary_of(const Loss& loss) {
  for (const double delta : kSummaryDeltas) {
    const double epsilon = epsilon_at(loss, delta);
    if (std::isfinite(epsilon)) {
      return {epsilon, delta};
    }
  }
  return {0.0, 1.0};  // which every mechanism satisfies
}

struct LossWords {
  bool asymptotic;
  Loss whole;

  std::string operator()(const PureDp& loss) const {
    return fmt::format("{}-DP (pure)", printed_up(loss.epsilon));
  }
  std::string operator()(const ApproxDp& loss) const {
    return fmt::format("({}, {})-DP", printed_up(loss.epsilon), printed_up(loss.delta));
  }
  std::string operator()(const Zcdp& loss) const {
    return fmt::format("{}-zCDP", printed_up(loss.rho));
  }
  std::string operator()(const GaussianDp& loss) const {
    return fmt::format("{}-{}", printed_up(loss.mu), asymptotic ? "AGDP" : "GDP");
  }
  std::string operator()(const RenyiCurve& loss) const {
    return fmt::format("a Renyi curve of {} orders, which implies {}", loss.orders.size(),
                       summary());
  }
  std::string operator()(const TradeOffCurve&) const {
    return fmt::format("a trade-off curve, which implies {}", summary());
  }
  std::string summary() const { return (*this)(summary_of(whole)); }
};

/// "adding or removing one row", "... up to 4 rows" for groups, "... one person with all rows".
std::string neighbours_in_words(const Guarantee& guarantee) {
  std::string words(describe(guarantee.relation));
  constexpr std::string_view kOneRow = "one row";
  if (!guarantee.person.empty()) {
    words.replace(words.find(kOneRow), kOneRow.size(),
                  fmt::format("one person with all rows of the same {}", guarantee.person));
  } else if (guarantee.group_size > 1) {
    words.replace(words.find(kOneRow), kOneRow.size(),
                  fmt::format("up to {} rows", guarantee.group_size));
  }
  return words;
}

}  // namespace

std::string_view name_of(Basis basis) {
  return kBases.at(static_cast<std::size_t>(basis)).name;
}

std::string_view describe(Basis basis) {
  return kBases.at(static_cast<std::size_t>(basis)).description;
}

BasisCondition condition_of(Basis basis) {
  return kBases.at(static_cast<std::size_t>(basis)).condition;
}

Result<Basis> parse_basis(std::string_view name) {
  for (const BasisWords& words : kBases) {
    if (words.name == name) {
      return words.basis;
    }
  }
  return bad_request(fmt::format(
      "unknown basis '{}'; known: proved, proved-real-arithmetic, asymptotic, model-probability, "
      "not-private",
      name));
}

std::string in_words(const Guarantee& guarantee) {
  const bool is_private = guarantee.basis != Basis::NotPrivate;
  const Basis basis = is_private ? guarantee.basis : guarantee.would_be;
  const LossWords words{basis == Basis::Asymptotic, guarantee.loss};
  const std::string statement =
      fmt::format("{} for {}", std::visit(words, guarantee.loss), neighbours_in_words(guarantee));
  if (is_private) {
    return fmt::format("{}; {}", statement, describe(basis));
  }
  if (basis == Basis::NotPrivate) {
    return fmt::format(
        "NOT PRIVATE: no guarantee holds (the rule that was asked for promises {} and is known to "
        "be unsound)",
        statement);
  }
  // What it would have supposed belongs to what it would have been.
  return condition_of(basis).empty()
             ? fmt::format("NOT PRIVATE: no guarantee holds (it would have been {})", statement)
             : fmt::format("NOT PRIVATE: no guarantee holds (it would have been {}; {})", statement,
                           describe(basis));
}

std::string detection_in_words(const Guarantee& guarantee) {
  if (guarantee.basis == Basis::NotPrivate) {
    return "NOT PRIVATE: nothing limits how well a given person can be detected";
  }
  const std::string bound = fmt::format(
      "someone who accepts 5% false alarms detects a given {} with at most {:.1f}% power",
      guarantee.group_size > 1 && guarantee.person.empty()
          ? fmt::format("group of {} rows", guarantee.group_size)
          : "person",
      power_in_percent(guarantee.loss));
  const BasisCondition condition = condition_of(guarantee.basis);
  return condition.empty()
             ? bound
             : fmt::format("{}, {}; {}", condition.supposing, bound, condition.not_covered);
}

double power_in_percent(const Loss& loss) {
  return std::min(1000.0, std::ceil(1000.0 * max_power(loss, 0.05))) / 10.0;
}

StatedPower stated_power(const Guarantee& guarantee) {
  const bool is_private = guarantee.basis != Basis::NotPrivate;
  return {std::string(kBases.at(static_cast<std::size_t>(guarantee.basis)).power_field),
          is_private ? max_power(guarantee.loss, 0.05) : 1.0};
}

double max_power(const Loss& loss, double false_alarm) {
  return std::min(1.0, up(1.0 - trade_off(loss, false_alarm)));
}

}  // namespace eigenveil
