#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/relation.hpp"

namespace eigenveil {

struct PureDp {
  double epsilon;
};
struct ApproxDp {
  double epsilon;
  double delta;
};
/// rho-zero-concentrated DP.
struct Zcdp {
  double rho;
};
/// mu-Gaussian DP. With basis Asymptotic this is mu-AGDP.
struct GaussianDp {
  double mu;
};
/// Renyi divergence of order `orders[i]` is at most `divergences[i]`; orders increase from above 1.
struct RenyiCurve {
  std::vector<double> orders;
  std::vector<double> divergences;
};
/// A piecewise linear convex lower bound on the trade-off function: type II error `type_two[i]` at
/// type I error `type_one[i]`, from (0, beta_0) to (1, 0), type_one increasing. Holds for both
/// directions of a pair.
struct TradeOffCurve {
  std::vector<double> type_one;
  std::vector<double> type_two;
};

using Loss = std::variant<PureDp, ApproxDp, Zcdp, GaussianDp, RenyiCurve, TradeOffCurve>;

/// What the statement rests on, strongest first. Composition keeps the weakest.
enum class Basis : std::uint8_t {
  Proved,                ///< for every data set, for the code that ran (grid arithmetic)
  ProvedRealArithmetic,  ///< for every data set, if doubles behaved like real numbers
  Asymptotic,            ///< for this data set, as its size grows
  ModelProbability,      ///< with high probability over data from a model
  NotPrivate,            ///< seeded randomness or a rule known to be unsound
};

std::string_view name_of(Basis basis);   ///< "proved-real-arithmetic", as in release.json
std::string_view describe(Basis basis);  ///< "holds for every data set (proved)"

/// What a basis supposes, and what it therefore does not cover. Both empty: it covers every data
/// set, and a bound on detection may stand alone. Otherwise the bound is never said without them.
struct BasisCondition {
  std::string_view supposing;    ///< "in the limit of many rows"
  std::string_view not_covered;  ///< "for the number of rows at hand nothing is proved"

  bool empty() const { return supposing.empty(); }
};
BasisCondition condition_of(Basis basis);

[[nodiscard]] Result<Basis> parse_basis(std::string_view name);

/// A guarantee is a value and travels with every release.
struct Guarantee {
  Relation relation = Relation::AddRemove;
  Loss loss = PureDp{0.0};
  Basis basis = Basis::NotPrivate;
  std::vector<std::string> assumptions;
  bool secure_random = false;
  int group_size = 1;  ///< rows protected together; the loss is stated for the whole group
  /// With basis NotPrivate: what the basis would have been had the randomness been secret.
  Basis would_be = Basis::NotPrivate;
  /// Column that says whose a row is: the unit is a person with all their rows, of which the first
  /// `group_size` count, and nothing is said about single rows. Empty: rows.
  std::string person = {};
};

/// Sequential composition. Different relations: an error, never a guess. The basis is the weaker
/// one, the assumptions are both lists. Equal kinds add in closed form; mixed kinds go through the
/// loss both can be bounded in (see composition.hpp).
[[nodiscard]] Result<Guarantee> compose(const Guarantee& first, const Guarantee& second);

/// "(1, 1e-06)-DP for adding or removing one row; holds for every data set (proved)".
std::string in_words(const Guarantee& guarantee);

/// "someone who accepts 5% false alarms detects a given person with at most 8.0% power", from the
/// tightest curve proved for the loss; rounded up. A basis with a condition puts it before the
/// sentence, and what is not covered after it.
std::string detection_in_words(const Guarantee& guarantee);

/// The number of that sentence, in percent: tenths, rounded up.
double power_in_percent(const Loss& loss);

/// The number as documents state it, under a name that says its condition: "max_power_at_5pct",
/// "max_power_at_5pct_if_model_holds". 1 where no guarantee holds.
struct StatedPower {
  std::string field;
  double power;
};
StatedPower stated_power(const Guarantee& guarantee);

/// The largest power of any test with the given false-alarm rate: 1 - trade_off(false_alarm).
double max_power(const Loss& loss, double false_alarm);

}  // namespace eigenveil
