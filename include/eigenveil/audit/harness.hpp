#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// One attack: a neighbouring pair of data sets, the mechanism run on either, and a number computed
/// from what it released (the log likelihood ratio where it is known: no test has more power).
struct AuditCase {
  std::string name;
  Loss claim;  ///< what the mechanism promises for this pair
  std::function<double(RandomStream&)> statistic_on_first;
  std::function<double(RandomStream&)> statistic_on_second;
};

/// Lower bounds on the true loss, each right with the confidence asked for.
struct AuditResult {
  std::string name;
  double power = 0.0;          ///< lower bound on P(statistic says "first" | first)
  double false_alarm = 1.0;    ///< upper bound on P(statistic says "first" | second)
  double epsilon_lower = 0.0;  ///< at the delta asked for
  double mu_lower = 0.0;
  double allowed_power = 1.0;  ///< the claim's largest power at that false-alarm rate
  /// The claim is refuted: a test achieved more power than it allows.
  bool refuted() const { return power > allowed_power; }
};

struct AuditSettings {
  std::uint64_t runs = 100'000;  ///< on each data set; half picks the threshold, half measures
  double error = 1e-3;           ///< probability that an honest mechanism is refuted
  double delta = 0.0;            ///< for epsilon_lower
  int threads = 1;
};

/// Runs the mechanism on both data sets, picks on one half of the runs the threshold (and the
/// direction) that comes closest to breaking the claim, measures it on the other half, and turns
/// counts into Clopper-Pearson bounds. Results do not depend on the number of threads.
AuditResult audit(const AuditCase& attack, const AuditSettings& settings, RandomStream& stream);

}  // namespace eigenveil
