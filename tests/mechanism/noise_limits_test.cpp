// What noise shows when it is alone: the floor of a release, and what a component must exceed, are
// passed by noise in 5% of releases at most.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <functional>

#include "core/symmetric_eigen.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/component_verdicts.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "mechanism/wishart/wishart.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::noise_limits_test {
namespace {

constexpr int kReleases = 2000;
constexpr double kFalseAlarm = 0.05;
constexpr int kVerdicts = 128;  ///< at most: they share one rate
constexpr int kRows = 4000;

struct Setting {
  std::string method;
  Relation relation;
  TraceNoise trace;
  Extension extension;
  Eigen::Index dimension;
  std::string name() const {
    return fmt::format("{}, {}, {} columns{}{}", method, name_of(relation), dimension,
                       trace == TraceNoise::Apart ? ", trace apart" : "",
                       extension == Extension::Full ? ", private mean" : "");
  }
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const Relation relation : {Relation::AddRemove, Relation::ZeroRow, Relation::ReplaceOne}) {
    for (const Eigen::Index p : {2, 10}) {
      for (const TraceNoise trace : {TraceNoise::Apart, TraceNoise::LikeEntries}) {
        all.push_back({"gauss", relation, trace, Extension::Count, p});
      }
    }
    all.push_back({"gauss", relation, TraceNoise::Apart, Extension::Full, 5});
    for (const char* method : {"wishart", "laplace"}) {
      all.push_back({method, relation, TraceNoise::LikeEntries, Extension::Count, 5});
    }
  }
  return all;
}

MomentPlan plan_of(const Setting& setting) {
  const RowBound bound = *RowBound::row_norm(static_cast<std::size_t>(setting.dimension), 1.0);
  const bool gauss = setting.method == "gauss";
  const Budget budget = gauss ? Budget(GaussianDp{1.0}) : Budget(PureDp{1.0});
  const MomentRequest request{bound, budget, setting.relation, setting.extension, 1, setting.trace};
  return gauss                         ? *plan_gauss(request)
         : setting.method == "wishart" ? *plan_wishart(request)
                                       : *plan_laplace(request);
}

/// How often noise passed, and how often it would have passed what releases said before.
struct Alarms {
  int now = 0;
  int before = 0;
};

/// "Noise passes in 5% of releases at most" is compatible with so many of kReleases.
bool within_limit(int alarms) {
  const boost::math::binomial law(double{kReleases}, kFalseAlarm);
  const double beyond = alarms > 0 ? boost::math::cdf(boost::math::complement(law, alarms - 1)) : 1;
  return beyond >= alpha_of("mechanism: noise limits") / kVerdicts;
}

Alarms count(const Setting& setting, const std::vector<double>& rows,
             const std::function<bool(const NoisyCovariance&, bool before)>& alarm) {
  const MomentPlan plan = plan_of(setting);
  const ExactGram gram = gram_of(plan.bound(), rows);
  RandomStream stream = RandomStream::seeded(seed_for("noise limits") + rows.size() +
                                             static_cast<std::uint64_t>(setting.dimension));
  const Center center =
      setting.extension == Extension::Full ? Center::PrivateMean : Center::PublicMidpoint;
  Alarms alarms;
  for (int i = 0; i < kReleases; ++i) {
    const NoisyCovariance covariance =
        raw_covariance((*plan.run(gram, stream)).take(), center, Units::Scaled);
    alarms.now += alarm(covariance, false) ? 1 : 0;
    alarms.before += alarm(covariance, true) ? 1 : 0;
  }
  return alarms;
}

/// The edge until 0.2.0: the spectral norm of the noise on top of the directions left out.
Vector edge_before(const NoisyCovariance& covariance, Eigen::Index components) {
  const Vector values = symmetric_eigen(covariance.raw).values;
  const auto rest = values.tail(values.size() - components);
  const double mean = rest.size() > 0 ? rest.mean() : 0.0;
  const double variance = rest.size() > 0 ? (rest.array() - mean).square().mean() : 0.0;
  const double own = covariance.reach.norm / (2.0 * covariance.reach.factor);
  const double spread = std::sqrt(std::max(0.0, variance - own * own));
  return Vector::Constant(components,
                          std::max(mean, 0.0) + std::hypot(covariance.reach.norm, 2.0 * spread));
}

/// Whether the last of `components` would be said to be told from noise.
bool last_is_told(const NoisyCovariance& covariance, Eigen::Index components, bool before) {
  const PrincipalComponents found = principal_components(covariance, components);
  const Vector edge = before ? edge_before(covariance, components) : found.noise_edge;
  return !judge_components(found.explained_variance, edge, {}, 1e300).below_noise.back();
}

std::vector<double> zeros(const Setting& setting) {
  return std::vector<double>(static_cast<std::size_t>(setting.dimension) * kRows, 0.0);
}

TEST(NoiseLimits, TheFloorIsPassedByATableOfZerosInOneReleaseOfTwentyAtMost) {
  for (const Setting& setting : settings()) {
    const Alarms alarms =
        count(setting, zeros(setting), [](const NoisyCovariance& covariance, bool before) {
          const NoiseReach& reach = covariance.reach;
          return symmetric_eigen(covariance.raw).values[0] > (before ? reach.norm : reach.floor);
        });
    EXPECT_TRUE(within_limit(alarms.now)) << setting.name() << ": " << alarms.now;
    // Broken twin: the spectral norm, which releases called the largest variance of noise.
    if (setting.method == "gauss" && setting.dimension == 10) {
      EXPECT_FALSE(within_limit(alarms.before)) << setting.name() << ": " << alarms.before;
    }
  }
}

TEST(NoiseLimits, NoComponentOfATableOfZerosIsToldFromNoise) {
  for (const Setting& setting : settings()) {
    const Eigen::Index components = std::min<Eigen::Index>(2, setting.dimension);
    const Alarms alarms =
        count(setting, zeros(setting), [&](const NoisyCovariance& covariance, bool /*before*/) {
          const PrincipalComponents found = principal_components(covariance, components);
          return (found.explained_variance.array() > found.noise_edge.array()).any();
        });
    EXPECT_TRUE(within_limit(alarms.now)) << setting.name() << ": " << alarms.now;
  }
}

/// Every row along the first axis: the second component is noise.
TEST(NoiseLimits, ASecondComponentOfNoiseIsNotToldBesideAStrongOne) {
  for (const Setting& setting : settings()) {
    std::vector<double> rows = zeros(setting);
    for (std::size_t i = 0; i < rows.size(); i += static_cast<std::size_t>(setting.dimension)) {
      rows[i] = (i / static_cast<std::size_t>(setting.dimension)) % 2 == 0 ? 0.9 : -0.9;
    }
    const Alarms alarms = count(setting, rows, [](const NoisyCovariance& covariance, bool before) {
      return last_is_told(covariance, 2, before);
    });
    EXPECT_TRUE(within_limit(alarms.now)) << setting.name() << ": " << alarms.now;
  }
}

/// Rows along every axis alike: all directions have one variance, and which of them a component is
/// noise alone decides.
TEST(NoiseLimits, DirectionsOfOneVarianceAreNotToldApart) {
  for (const Setting& setting : settings()) {
    std::vector<double> rows = zeros(setting);
    const auto p = static_cast<std::size_t>(setting.dimension);
    for (std::size_t row = 0; row < kRows; ++row) {
      rows[row * p + row % p] = (row / p) % 2 == 0 ? 0.9 : -0.9;
    }
    for (const Eigen::Index components : {Eigen::Index{1}, setting.dimension / 2}) {
      const Alarms alarms =
          count(setting, rows, [&](const NoisyCovariance& covariance, bool before) {
            const Vector values = symmetric_eigen(covariance.raw).values;
            const Vector edge = before ? edge_before(covariance, components)
                                       : principal_components(covariance, components).noise_edge;
            return values[0] > edge[0];
          });
      EXPECT_TRUE(within_limit(alarms.now)) << setting.name() << ": " << alarms.now;
      // Broken twin: what was left out, k extremes short, was taken for the variance of all.
      if (setting.method == "gauss" && components == 5) {
        EXPECT_FALSE(within_limit(alarms.before)) << setting.name() << ": " << alarms.before;
      }
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::noise_limits_test
