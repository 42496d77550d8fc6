#include "audit/subspace_learning_cases.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "mechanism/subspace/exact_subspace.hpp"
#include "mechanism/subspace/stability_histogram.hpp"
#include "mechanism/subspace/stable_core.hpp"

namespace eigenveil {
namespace {

using DrawnStatistic = std::function<double(RandomStream&)>;

/// `first` points on one line of the plane, `second` on another.
ExactPoints two_lines(std::int64_t first, std::int64_t second) {
  ExactPoints points(2, 10);
  for (std::int64_t i = 0; i < first; ++i) {
    points.add({1, 0});
  }
  for (std::int64_t i = 0; i < second; ++i) {
    points.add({0, 1});
  }
  return points;
}

/// As many points on one line as the null score asks for, and others each on its own.
ExactPoints crowd(std::int64_t together, std::int64_t alone, bool with_target) {
  ExactPoints points(2, 1000);
  // First, because ties go to the first candidate.
  points.add(with_target ? std::vector<std::int64_t>{1, 999} : std::vector<std::int64_t>{1, 0});
  for (std::int64_t i = 0; i < together; ++i) {
    points.add({1, 0});
  }
  for (std::int64_t i = 0; i < alone; ++i) {
    points.add({i + 1, 100});
  }
  return points;
}

DrawnStatistic released(const ExactSubspacePlan& plan, ExactPoints points, double x, double y) {
  return [plan, points = std::move(points), x, y](RandomStream& stream) {
    const Release<ExactSubspace> release = plan.run(points, stream);
    if (!release.value().found) {
      return 0.0;
    }
    const Matrix& frame = release.value().frame;
    return std::abs(frame(0, 0) * y - frame(1, 0) * x) < 1e-9 ? 1.0 : 0.0;
  };
}

ExactSubspaceRequest gap_request(const ApproxDp& budget) {
  ExactSubspaceRequest request;
  request.dimension = 2;
  request.budget = budget;
  request.aggregate = ExactAggregate::GapMax;
  request.exceptions = 0;
  request.max_abs = 10;
  return request;
}

/// The shipped rule with noise for `run` on points of two lines. Of a + b points the gap is
/// a - b - 1, and one replaced point moves it from 2 to 4.
Result<AuditCase> gap_case(std::string name, const ApproxDp& claim, const ApproxDp& run) {
  const Result<TruncatedLaplace> noise = TruncatedLaplace::make(2, run.epsilon, run.delta);
  if (!noise) {
    return error_of(noise);
  }
  ExactSubspaceRequest request = gap_request(run);
  request.rows = static_cast<std::size_t>(2 * noise->bound() + 5);
  const auto n = static_cast<std::int64_t>(request.rows);
  const std::int64_t low = (n + 3) / 2;
  return ExactSubspacePlan::make(request).map([&](const ExactSubspacePlan& plan) {
    return AuditCase{std::move(name), claim, released(plan, two_lines(low + 1, n - low - 1), 1, 0),
                     released(plan, two_lines(low, n - low), 1, 0)};
  });
}

Result<SubspaceAttacks> gap_attacks(const ApproxDp& budget, bool mutants) {
  const Result<AuditCase> shipped = gap_case("gapmax, as shipped", budget, budget);
  if (!shipped) {
    return error_of(shipped);
  }
  SubspaceAttacks attacks{"gapmax", {*shipped}};
  if (mutants) {
    // Noise for half the sensitivity is that of the shipped rule at twice the epsilon.
    const Result<AuditCase> narrow = gap_case("noise for sensitivity 1 instead of 2", budget,
                                              {2.0 * budget.epsilon, budget.delta});
    if (!narrow) {
      return error_of(narrow);
    }
    attacks.cases.push_back(*narrow);
    ExactSubspaceRequest published = gap_request(budget);
    published.published = true;
    published.exceptions = 1;
    published.max_abs = 1000;
    const auto together = static_cast<std::int64_t>(
        std::llround(2.0 + 4.0 * std::log(1.0 / budget.delta) / budget.epsilon));
    published.rows = static_cast<std::size_t>(together + 6);
    const Result<ExactSubspacePlan> rule = ExactSubspacePlan::make(published);
    if (!rule) {
      return error_of(rule);
    }
    attacks.cases.push_back({"the published rule: noise for every candidate", budget,
                             released(*rule, crowd(together, 5, true), 1, 999),
                             released(*rule, crowd(together, 5, false), 1, 999)});
  }
  return attacks;
}

std::vector<Vote> votes(std::int64_t first, std::int64_t second) {
  Digest a{};
  Digest b{};
  b[0] = 1;
  std::vector<Vote> all(static_cast<std::size_t>(first), Vote(a));
  all.insert(all.end(), static_cast<std::size_t>(second), Vote(b));
  return all;
}

/// Noisy count of the winner, negative when it is the second cell; 0 for NULL.
double signed_count(const std::optional<NoisyWinner>& winner, std::int64_t first) {
  if (!winner) {
    return 0.0;
  }
  const auto count = static_cast<double>(winner->noisy_count);
  return static_cast<std::int64_t>(winner->group) < first ? 1e6 - count : -1e6 + count;
}

/// Mutants whose rule, not their noise, is wrong: no budget makes the shipped histogram do this.
struct BrokenHistogram {
  TruncatedLaplace noise;
  std::int64_t threshold;
  bool compares_true_count = false;

  std::optional<NoisyWinner> winner(std::int64_t first, std::int64_t second,
                                    RandomStream& stream) const {
    std::optional<NoisyWinner> best;
    std::size_t group = 0;
    for (const std::int64_t count : {first, second}) {
      const std::int64_t noisy = count + noise.draw(stream);
      const bool passes = count > 0 && (compares_true_count ? count : noisy) > threshold;
      if (passes && (!best || noisy > best->noisy_count)) {
        best = NoisyWinner{group, noisy};
      }
      group += static_cast<std::size_t>(count);
    }
    return best;
  }
};

DrawnStatistic broken(const BrokenHistogram& histogram, std::int64_t first, std::int64_t second) {
  return [=](RandomStream& stream) {
    return signed_count(histogram.winner(first, second, stream), first);
  };
}

Result<SubspaceAttacks> histogram_attacks(const ApproxDp& budget, bool mutants) {
  const Result<StabilityHistogram> made = StabilityHistogram::make(budget);
  const Result<TruncatedLaplace> full = TruncatedLaplace::make(1, budget.epsilon, budget.delta);
  if (!made || !full) {
    return made ? Result<SubspaceAttacks>(error_of(full)) : error_of(made);
  }
  const std::int64_t half = made->noise_bound() + 2;
  const auto shipped = [](const StabilityHistogram& histogram, std::int64_t first,
                          std::int64_t second) -> DrawnStatistic {
    return [histogram, all = votes(first, second), first](RandomStream& stream) {
      return signed_count(histogram.winner(all, stream), first);
    };
  };
  SubspaceAttacks attacks{"histogram of votes", {}};
  attacks.cases.push_back({"histogram of votes, as shipped", budget, shipped(*made, half + 1, half),
                           shipped(*made, half, half + 1)});
  if (mutants) {
    // The budget for each of two counts is what one count would get: twice the shipped one.
    const Result<StabilityHistogram> twice =
        StabilityHistogram::make({2.0 * budget.epsilon, 2.0 * budget.delta});
    if (!twice) {
      return error_of(twice);
    }
    attacks.cases.push_back({"sensitivity 1 instead of 2", budget, shipped(*twice, half + 1, half),
                             shipped(*twice, half, half + 1)});
    attacks.cases.push_back(
        {"threshold without the log", budget, broken({*full, 1}, 1, 0), broken({*full, 1}, 0, 0)});
    attacks.cases.push_back({"true count instead of noisy count", budget,
                             broken({*full, half, true}, half + 1, half),
                             broken({*full, half, true}, half, half)});
  }
  return attacks;
}

/// Groups on a line, in units of the radius: one at `moved`, the others at zero.
GroupPositions core_positions(std::int64_t groups, double moved) {
  const GroupShape shape{1, 1, 1, static_cast<std::size_t>(groups), 3, 0x1p-14};
  Matrix places = Matrix::Zero(1, groups);
  places(0, 0) = moved / shape.step;
  return GroupPositions::at(shape, places);
}

/// A number of what the core releases for fixed positions; the groups are counted once, not in
/// every run.
template <class Number>
DrawnStatistic core_statistic(const StableCore& core, const GroupPositions& positions,
                              Number number) {
  return [core, positions, near = core.near(positions, 1), number](RandomStream& stream) {
    return number(core.run(positions, near, stream));
  };
}

/// The shipped core with each part of its budget multiplied: too little noise is what a core does
/// that believes in a smaller sensitivity.
Result<StableCore> core_with(const StableCore& core, std::int64_t groups, double weighing,
                             double average) {
  CoreBudget split = core.budget();
  split.weighing.epsilon *= weighing;
  split.average.mu *= average;
  return StableCore::make(core_positions(groups, 0.0).shape, {1.0}, split);
}

constexpr std::int64_t kWeighedGroups = 9;

/// All groups at one place against one of them far away: the weight moves by all of K.
Result<SubspaceAttacks> weighing_attacks(const ApproxDp& budget, bool mutants) {
  const Result<StableCore> core =
      StableCore::make(core_positions(kWeighedGroups, 0.0).shape, {1.0}, budget);
  if (!core) {
    return error_of(core);
  }
  const auto weighed = [](const StableCore& by, double moved) -> DrawnStatistic {
    return core_statistic(by, core_positions(kWeighedGroups, moved),
                          [](const std::optional<CoreAverage>& average) {
                            return average ? average->noisy_share : -1.0;
                          });
  };
  constexpr double kFarAway = 0x1p16;
  SubspaceAttacks attacks{"weighing of the core", {}};
  attacks.cases.push_back(
      {"weighing of the core, as shipped", budget, weighed(*core, 0.0), weighed(*core, kFarAway)});
  if (mutants) {
    const CoreUnits units{kWeighedGroups};
    const double forgotten =
        static_cast<double>(units.sensitivity()) / static_cast<double>(units.full());
    const Result<StableCore> narrow = core_with(*core, kWeighedGroups, forgotten, 1.0);
    if (!narrow) {
      return error_of(narrow);
    }
    attacks.cases.push_back({"K = 1: a moved group counted, its effect on others not", budget,
                             weighed(*narrow, 0.0), weighed(*narrow, kFarAway)});
  }
  return attacks;
}

/// Log likelihood ratio of the average, one group a radius above against a radius below the others,
/// all of them at full weight. The weight is the same for both, so What says nothing and the
/// average alone must be mu-GDP. The mean moves by 2 r / t, and the lemma allows 1.25 times that at
/// full weight: noise that is half as large again too small passes this audit, and the rest is left
/// to the proof and its enumeration.
DrawnStatistic averaged(const StableCore& core, std::int64_t groups, bool above) {
  const double mean = 1.0 / static_cast<double>(groups);
  return core_statistic(core, core_positions(groups, above ? 1.0 : -1.0),
                        [mean](const std::optional<CoreAverage>& average) {
                          return average ? 2.0 * mean * average->reference_points(0, 0) /
                                               (average->noise_sd * average->noise_sd)
                                         : 0.0;
                        });
}

Result<SubspaceAttacks> average_attacks(const ApproxDp& budget, bool mutants) {
  // Groups enough that the average is always released and its noise, for the weight less up to
  // twice the bound of the weighing's noise, is little more than that for the whole weight.
  constexpr std::int64_t kMostGroups = 2000;
  std::int64_t groups = 11;
  Result<StableCore> core = bad_request("");
  for (; groups <= kMostGroups; groups += groups / 5) {
    core = StableCore::make(core_positions(groups, 0.0).shape, {1.0}, budget);
    const CoreUnits units{groups};
    if (core && groups * units.full() > 8 * core->noise_bound()) {
      break;
    }
  }
  if (!core || groups > kMostGroups) {
    return bad_request("the budget is too small for an attack on the core's average; spend more");
  }
  const GaussianDp claim = core->budget().average;
  SubspaceAttacks attacks{"average of the core", {}};
  attacks.cases.push_back({"average of the core, as shipped", claim, averaged(*core, groups, true),
                           averaged(*core, groups, false)});
  if (mutants) {
    // Noise for a mean that moves by r / t instead of 2 B r / W.
    const CoreUnits units{groups};
    const auto full = static_cast<double>(units.full());
    const double mass = units.moved_mass(full * static_cast<double>(groups)) / full;
    const Result<StableCore> careless = core_with(*core, groups, 1.0, 2.0 * mass);
    if (!careless) {
      return error_of(careless);
    }
    attacks.cases.push_back({"noise for radius / groups: neither moved weights nor the diameter",
                             claim, averaged(*careless, groups, true),
                             averaged(*careless, groups, false)});
  }
  return attacks;
}

}  // namespace

Result<std::vector<SubspaceAttacks>> subspace_attacks(const ApproxDp& budget, bool mutants) {
  std::vector<SubspaceAttacks> all;
  for (const auto& make : {gap_attacks, histogram_attacks, weighing_attacks, average_attacks}) {
    Result<SubspaceAttacks> attacks = make(budget, mutants);
    if (!attacks) {
      return error_of(attacks);
    }
    all.push_back(std::move(*attacks));
  }
  return all;
}

Result<std::vector<Attack>> subspace_learning_attacks(const AuditRequest& request) {
  const auto* budget = std::get_if<ApproxDp>(&request.budget);
  if (budget == nullptr) {
    return bad_request("this audit needs {epsilon} with {delta}");
  }
  return subspace_attacks(*budget, request.mutants).map([](std::vector<SubspaceAttacks> families) {
    std::vector<Attack> attacks;
    for (SubspaceAttacks& family : families) {
      for (std::size_t i = 0; i < family.cases.size(); ++i) {
        AuditCase& attack = family.cases[i];
        attack.name = i > 0 ? family.name + ", mutant: " + attack.name : attack.name;
        attacks.push_back(
            {std::move(attack), i > 0 ? AttackKind::Mutant : AttackKind::Shipped, ""});
      }
    }
    return attacks;
  });
}

}  // namespace eigenveil
