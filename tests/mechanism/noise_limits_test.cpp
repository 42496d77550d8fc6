// What noise shows when it is alone: the floor of a release, and what a component must exceed, are
// passed by noise in 5% of releases at most.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <functional>
#include <tuple>

#include "core/symmetric_eigen.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/component_verdicts.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "mechanism/wishart/wishart.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::noise_limits_test {
namespace {

constexpr int kReleases = 2000;
constexpr double kFalseAlarm = 0.05;
constexpr int kVerdicts = 256;  ///< at most: they share one rate
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

/// "Noise passes in 5% of releases at most" is compatible with so many.
bool within_limit(int alarms, int releases = kReleases) {
  const boost::math::binomial law(releases, kFalseAlarm);
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

/// Columns of different ranges, in their own units: rows by column, and the second moment they
/// have.
struct MixedUnits {
  std::string method;
  Relation relation;
  TraceNoise trace;
  Vector half_widths;
  std::vector<double> rows;
  Matrix exact;
  Eigen::Index components;
};

MomentPlan plan_of(const MixedUnits& asked) {
  std::vector<ColumnRange> ranges;
  for (const double width : asked.half_widths) {
    ranges.push_back({-width, width});
  }
  const RowBound bound = *RowBound::ranges(ranges);
  const bool gauss = asked.method == "gauss";
  const Budget budget = gauss ? Budget(GaussianDp{1.0}) : Budget(PureDp{1.0});
  const MomentRequest request{bound, budget, asked.relation, Extension::Count, 1, asked.trace};
  return gauss                       ? *plan_gauss(request)
         : asked.method == "wishart" ? *plan_wishart(request)
                                     : *plan_laplace(request);
}

/// Until the referee of the sharper noise: half of the limit for what noise takes from the
/// directions left out (two columns, one kept), though nothing makes up for it in uneven units.
Vector edge_of_two_halved(const NoisyCovariance& covariance, const PrincipalComponents& found) {
  const double widest = covariance.scales.maxCoeff();
  const double kept = covariance.scales.cwiseProduct(found.loadings.col(0)).norm() / widest;
  const double left =
      std::sqrt(std::max(0.0, covariance.scales.squaredNorm() / (widest * widest) - kept * kept));
  const double rest = symmetric_eigen(covariance.raw).values[1];
  const double below = std::min(1.0, left) * 0.5 / covariance.reach.factor;
  return Vector::Constant(
      1, std::max(covariance.reach.floor * kept, rest + covariance.reach.apart * (kept + below)));
}

/// How often a component is told that has no more variance than those left out have on average.
Alarms wrong_verdicts(const MixedUnits& asked) {
  const MomentPlan plan = plan_of(asked);
  const ExactGram gram = gram_of(plan.bound(), asked.rows);
  RandomStream stream = RandomStream::seeded(seed_for("noise limits, units") + asked.rows.size());
  const Eigen::Index p = asked.half_widths.size();
  Alarms alarms;
  for (int i = 0; i < kReleases; ++i) {
    const NoisyCovariance covariance =
        raw_covariance((*plan.run(gram, stream)).take(), Center::PublicMidpoint, Units::Original);
    const PrincipalComponents found = principal_components(covariance, asked.components);
    const Vector along =
        (found.loadings.transpose() * asked.exact * found.loadings).diagonal().eval();
    const double left = p > asked.components ? (asked.exact.trace() - along.sum()) /
                                                   static_cast<double>(p - asked.components)
                                             : 0.0;
    const auto told_wrongly = [&](const Vector& edge) {
      bool wrong = false;
      for (Eigen::Index j = 0; j < edge.size(); ++j) {
        wrong = wrong || (found.explained_variance[j] > edge[j] && along[j] <= left + 1e-9);
      }
      return wrong;
    };
    alarms.now += told_wrongly(found.noise_edge) ? 1 : 0;
    alarms.before += p == 2 && told_wrongly(edge_of_two_halved(covariance, found)) ? 1 : 0;
  }
  return alarms;
}

/// The referee's tables. Two independent columns of one variance in their own units, their ranges a
/// hundredfold apart: which comes first is noise. The same with several. Ten columns with rows
/// along the last, a narrow one: the others are noise.
TEST(NoiseLimits, ComponentsInUnitsThatDifferAreNotToldByMistake) {
  struct Law {
    std::string method;
    Relation relation;
    TraceNoise trace = TraceNoise::LikeEntries;
  };
  for (const Law& law :
       {Law{"gauss", Relation::AddRemove}, Law{"gauss", Relation::AddRemove, TraceNoise::Apart},
        Law{"gauss", Relation::ReplaceOne, TraceNoise::Apart}, Law{"gauss", Relation::ZeroRow},
        Law{"wishart", Relation::AddRemove}, Law{"laplace", Relation::AddRemove}}) {
    for (const auto& [columns, narrow, kept] :
         {std::tuple{2, 1, 1}, std::tuple{4, 1, 3}, std::tuple{4, 3, 1}, std::tuple{10, 5, 2}}) {
      Vector widths = Vector::Ones(columns);
      widths.tail(narrow).setConstant(columns == 10 ? 0.3 : 0.01);
      const auto p = static_cast<std::size_t>(columns);
      std::vector<double> rows(p * kRows, 0.0);
      Matrix exact = Matrix::Zero(columns, columns);
      for (std::size_t row = 0; row < kRows; ++row) {
        const std::size_t column = columns == 10 ? p - 1 : row % p;
        rows[row * p + column] = columns == 10 && row >= 240 ? 0.0 : widths.minCoeff();
        const double cell = rows[row * p + column];
        const auto at = static_cast<Eigen::Index>(column);
        exact(at, at) += cell * cell / kRows;
      }
      const Alarms alarms =
          wrong_verdicts({law.method, law.relation, law.trace, widths, rows, exact, kept});
      EXPECT_TRUE(within_limit(alarms.now))
          << law.method << ", " << name_of(law.relation) << ", " << columns << " columns, " << kept
          << " kept: " << alarms.now;
      if (law.method == "gauss" && columns == 2 && law.relation == Relation::AddRemove) {
        EXPECT_FALSE(within_limit(alarms.before)) << alarms.before;  // broken twin
      }
    }
  }
}

/// A few rows that are all alike, far from the public centre: their variance about the private mean
/// is zero, and what was divided by a count that noise raised looks like more.
TEST(NoiseLimits, AFewRowsFarFromTheCentreHaveNoVariance) {
  constexpr int kMany = 10'000;
  for (const std::size_t rows : {20U, 60U, 150U}) {
    for (const char* method : {"gauss", "wishart", "laplace"}) {
      const MomentPlan plan =
          plan_of({method, Relation::AddRemove, TraceNoise::LikeEntries, Extension::Full, 1});
      const ExactGram gram = gram_of(plan.bound(), std::vector<double>(rows, 1.0));
      RandomStream stream = RandomStream::seeded(seed_for("noise limits, far") + rows);
      Alarms alarms;
      for (int i = 0; i < kMany; ++i) {
        const NoisyCovariance covariance =
            raw_covariance((*plan.run(gram, stream)).take(), Center::PrivateMean, Units::Scaled);
        const double found = covariance.raw(0, 0);
        const EntryNoise& noise = covariance.noise;
        const double mean = covariance.mean[0];
        alarms.now += found > covariance.reach.floor ? 1 : 0;
        // Broken twin: the released mean for the exact one.
        const NoiseReach itself =
            noise_reach({noise.scales, noise.product, 0.0, 0.0, noise.shared, noise.law}, 0.0,
                        covariance.count);
        const double own = itself.floor - itself.norm;
        const double before =
            2.0 * itself.factor * std::hypot(noise.product, noise.sum * mean) / covariance.count +
            std::hypot(own, 1.6449 * std::hypot(noise.sum * mean, noise.count * mean * mean) /
                                covariance.count);
        alarms.before += found > before ? 1 : 0;
      }
      EXPECT_TRUE(within_limit(alarms.now, kMany)) << method << ", " << rows << ": " << alarms.now;
      if (rows == 20 && std::string_view(method) == "wishart") {
        EXPECT_FALSE(within_limit(alarms.before, kMany)) << alarms.before;
      }
    }
  }
}

TEST(NoiseLimits, NorHaveTheyInSeveralColumns) {
  for (const char* method : {"gauss", "wishart", "laplace"}) {
    const Setting setting{method, Relation::AddRemove, TraceNoise::LikeEntries, Extension::Full, 3};
    std::vector<double> rows(3 * 30, 0.0);
    for (std::size_t i = 0; i < rows.size(); i += 3) {
      rows[i] = 0.9;
    }
    const Alarms alarms = count(setting, rows, [](const NoisyCovariance& covariance, bool before) {
      const NoiseReach& reach = covariance.reach;
      return symmetric_eigen(covariance.raw).values[0] > (before ? reach.norm : reach.floor);
    });
    EXPECT_TRUE(within_limit(alarms.now)) << method << ": " << alarms.now;
  }
}

/// A covariance in which nobody asked for components: of equal directions none stands out.
TEST(NoiseLimits, NoDirectionOfACovarianceStandsOutWhereAllAreAlike) {
  for (const Setting& setting : settings()) {
    if (setting.relation != Relation::AddRemove) {
      continue;
    }
    std::vector<double> rows = zeros(setting);
    const auto p = static_cast<std::size_t>(setting.dimension);
    for (std::size_t row = 0; row < kRows; ++row) {
      rows[row * p + row % p] = (row / p) % 2 == 0 ? 0.9 : -0.9;
    }
    const Alarms alarms = count(setting, rows, [](const NoisyCovariance& covariance, bool before) {
      const Vector values = symmetric_eigen(covariance.raw).values;
      return before ? values[0] > covariance.reach.floor
                    : told_directions(values, covariance.reach).count > 0;
    });
    EXPECT_TRUE(within_limit(alarms.now)) << setting.name() << ": " << alarms.now;
    // Broken twin: reports held them against the floor, which says that a variance is not zero.
    if (setting.method == "gauss" && setting.dimension == 10 &&
        setting.trace == TraceNoise::Apart) {
      EXPECT_FALSE(within_limit(alarms.before)) << setting.name() << ": " << alarms.before;
    }
  }
}

/// Variances that fall by halves along the axes.
TEST(NoiseLimits, ThePlannedEdgeIsThatOfTheReleases) {
  constexpr Eigen::Index kColumns = 8;
  const Setting setting{"gauss", Relation::ZeroRow, TraceNoise::LikeEntries, Extension::Count,
                        kColumns};
  std::vector<double> rows;
  Vector spectrum = Vector::Zero(kColumns);
  for (Eigen::Index j = 0; j < kColumns; ++j) {
    const int people = kRows >> (j + 1);
    spectrum[j] = 0.45 * 0.45 * people;
    for (int i = 0; i < people; ++i) {
      std::vector<double> row(kColumns, 0.0);
      row[static_cast<std::size_t>(j)] = i % 2 == 0 ? 0.45 : -0.45;
      rows.insert(rows.end(), row.begin(), row.end());
    }
  }
  const double n = static_cast<double>(rows.size() / kColumns);
  spectrum /= n;
  const MomentPlan plan = plan_of(setting);
  const NoiseReach reach = planned_reach(plan, plan.bound(), Units::Scaled, n);
  const ToldDirections told = predicted_directions(spectrum, kColumns - 1, reach);
  ASSERT_GT(told.count, 2);
  ASSERT_LT(told.count, kColumns - 1);
  EXPECT_DOUBLE_EQ(told.edge, predicted_edge(spectrum, told.count, reach));
  EXPECT_GT(spectrum[told.count - 1], told.edge);
  EXPECT_DOUBLE_EQ(predicted_edge(spectrum, kColumns, reach), reach.floor);
  // What releases state of themselves, on average, and how many they tell.
  const ExactGram gram = gram_of(plan.bound(), rows);
  RandomStream stream = RandomStream::seeded(seed_for("planned edge"));
  constexpr int kFew = 200;
  double edges = 0.0;
  int all_told = 0;
  int as_many = 0;
  for (int i = 0; i < kFew; ++i) {
    const NoisyCovariance covariance =
        raw_covariance((*plan.run(gram, stream)).take(), Center::PublicMidpoint, Units::Scaled);
    const PrincipalComponents found = principal_components(covariance, told.count);
    edges += found.noise_edge[0] / kFew;
    all_told += (found.explained_variance.array() > found.noise_edge.array()).all() ? 1 : 0;
    as_many += told_directions(symmetric_eigen(covariance.raw).values, covariance.reach).count >=
                       told.count
                   ? 1
                   : 0;
  }
  EXPECT_NEAR(edges / told.edge, 1.0, 0.2);
  EXPECT_GT(edges, 2.0 * reach.floor);
  EXPECT_GT(all_told, 0.9 * kFew);
  EXPECT_GE(as_many, all_told);
}

}  // namespace
}  // namespace eigenveil::test::noise_limits_test
