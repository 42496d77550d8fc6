#include "eigenveil/audit/subspace_learning_cases.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "eigenveil/mechanism/exact_subspace.hpp"
#include "eigenveil/mechanism/stability_histogram.hpp"
#include "eigenveil/mechanism/stable_core.hpp"

namespace eigenveil {
namespace {

using Statistic = std::function<double(RandomStream&)>;

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

Statistic released(const ExactSubspacePlan& plan, ExactPoints points, double x, double y) {
  return [plan, points = std::move(points), x, y](RandomStream& stream) {
    const Release<ExactSubspace> release = plan.run(points, stream);
    if (!release.value().found) {
      return 0.0;
    }
    const Matrix& frame = release.value().frame;
    return std::abs(frame(0, 0) * y - frame(1, 0) * x) < 1e-9 ? 1.0 : 0.0;
  };
}

/// The gap rule with the wrong noise: 1 if it releases.
Statistic gap_with(std::int64_t gap, const TruncatedLaplace& noise) {
  return [gap, noise](RandomStream& stream) {
    return gap + noise.draw(stream) > noise.bound() ? 1.0 : 0.0;
  };
}

Result<SubspaceAttacks> gap_attacks(const ApproxDp& budget, bool mutants) {
  ExactSubspaceRequest request;
  request.dimension = 2;
  request.budget = budget;
  request.aggregate = ExactAggregate::GapMax;
  request.exceptions = 0;
  request.max_abs = 10;
  const Result<TruncatedLaplace> honest = TruncatedLaplace::make(2, budget.epsilon, budget.delta);
  const Result<TruncatedLaplace> narrow = TruncatedLaplace::make(1, budget.epsilon, budget.delta);
  if (!honest || !narrow) {
    return error_of(honest ? narrow : honest);
  }
  request.rows = static_cast<std::size_t>(2 * honest->bound() + 5);
  const Result<ExactSubspacePlan> plan = ExactSubspacePlan::make(request);
  if (!plan) {
    return error_of(plan);
  }
  // a + b points on two lines: the gap is a - b - 1, and one replaced point moves it from 2 to 4.
  const auto n = static_cast<std::int64_t>(request.rows);
  const std::int64_t low = (n + 3) / 2;
  SubspaceAttacks attacks{"gapmax", {}};
  attacks.cases.push_back({"gapmax as shipped", budget,
                           released(*plan, two_lines(low + 1, n - low - 1), 1, 0),
                           released(*plan, two_lines(low, n - low), 1, 0)});
  if (mutants) {
    const std::int64_t gap = 2 * low - n - 1;
    attacks.cases.push_back({"noise for sensitivity 1 instead of 2", budget,
                             gap_with(gap + 2, *narrow), gap_with(gap, *narrow)});
    ExactSubspaceRequest published = request;
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

/// A histogram that goes wrong in one way.
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

Statistic broken(const BrokenHistogram& histogram, std::int64_t first, std::int64_t second) {
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
  const StabilityHistogram histogram = *made;
  const std::int64_t half = histogram.noise_bound() + 2;
  const auto shipped = [histogram](std::int64_t first, std::int64_t second) -> Statistic {
    return [histogram, all = votes(first, second), first](RandomStream& stream) {
      return signed_count(histogram.winner(all, stream), first);
    };
  };
  SubspaceAttacks attacks{"histogram of votes", {}};
  attacks.cases.push_back(
      {"histogram as shipped", budget, shipped(half + 1, half), shipped(half, half + 1)});
  if (mutants) {
    attacks.cases.push_back({"sensitivity 1 instead of 2", budget,
                             broken({*full, half}, half + 1, half),
                             broken({*full, half}, half, half + 1)});
    attacks.cases.push_back(
        {"threshold without the log", budget, broken({*full, 1}, 1, 0), broken({*full, 1}, 0, 0)});
    attacks.cases.push_back({"true count instead of noisy count", budget,
                             broken({*full, half, true}, half + 1, half),
                             broken({*full, half, true}, half, half)});
  }
  return attacks;
}

constexpr std::int64_t kCoreGroups = 9;

/// All groups at one point, or one of them far away.
GroupPositions core_positions(bool all_agree) {
  Matrix places = Matrix::Constant(1, kCoreGroups, 1.0);
  if (!all_agree) {
    places(0, 0) = 0x1p30;
  }
  return GroupPositions::at({1, 1, 1, static_cast<std::size_t>(kCoreGroups), 3, 0x1p-14}, places);
}

double weight_of(const std::optional<CoreAverage>& average) {
  return average ? average->noisy_share : -1.0;
}

Statistic weighed_with(std::int64_t weight, const TruncatedLaplace& noise, std::int64_t smallest) {
  return [=](RandomStream& stream) {
    const std::int64_t noisy = weight + noise.draw(stream) - noise.bound();
    return noisy >= smallest ? static_cast<double>(noisy) : -1.0;
  };
}

Result<SubspaceAttacks> core_attacks(const ApproxDp& budget, bool mutants) {
  const Result<StableCore> core = StableCore::make(core_positions(true).shape, {1.0}, budget);
  if (!core) {
    return error_of(core);
  }
  const auto shipped = [&](bool all_agree) -> Statistic {
    return [core = *core, positions = core_positions(all_agree)](RandomStream& stream) {
      return weight_of(core.run(positions, stream, 1));
    };
  };
  SubspaceAttacks attacks{"stable core", {}};
  attacks.cases.push_back({"core as shipped", budget, shipped(true), shipped(false)});
  if (mutants) {
    const CoreUnits units{kCoreGroups};
    const ApproxDp& weighing = core->budget().weighing;
    const Result<TruncatedLaplace> narrow =
        TruncatedLaplace::make(units.full(), weighing.epsilon, weighing.delta);
    if (!narrow) {
      return error_of(narrow);
    }
    const std::int64_t all = kCoreGroups * units.full();
    attacks.cases.push_back({"K = 1: a moved group counted, its effect on others not", budget,
                             weighed_with(all, *narrow, -all * 100),
                             weighed_with(all - units.sensitivity(), *narrow, -all * 100)});
  }
  return attacks;
}

}  // namespace

Result<std::vector<SubspaceAttacks>> subspace_attacks(const ApproxDp& budget, bool mutants) {
  std::vector<SubspaceAttacks> all;
  for (const auto& make : {gap_attacks, histogram_attacks, core_attacks}) {
    Result<SubspaceAttacks> attacks = make(budget, mutants);
    if (!attacks) {
      return error_of(attacks);
    }
    all.push_back(std::move(*attacks));
  }
  return all;
}

}  // namespace eigenveil
