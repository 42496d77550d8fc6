#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// "First" is announced when sign * (statistic - threshold) > 0; `swapped` audits (second, first).
struct AuditRule {
  double threshold = 0.0;
  double sign = 1.0;
  bool swapped = false;
};

/// The exact probabilities that a test announces "first", on the first and on the second data set.
struct ExactTest {
  double power = 0.0;
  double false_alarm = 1.0;
};

/// One attack: a neighbouring pair of data sets, the mechanism run on either, and a number computed
/// from what it released (the log likelihood ratio where it is known: no test has more power).
struct AuditCase {
  std::string name;
  Loss claim;  ///< what the mechanism promises for this pair
  std::function<double(RandomStream&)> statistic_on_first;
  std::function<double(RandomStream&)> statistic_on_second;
  /// Known beforehand, from the law of the statistic: then every run measures and none picks.
  std::optional<AuditRule> rule = std::nullopt;
  /// Where the law on the first table is known: the probability that the rule announces it if the
  /// loss were `factor` times the claim, increasing. Then only this table is run, and the bound is
  /// the smallest loss whose law fits: a draw whose worst outcomes are too rare to be seen shows a
  /// wrong exponent all the same.
  std::function<double(double factor)> law = nullptr;
  /// What the rule announces, where that is known: says how many runs refute a mutant.
  std::optional<ExactTest> exact = std::nullopt;
};

/// What one test achieved, right with the confidence asked for.
struct AuditResult {
  std::string name;
  double power = 0.0;          ///< lower bound on P(test says "first" | first)
  double false_alarm = 1.0;    ///< upper bound on P(test says "first" | second); 1 with a law
  double allowed_power = 1.0;  ///< the claim's largest power there
  double lower_bound = 0.0;    ///< on the loss, in the unit of the claim
  double claimed = 0.0;        ///< the claim in the same unit
  std::string unit;            ///< "mu", "epsilon", or "power" where the claim is a curve
  /// The claim is refuted: a test achieved more power than it allows.
  bool refuted() const { return power > allowed_power; }
};

struct AuditSettings {
  std::uint64_t runs = 100'000;  ///< on each data set; half picks the threshold, half measures
  double error = 1e-3;           ///< probability that an honest mechanism is refuted
  int threads = 1;
};

/// Runs the mechanism on both data sets, picks on one half of the runs the threshold and direction
/// with the largest lower bound on the loss, or most power, in normal quantiles, beyond what a
/// claim that is a curve allows (unless the case has its rule), measures that test on the other
/// half, and turns counts into Clopper-Pearson bounds. Results do not depend on the number of
/// threads.
AuditResult audit(const AuditCase& attack, const AuditSettings& settings, RandomStream& stream);

/// The lower bound on a pure loss that `audit` reports for a rule with exactly these probabilities,
/// but for probability `miss`: Clopper-Pearson bounds at the quantiles of the two counts.
double guaranteed_epsilon(const ExactTest& test, const AuditSettings& settings, double miss);
/// The fewest runs, a power of two times 1024 up to `most`, that refute the claim of an attack with
/// known probabilities but for probability `miss`; 0 if there are none or nothing is known.
std::uint64_t runs_to_refute(const AuditCase& attack, const AuditSettings& most, double miss);

}  // namespace eigenveil
