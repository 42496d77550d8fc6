// The Poisson coupler: marginal laws, order, shared points, coalescence.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "random/normal.hpp"
#include "sampling/interval_coupler.hpp"
#include "sampling/orbit_reference.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_coupler_test {
namespace {

using detail::CouplerBatch;

struct Interval {
  double lower, upper;
};
struct CouplerCase {
  double rate;
  std::vector<Interval> chains;
};

std::vector<CouplerCase> coupler_cases() {
  std::vector<CouplerCase> cases;
  for (const double rate : {0.0, 0.05, 3.0, 400.0}) {
    cases.push_back({rate, {{0.1, 0.6}, {0.3, 0.8}, {0.5, 1.0}}});   // all overlap
    cases.push_back({rate, {{0.0, 0.3}, {0.2, 0.7}, {0.5, 1.0}}});   // a chain of overlaps
    cases.push_back({rate, {{0.0, 0.2}, {0.4, 0.7}, {0.5, 1.0}}});   // one apart
    cases.push_back({rate, {{0.0, 0.3}, {0.25, 0.4}, {0.6, 0.9}}});  // the other apart
    cases.push_back({rate, {{0.2, 0.5}, {0.2, 0.9}}});
    cases.push_back({rate, {{0.2, 0.9}}});
  }
  return cases;
}

/// Mass of e^{rate x} on an interval, relative to its value at 1.
double mass(double rate, double lower, double upper) {
  if (upper <= lower) {
    return 0.0;
  }
  return rate == 0.0 ? upper - lower
                     : -std::exp(rate * (upper - 1.0)) * std::expm1(-rate * (upper - lower)) / rate;
}

constexpr std::size_t kSites = 4000;

CouplerBatch draw_batch(const CouplerCase& test, RandomStream& stream) {
  CouplerBatch batch(kSites);
  for (std::size_t s = 0; s < kSites; ++s) {
    batch.rate[s] = test.rate;
    batch.inverse_rate[s] = test.rate > 0.0 ? 1.0 / test.rate : 0.0;
    for (std::size_t c = 0; c < test.chains.size(); ++c) {
      batch.lower[c * batch.stride + s] = test.chains[c].lower;
      batch.upper[c * batch.stride + s] = test.chains[c].upper;
    }
  }
  detail::couple_intervals(batch, test.chains.size(), stream);
  return batch;
}

std::vector<double> chain_values(const CouplerBatch& batch, std::size_t chain) {
  const double* first = batch.value.data() + chain * batch.stride;
  return {first, first + kSites};
}

TEST(OrbitCoupler, EveryChainHasItsTruncatedExponential) {
  constexpr double kAlpha = alpha_of("sampling: orbit coupler marginals") / 128;
  RandomStream stream = RandomStream::seeded(seed_for("orbit.coupler.marginals"));
  const double limit = dkw_limit(kSites, kAlpha);
  for (const CouplerCase& test : coupler_cases()) {
    const CouplerBatch batch = draw_batch(test, stream);
    for (std::size_t c = 0; c < test.chains.size(); ++c) {
      const auto [lower, upper] = test.chains[c];
      const auto cdf = [&](double x) {
        return mass(test.rate, lower, x) / mass(test.rate, lower, upper);
      };
      EXPECT_LE(distance_from_cdf(chain_values(batch, c), cdf), limit)
          << test.rate << " chain " << c;
    }
  }
  // Broken twin: a chain that clips the common point to its own interval.
  std::vector<double> clipped(kSites);
  for (double& value : clipped) {
    value = std::min(0.6, uniform(stream));
  }
  EXPECT_GT(distance_from_cdf(clipped, [](double x) { return x / 0.6; }), limit);
}

TEST(OrbitCoupler, OrderIsKeptAndPointsAreShared) {
  constexpr double kAlpha = alpha_of("sampling: orbit coupler sharing") / 128;
  RandomStream stream = RandomStream::seeded(seed_for("orbit.coupler.sharing"));
  const double limit = dkw_limit(kSites, kAlpha);  // Hoeffding has the same form
  const CouplerCase overlap{3.0, {{0.1, 0.6}, {0.5, 1.0}}};
  for (CouplerCase test : coupler_cases()) {
    const CouplerBatch batch = draw_batch(test, stream);
    for (std::size_t c = 0; c + 1 < test.chains.size(); ++c) {
      const std::vector<double> low = chain_values(batch, c);
      const std::vector<double> high = chain_values(batch, c + 1);
      std::size_t shared = 0;
      for (std::size_t s = 0; s < kSites; ++s) {
        ASSERT_LE(low[s], high[s]);
        ASSERT_GE(low[s], test.chains[c].lower);
        ASSERT_LE(high[s], test.chains[c + 1].upper);
        shared += low[s] == high[s] ? 1 : 0;
      }
      // The two chains agree when the lowest mark of their union lies in both intervals.
      const auto [a, b] = std::pair{test.chains[c], test.chains[c + 1]};
      const double common = mass(test.rate, b.lower, a.upper);
      const double either =
          mass(test.rate, a.lower, a.upper) + mass(test.rate, b.lower, b.upper) - common;
      EXPECT_NEAR(static_cast<double>(shared) / kSites, common / either, limit);
    }
  }
  // Broken twin: one uniform for both chains keeps the order but never shares a point.
  std::size_t shared = 0;
  for (std::size_t s = 0; s < kSites; ++s) {
    const double u = uniform(stream);
    shared += 0.1 + 0.5 * u == 0.5 + 0.5 * u ? 1 : 0;
  }
  const double exact = mass(3.0, 0.5, 0.6) / mass(3.0, 0.1, 1.0);
  EXPECT_GT(std::abs(static_cast<double>(shared) / kSites - exact), limit);
}

/// Heat-bath sweeps from both ends with a common uniform in place of common points.
bool meets_without_shared_points(RandomStream& stream, std::size_t sweeps) {
  const Vector spectrum = vector_of({1.0, 1.0});
  constexpr Eigen::Index kDimension = 5;
  GelfandTsetlinPattern low = smallest_pattern(spectrum, kDimension);
  GelfandTsetlinPattern high = largest_pattern(spectrum, kDimension);
  const auto update = [](GelfandTsetlinPattern& r, Eigen::Index i, Eigen::Index j, double u) {
    const double below = i > 0 ? r(i - 1, j) : 0.0;
    const double right = j + 1 < r.cols() ? r(i + 1, j + 1) : 0.0;
    const double lower = std::max(below, right);
    const double upper = j > 0 ? std::min(r(i - 1, j - 1), r(i + 1, j)) : r(i + 1, j);
    r(i, j) = lower + (upper - lower) * u;
  };
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    for (Eigen::Index i = 0; i + 1 < kDimension; ++i) {
      for (Eigen::Index j = 0; j <= i && j < 2; ++j) {
        const double u = uniform(stream);
        update(low, i, j, u);
        update(high, i, j, u);
      }
    }
    if (low == high) {
      return true;
    }
  }
  return false;
}

TEST(OrbitCoupler, SharedPointsMakeTheChainsMeet) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.coupler.meets"));
  for (const double rate : {0.0, 1.0, 1e6}) {
    const PatternCoupling law(Vector::Constant(4, rate), vector_of({1.0, 1.0}));
    for (int run = 0; run < 20; ++run) {
      EXPECT_LT(law.sweeps_to_coalescence(stream, 40 * law.block_sweeps()),
                40 * law.block_sweeps());
    }
  }
  // Broken twin: within 16 sweeps (twice the usual number) the library's chains meet in some of 20
  // runs, chains without shared points in none.
  const PatternCoupling law(Vector::Zero(4), vector_of({1.0, 1.0}));
  int met = 0;
  int twin_met = 0;
  for (int run = 0; run < 20; ++run) {
    met += law.sweeps_to_coalescence(stream, 17) <= 16 ? 1 : 0;
    twin_met += meets_without_shared_points(stream, 16) ? 1 : 0;
  }
  EXPECT_GT(met, 0);
  EXPECT_EQ(twin_met, 0);
}

}  // namespace
}  // namespace eigenveil::test::orbit_coupler_test
