#include "mechanism/subspace/stable_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/outward.hpp"
#include "core/parallel.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/random/rounded_noise.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

/// A computed distance within the radius means a true distance within radius * (1 + 2^-20): the sum
/// of N squares in doubles is good to N 2^-52, and N stays below 2^31 (near_groups.cpp).
constexpr double kDistanceSlack = 0x1p-20;
constexpr double kLargestCoordinates = 0x1p31;

int bisection_tests(std::size_t rungs) {
  return static_cast<int>(std::bit_width(rungs));  // 1 rung: 1, 3: 2, 7: 3, 15: 4
}

}  // namespace

std::int64_t CoreUnits::weight(std::int64_t near) const {
  return std::clamp<std::int64_t>(near - others() / 2, 0, full());
}

double CoreUnits::moved_mass(double weight) const {
  const auto s = static_cast<double>(full());
  const auto t = static_cast<double>(others());
  const auto b = static_cast<double>(others() / 2);
  // `mass` gained before what a larger W' takes back: `above` is weight that gainers must have,
  // `grown` how much larger W' is.
  const auto left = [&](double mass, double above, double grown) {
    return mass - std::max(0.0, above) * std::min(1.0 / s, grown / weight);
  };
  double most = s;
  for (double gainers = 0.0; gainers <= t; gainers += 1.0) {
    const double above = weight - s * (t - gainers);
    most = std::max(most, left(s + gainers, above, s + gainers));
    if (gainers > b) {
      most = std::max(most, left(2.0 * gainers - b, above, 3.0 * gainers - 2.0 * b - s));
    }
    if (gainers < s) {
      most = std::max(most, left(s + gainers, above - (s - gainers), 2.0 * gainers));
    }
  }
  // Integers below 2^53 and one quotient, one product and one difference of at most K.
  return std::min(static_cast<double>(sensitivity()), most + 0x1p-48 * (s + t));
}

Result<CoreBudget> split_core_budget(const ApproxDp& budget, int tests, std::int64_t groups) {
  const CoreUnits units{groups};
  const double delta_each = down(budget.delta / 2.0);
  std::optional<CoreBudget> best;
  double largest = -std::numeric_limits<double>::infinity();
  for (int step = 1; step <= 9; ++step) {
    const double for_weighing = budget.epsilon * step / 10.0;
    const ApproxDp average{down(budget.epsilon - for_weighing), delta_each};
    const ApproxDp weighing{down(for_weighing / tests), down(delta_each / tests)};
    // The continuous bound is close enough to choose by; the table is made for the choice.
    const double bound = static_cast<double>(units.sensitivity()) / weighing.epsilon *
                         std::log1p(std::expm1(weighing.epsilon) / (2.0 * weighing.delta));
    const GaussianDp mu{gaussian_mu_for(average)};
    const double weight = static_cast<double>(groups * units.full()) - bound;
    const double precision = weight > 0.0 ? weight / units.moved_mass(weight) * mu.mu : weight;
    if (precision > largest) {
      largest = precision;
      best = CoreBudget{weighing, tests, mu, budget};
    }
  }
  if (!best) {
    return bad_request(
        "the budget is too small for this many groups; spend more epsilon or use fewer {groups}");
  }
  return *best;
}

StableCore::StableCore(GroupShape shape, std::vector<double> radii, CoreBudget budget,
                       TruncatedLaplace noise)
    : shape_(shape),
      units_{static_cast<std::int64_t>(shape.groups)},
      radii_(std::move(radii)),
      budget_(budget),
      noise_(std::move(noise)) {}

Result<StableCore> StableCore::make(const GroupShape& shape, std::vector<double> radii,
                                    const ApproxDp& budget) {
  return split_core_budget(budget, bisection_tests(radii.size()),
                           static_cast<std::int64_t>(shape.groups))
      .and_then([&](const CoreBudget& split) { return make(shape, std::move(radii), split); });
}

Result<StableCore> StableCore::make(const GroupShape& shape, std::vector<double> radii,
                                    const CoreBudget& split) {
  if (static_cast<double>(shape.coordinates()) > kLargestCoordinates || shape.groups < 3 ||
      shape.groups > 20'000) {
    return bad_request("the core needs 3 to 20000 groups and at most 2^31 coordinates");
  }
  // sigma in steps of the output grid lies between radius / mu * [2^10 .., 2^33].
  if (split.average.mu < 0x1p-12 || split.average.mu > 0x1p9) {
    return bad_request("the budget is out of range for the core; epsilon near 1 is usual");
  }
  const CoreUnits units{static_cast<std::int64_t>(shape.groups)};
  return TruncatedLaplace::make(units.sensitivity(), split.weighing.epsilon, split.weighing.delta)
      .map([&](TruncatedLaplace noise) {
        return StableCore(shape, std::move(radii), split, std::move(noise));
      });
}

double StableCore::expected_weight(double agreement) const {
  return agreement * static_cast<double>(units_.groups * units_.full()) -
         static_cast<double>(noise_.bound());
}

double StableCore::noise_sd(double radius, double noisy_weight) const {
  const double moved =
      up(2.0 * (1.0 + kDistanceSlack) * units_.moved_mass(noisy_weight) * radius / noisy_weight, 6);
  return up(moved / budget_.average.mu, 2);
}

NearCounts StableCore::near(const GroupPositions& positions, int threads) const {
  std::vector<double> steps;
  for (const double radius : radii_) {
    steps.push_back(radius / shape_.step);
  }
  return count_near(positions, steps, threads);
}

std::optional<CoreAverage> StableCore::run(const GroupPositions& positions, RandomStream& stream,
                                           int threads) const {
  return run(positions, near(positions, threads), stream);
}

std::optional<CoreAverage> StableCore::run(const GroupPositions& positions, const NearCounts& near,
                                           RandomStream& stream) const {
  // Bisection for the smallest radius that passes: what is weighed next depends on released answers
  // alone, and the number of weighings does not depend on them.
  std::size_t low = 0;
  std::size_t high = radii_.size();
  std::optional<std::pair<std::size_t, std::int64_t>> passed;
  for (int test = 0; test < budget_.tests; ++test) {
    const std::size_t rung = std::min(low + (high - low) / 2, radii_.size() - 1);
    std::int64_t weight = 0;
    for (const std::int64_t count : near[rung]) {
      weight += units_.weight(count);
    }
    const std::int64_t noisy = weight + noise_.draw(stream) - noise_.bound();  // never above weight
    if (low >= high) {
      continue;
    }
    if (noisy >= units_.sensitivity()) {
      passed = {rung, noisy};
      high = rung;
    } else {
      low = rung + 1;
    }
  }
  if (!passed) {
    return std::nullopt;
  }
  return average(positions, near[passed->first], passed->first, passed->second, stream);
}

CoreAverage StableCore::average(const GroupPositions& positions,
                                const std::vector<std::int64_t>& near, std::size_t rung,
                                std::int64_t noisy_weight, RandomStream& stream) const {
  // Output grid: 2^shift steps, so that the radius is 2^24 to 2^25 of them.
  const double radius_steps = radii_[rung] / shape_.step;
  const int shift = std::ilogb(radius_steps) - 24;
  const Index length = positions.length();
  // Rounding down moves every coordinate by less than one: at most sqrt(N) between neighbours.
  const auto weighed = static_cast<double>(noisy_weight);
  const double moved = up(2.0 * (1.0 + kDistanceSlack) * units_.moved_mass(weighed) *
                              std::ldexp(radius_steps, -shift) / weighed,
                          6) +
                       up(std::sqrt(static_cast<double>(length)), 2);
  const double sigma = up(up(moved) / budget_.average.mu, 2);
  std::vector<Int128> sums(static_cast<std::size_t>(length), 0);
  Int128 total = 0;
  Vector place(length);
  for (Index i = 0; i < positions.groups(); ++i) {
    const std::int64_t weight = units_.weight(near[static_cast<std::size_t>(i)]);
    total += weight;
    if (weight > 0) {
      positions.write(i, 0, length, place.data());
      for (Index c = 0; c < length; ++c) {
        sums[static_cast<std::size_t>(c)] +=
            static_cast<Int128>(weight) * static_cast<std::int64_t>(place[c]);
      }
    }
  }
  std::vector<double> offsets(static_cast<std::size_t>(length), 0.0);
  std::vector<std::int64_t> noise(offsets.size());
  round_with_gaussian(stream, sigma, offsets, noise);
  CoreAverage released;
  released.reference_points.resize(static_cast<Index>(shape_.dimension),
                                   static_cast<Index>(shape_.references));
  const double unit = std::ldexp(shape_.step, shift);
  for (Index c = 0; c < length; ++c) {
    Int128 numerator = sums[static_cast<std::size_t>(c)];
    Int128 denominator = total;
    if (shift >= 0) {
      denominator <<= shift;
    } else {
      numerator *= static_cast<Int128>(1) << -shift;
    }
    Int128 rounded = numerator / denominator;
    rounded -= (numerator % denominator != 0 && numerator < 0) ? 1 : 0;  // floor
    released.reference_points.data()[c] =
        static_cast<double>(rounded + noise[static_cast<std::size_t>(c)]) * unit;
  }
  released.noise_sd = sigma * unit;
  released.radius = radii_[rung];
  released.noisy_share =
      static_cast<double>(noisy_weight) / static_cast<double>(units_.groups * units_.full());
  return released;
}

}  // namespace eigenveil
