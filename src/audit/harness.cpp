#include "audit/harness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/binomial_bounds.hpp"
#include "core/distributions.hpp"
#include "core/parallel.hpp"
#include "eigenveil/core/cancellation.hpp"

namespace eigenveil {
namespace {

constexpr std::uint64_t kRunsPerTask = 4096;

using Statistics = std::vector<double>;

Statistics run_many(const std::function<double(RandomStream&)>& statistic, std::uint64_t runs,
                    int threads, const RandomStream& family) {
  Statistics values(runs);
  const std::uint64_t tasks = (runs + kRunsPerTask - 1) / kRunsPerTask;
  parallel_for(tasks, threads, [&](std::size_t task) {
    RandomStream own = trusted::substream(family, task);
    const std::uint64_t end = std::min(runs, (task + 1) * kRunsPerTask);
    for (std::uint64_t run = task * kRunsPerTask; run < end; ++run) {
      stop_if_cancelled();
      values[run] = statistic(own);
    }
  });
  return values;
}

std::uint64_t announcements(const Statistics& values, const AuditRule& rule) {
  return static_cast<std::uint64_t>(std::count_if(values.begin(), values.end(), [&](double value) {
    return rule.sign * (value - rule.threshold) > 0.0;
  }));
}

/// A lower bound on the loss from P >= power, Q <= false_alarm, in the unit of the claim.
struct LossBound {
  double power;
  double false_alarm;
  double allowed_power;
  AuditResult result;

  /// mu >= Phi^-1(P) - Phi^-1(Q)
  void operator()(const GaussianDp& claim) {
    const bool defined = power > 0.0 && power < 1.0 && false_alarm > 0.0 && false_alarm < 1.0;
    const double mu = defined ? normal_quantile(power) - normal_quantile(false_alarm) : 0.0;
    state("mu", std::max(0.0, mu), claim.mu);
  }
  void operator()(const PureDp& claim) { epsilon(0.0, claim.epsilon); }
  void operator()(const ApproxDp& claim) { epsilon(claim.delta, claim.epsilon); }
  /// Without a natural parameter: the power itself.
  template <class Curve>
  void operator()(const Curve& /*claim*/) {
    state("power", power, allowed_power);
  }

 private:
  /// P <= e^epsilon Q + delta
  void epsilon(double delta, double claimed) {
    const double excess = power - delta;
    state("epsilon", excess > 0.0 ? std::max(0.0, std::log(excess / false_alarm)) : 0.0, claimed);
  }
  void state(const char* unit, double lower_bound, double claimed) {
    result.unit = unit;
    result.lower_bound = lower_bound;
    result.claimed = claimed;
  }
};

AuditResult result_of(const AuditCase& attack, const ExactTest& shown, double allowed_power) {
  LossBound bound{shown.power, shown.false_alarm, allowed_power, {}};
  std::visit(bound, attack.claim);
  bound.result.name = attack.name;
  bound.result.power = shown.power;
  bound.result.false_alarm = shown.false_alarm;
  bound.result.allowed_power = allowed_power;
  return bound.result;
}

/// From a lower bound on the probability of the announcement: the largest loss whose law has no
/// more.
AuditResult law_result(const AuditCase& attack, double power) {
  AuditResult result = result_of(attack, {power, 1.0}, attack.law(1.0));
  double low = 0.0;
  double high = 64.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (attack.law(middle) <= power ? low : high) = middle;
  }
  result.lower_bound = low * result.claimed;
  return result;
}

AuditResult measure(const Statistics& first, const Statistics& second, const AuditRule& rule,
                    const AuditCase& attack, double error) {
  const Statistics& target = rule.swapped ? second : first;
  const Statistics& other = rule.swapped ? first : second;
  const double each = error / 2.0;  // one half for each proportion
  const double power = binomial_lower(announcements(target, rule), target.size(), each);
  const double false_alarm = binomial_upper(announcements(other, rule), other.size(), each);
  return result_of(attack, {power, false_alarm}, max_power(attack.claim, false_alarm));
}

/// Thresholds at even quantiles and far into both tails, where pure epsilon shows.
std::vector<double> candidate_thresholds(Statistics pooled) {
  std::sort(pooled.begin(), pooled.end());
  const auto at = [&](double share) {
    return pooled[static_cast<std::size_t>(share * static_cast<double>(pooled.size() - 1))];
  };
  std::vector<double> thresholds;
  for (int step = 1; step < 64; ++step) {
    thresholds.push_back(at(step / 64.0));
  }
  for (std::size_t parts = 128; pooled.size() / parts > 16; parts *= 2) {
    const double tail = 1.0 / static_cast<double>(parts);
    thresholds.push_back(at(tail));
    thresholds.push_back(at(1.0 - tail));
  }
  return thresholds;
}

/// How much a test says against the claim. Where the loss is a curve the power is no measure:
/// announcing nearly always has most of it, and is allowed nearly all. Nor is its difference from
/// what is allowed, which is least there; on the scale of the normal law both are spread out.
double strength(const AuditResult& result) {
  if (result.unit != "power") {
    return result.lower_bound;
  }
  const auto inside = [](double probability) { return probability > 0.0 && probability < 1.0; };
  return inside(result.power) && inside(result.allowed_power)
             ? normal_quantile(result.power) - normal_quantile(result.allowed_power)
             : -std::numeric_limits<double>::infinity();
}

AuditRule best_rule(const Statistics& first, const Statistics& second, const AuditCase& attack,
                    double error) {
  Statistics pooled = first;
  pooled.insert(pooled.end(), second.begin(), second.end());
  AuditRule best;
  double strongest = -std::numeric_limits<double>::infinity();
  for (const double threshold : candidate_thresholds(std::move(pooled))) {
    for (const AuditRule rule :
         {AuditRule{threshold, 1.0, false}, AuditRule{threshold, -1.0, true}}) {
      const double found = strength(measure(first, second, rule, attack, error));
      if (found > strongest) {
        strongest = found;
        best = rule;
      }
    }
  }
  return best;
}

}  // namespace

AuditResult audit(const AuditCase& attack, const AuditSettings& settings, RandomStream& stream) {
  const RandomStream family = stream.split();
  const std::uint64_t measuring = attack.rule ? settings.runs : settings.runs / 2;
  const auto runs = [&](const auto& statistic, std::uint64_t index) {
    return run_many(statistic, measuring, settings.threads, trusted::substream(family, index));
  };
  if (attack.law) {
    const Statistics seen = runs(attack.statistic_on_first, 2);
    return law_result(
        attack, binomial_lower(announcements(seen, *attack.rule), seen.size(), settings.error));
  }
  const AuditRule rule =
      attack.rule ? *attack.rule
                  : best_rule(runs(attack.statistic_on_first, 0),
                              runs(attack.statistic_on_second, 1), attack, settings.error);
  return measure(runs(attack.statistic_on_first, 2), runs(attack.statistic_on_second, 3), rule,
                 attack, settings.error);
}

namespace {

/// The Clopper-Pearson bounds on a test with these probabilities, but for probability `miss`.
ExactTest guaranteed_test(const ExactTest& test, const AuditSettings& settings, double miss) {
  // Boost rounds quantiles of counts outwards: the low one down, the high one up.
  const auto n = static_cast<double>(settings.runs);
  const auto count = [&](double probability, bool high) {
    const double chance = std::clamp(probability, 0.0, 1.0);
    return static_cast<std::uint64_t>(high ? binomial_upper_quantile(n, chance, miss / 2.0)
                                           : binomial_quantile(n, chance, miss / 2.0));
  };
  const double each = settings.error / 2.0;
  return {binomial_lower(count(test.power, false), settings.runs, each),
          binomial_upper(count(test.false_alarm, true), settings.runs, each)};
}

}  // namespace

double guaranteed_epsilon(const ExactTest& test, const AuditSettings& settings, double miss) {
  const ExactTest shown = guaranteed_test(test, settings, miss);
  return shown.power > 0.0 ? std::max(0.0, std::log(shown.power / shown.false_alarm)) : 0.0;
}

std::uint64_t runs_to_refute(const AuditCase& attack, const AuditSettings& most, double miss) {
  if (!attack.exact) {
    return 0;
  }
  for (std::uint64_t runs = 1024; runs <= most.runs; runs *= 2) {
    const ExactTest shown = guaranteed_test(*attack.exact, {runs, most.error, 1}, miss);
    const AuditResult result =
        attack.law ? law_result(attack, shown.power)
                   : result_of(attack, shown, max_power(attack.claim, shown.false_alarm));
    if (result.refuted()) {
      return runs;
    }
  }
  return 0;
}

}  // namespace eigenveil
