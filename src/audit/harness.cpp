#include "eigenveil/audit/harness.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "eigenveil/audit/binomial_bounds.hpp"
#include "eigenveil/core/parallel.hpp"
#include "eigenveil/privacy/conversion.hpp"

namespace eigenveil {
namespace {

constexpr std::uint64_t kRunsPerTask = 4096;

using Statistics = std::vector<double>;

Statistics run_many(const std::function<double(RandomStream&)>& statistic, std::uint64_t runs,
                    int threads, const RandomStream& family) {
  Statistics values(runs);
  const std::uint64_t tasks = (runs + kRunsPerTask - 1) / kRunsPerTask;
  parallel_for(tasks, threads, [&](std::size_t task) {
    RandomStream own = family.substream(task);
    const std::uint64_t end = std::min(runs, (task + 1) * kRunsPerTask);
    for (std::uint64_t run = task * kRunsPerTask; run < end; ++run) {
      values[run] = statistic(own);
    }
  });
  return values;
}

/// "First" is announced when sign * (statistic - threshold) > 0; `swapped` audits (second, first).
struct Rule {
  double threshold = 0.0;
  double sign = 1.0;
  bool swapped = false;
};

std::uint64_t announcements(const Statistics& values, const Rule& rule) {
  return static_cast<std::uint64_t>(std::count_if(values.begin(), values.end(), [&](double value) {
    return rule.sign * (value - rule.threshold) > 0.0;
  }));
}

AuditResult measure(const Statistics& first, const Statistics& second, const Rule& rule,
                    const AuditCase& attack, const AuditSettings& settings) {
  const Statistics& target = rule.swapped ? second : first;
  const Statistics& other = rule.swapped ? first : second;
  const double error = settings.error / 2.0;  // one half for each proportion
  AuditResult result;
  result.name = attack.name;
  result.power = binomial_lower(announcements(target, rule), target.size(), error);
  result.false_alarm = binomial_upper(announcements(other, rule), other.size(), error);
  result.allowed_power = max_power(attack.claim, result.false_alarm);
  const double excess = result.power - settings.delta;
  result.epsilon_lower = excess > 0.0 ? std::max(0.0, std::log(excess / result.false_alarm)) : 0.0;
  if (result.power > 0.0 && result.power < 1.0 && result.false_alarm < 1.0) {
    const boost::math::normal standard;
    result.mu_lower = std::max(0.0, boost::math::quantile(standard, result.power) -
                                        boost::math::quantile(standard, result.false_alarm));
  }
  return result;
}

/// How close to broken the claim is, on the scale of the claim: log of the odds by which the
/// measured power beats what is allowed.
double closeness(const AuditResult& result) {
  const double floor = std::numeric_limits<double>::min();
  const double power_odds =
      std::log(std::max(result.power, floor)) - std::log(std::max(result.allowed_power, floor));
  const double miss_odds = std::log(std::max(1.0 - result.allowed_power, floor)) -
                           std::log(std::max(1.0 - result.power, floor));
  return std::max(power_odds, miss_odds);
}

Rule best_rule(const Statistics& first, const Statistics& second, const AuditCase& attack,
               const AuditSettings& settings) {
  constexpr int kCandidates = 64;
  Statistics pooled = first;
  pooled.insert(pooled.end(), second.begin(), second.end());
  std::sort(pooled.begin(), pooled.end());
  Rule best;
  double best_closeness = -std::numeric_limits<double>::infinity();
  for (int candidate = 1; candidate < kCandidates; ++candidate) {
    const double threshold =
        pooled[pooled.size() * static_cast<std::size_t>(candidate) / kCandidates];
    for (const Rule rule : {Rule{threshold, 1.0, false}, Rule{threshold, -1.0, true},
                            Rule{threshold, -1.0, false}, Rule{threshold, 1.0, true}}) {
      const double value = closeness(measure(first, second, rule, attack, settings));
      if (value > best_closeness) {
        best_closeness = value;
        best = rule;
      }
    }
  }
  return best;
}

}  // namespace

AuditResult audit(const AuditCase& attack, const AuditSettings& settings, RandomStream& stream) {
  const RandomStream family = stream.substream(stream.bits64());
  const auto runs = [&](const auto& statistic, std::uint64_t index) {
    return run_many(statistic, settings.runs / 2, settings.threads, family.substream(index));
  };
  const Rule rule = best_rule(runs(attack.statistic_on_first, 0),
                              runs(attack.statistic_on_second, 1), attack, settings);
  return measure(runs(attack.statistic_on_first, 2), runs(attack.statistic_on_second, 3), rule,
                 attack, settings);
}

}  // namespace eigenveil
