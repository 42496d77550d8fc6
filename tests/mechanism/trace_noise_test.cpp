// Gaussian noise with a variance of its own for the trace: every pair of rows of small grids stays
// within the claim, some attain it, and what is drawn has the law that was planned.
#include "mechanism/gauss/trace_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "mechanism/gauss/gauss.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::trace_noise_test {
namespace {

using Row = std::vector<int>;

int dot(const Row& x, const Row& y) {
  int sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

/// All integer rows of p cells within the norm.
std::vector<Row> rows_within(std::size_t p, int norm2) {
  const int most = static_cast<int>(std::sqrt(norm2));
  std::vector<Row> rows;
  Row row(p, -most);
  for (std::size_t moved = 0; moved < p;) {
    if (dot(row, row) <= norm2) {
      rows.push_back(row);
    }
    for (moved = 0; moved < p && row[moved] == most; ++moved) {
      row[moved] = -most;
    }
    if (moved < p) {
      ++row[moved];
    }
  }
  return rows;
}

/// |D|_F² + (1/ratio - 1) (tr D)² / p for the change of everything that is released. A single row
/// is a pair with the zero row.
double counted(const MomentShape& shape, double ratio, const Row& x, const Row& y) {
  const double u = dot(x, x);
  const double w = dot(y, y);
  const double between = dot(x, y);
  const double t2 = static_cast<double>(shape.constant) * static_cast<double>(shape.constant);
  double total = u * u + w * w - 2.0 * between * between;
  total += shape.releases_sums() ? 2.0 * t2 * (u + w - 2.0 * between) : 0.0;
  total += shape.releases_count() ? t2 * t2 : 0.0;
  return total + (1.0 / ratio - 1.0) * (u - w) * (u - w) / static_cast<double>(shape.dimension);
}

/// The largest share of the claimed sensitivity, squared, over the whole domain.
double worst_share(const MomentShape& shape, const TraceApart& apart) {
  const std::vector<Row> rows = rows_within(shape.dimension, static_cast<int>(shape.norm2_bound));
  const std::vector<Row> zero = {Row(shape.dimension, 0)};
  double worst = 0.0;
  for (const Row& x : rows) {
    for (const Row& y : shape.relation == Relation::ReplaceOne ? rows : zero) {
      worst = std::max(worst, counted(shape, apart.ratio, x, y));
    }
  }
  return worst / (apart.sensitivity * apart.sensitivity);
}

std::vector<MomentShape> small_shapes(Relation relation) {
  std::vector<MomentShape> shapes;
  for (const auto& [p, norm2] : {std::pair<std::size_t, int>{2, 25}, {3, 9}, {4, 4}}) {
    for (const Extension extension : {Extension::None, Extension::Count, Extension::Full}) {
      MomentShape shape;
      shape.dimension = p;
      shape.norm2_bound = norm2;
      shape.extension = extension;
      shape.constant = norm2 == 25 ? 3 : 1;
      shape.relation = relation;
      shape.trace = TraceNoise::Apart;
      shapes.push_back(shape);
    }
  }
  return shapes;
}

TraceApart apart_for(const MomentShape& shape) {
  return trace_apart(shape, *frobenius_sensitivity(shape));
}

TEST(TraceNoise, NoPairOfASmallDomainExceedsTheClaim) {
  for (const Relation relation : {Relation::AddRemove, Relation::ZeroRow, Relation::ReplaceOne}) {
    for (const MomentShape& shape : small_shapes(relation)) {
      const TraceApart apart = apart_for(shape);
      EXPECT_LE(worst_share(shape, apart), 1.0);
      if (relation != Relation::ReplaceOne || shape.extension != Extension::Full) {
        EXPECT_GT(worst_share(shape, apart), 1.0 - 1e-12) << "more noise than is needed";
      }
    }
  }
}

/// Broken twins: a trace with half of its variance, and directions that saved twice.
TEST(TraceNoise, LessNoiseIsRefutedOnSmallDomains) {
  for (const Relation relation : {Relation::AddRemove, Relation::ZeroRow, Relation::ReplaceOne}) {
    for (const MomentShape& shape : small_shapes(relation)) {
      TraceApart quiet = apart_for(shape);
      if (quiet.ratio == 1.0 || shape.extension == Extension::Full) {
        continue;
      }
      quiet.ratio /= 2.0;
      EXPECT_GT(worst_share(shape, quiet), 1.05);
      if (relation != Relation::ReplaceOne) {
        TraceApart twice = apart_for(shape);
        const double whole = *frobenius_sensitivity(shape);
        twice.sensitivity = std::sqrt(2.0 * twice.sensitivity * twice.sensitivity - whole * whole);
        EXPECT_GT(worst_share(shape, twice), 1.05);
      }
    }
  }
}

TEST(TraceNoise, DirectionsHaveLessNoiseOrTheTraceDoes) {
  const RowBound bound = *RowBound::row_norm(5, 1.0);
  const auto plan = [&](Relation relation, TraceNoise trace) {
    return *plan_gauss({bound, GaussianDp{1.0}, relation, Extension::None, 1, trace});
  };
  for (const Relation relation : {Relation::AddRemove, Relation::ZeroRow}) {
    const MomentPlan like = plan(relation, TraceNoise::LikeEntries);
    const MomentPlan apart = plan(relation, TraceNoise::Apart);
    // 1 - (1 - 1/ratio) / p, ratio = sqrt((p + 2) / 2)
    const double saved = std::pow(apart.off_diagonal_sd() / like.off_diagonal_sd(), 2);
    EXPECT_NEAR(saved, 1.0 - (1.0 - std::sqrt(2.0 / 7.0)) / 5.0, 1e-9);
  }
  const MomentPlan like = plan(Relation::ReplaceOne, TraceNoise::LikeEntries);
  const MomentPlan apart = plan(Relation::ReplaceOne, TraceNoise::Apart);
  EXPECT_EQ(apart.off_diagonal_sd(), like.off_diagonal_sd());
  EXPECT_NEAR(std::pow(apart.product_sd() / like.product_sd(), 2), 5.0 / 6.0, 1e-9);
}

TEST(TraceNoise, OneColumnAndWideTablesAreAsTheyWere) {
  for (const std::size_t p : {std::size_t{1}, std::size_t{5000}}) {
    MomentShape shape;
    shape.dimension = p;
    shape.norm2_bound = 100;
    shape.trace = TraceNoise::Apart;
    EXPECT_EQ(trace_apart(shape, 7.0).ratio, 1.0);
    EXPECT_EQ(trace_apart(shape, 7.0).sensitivity, 7.0);
  }
}

/// Trace, a difference of two variances and one variance over many releases of an empty table.
TEST(TraceNoise, WhatIsDrawnHasThePlannedLaw) {
  constexpr int kReleases = 20'000;
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  const ExactGram gram = gram_of(bound, {0.6, 0.3, 0.1, -0.2, 0.9, 0.2});
  const GramTotals& exact = trusted::totals(gram);
  const double unit2 = bound.unit() * bound.unit();
  const double limit =
      dkw_limit(kReleases, alpha_of("mechanism: noise of the trace") / 12.0) + std::ldexp(1.0, -20);
  RandomStream stream = RandomStream::seeded(seed_for("mechanism.trace"));
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne}) {
    const MomentPlan plan =
        *plan_gauss({bound, GaussianDp{0.7}, relation, Extension::Count, 1, TraceNoise::Apart});
    std::vector<double> trace;
    std::vector<double> first_pair;
    std::vector<double> last_pair;
    std::vector<double> last;
    for (int i = 0; i < kReleases; ++i) {
      Vector noise = plan.run(gram, stream)->value().products.diagonal() / unit2;
      for (std::size_t j = 0; j < 3; ++j) {
        noise[static_cast<Eigen::Index>(j)] -=
            static_cast<double>(exact.products[triangle_index(j, j)]);
      }
      trace.push_back(noise.sum());
      first_pair.push_back(noise[0] - noise[1]);
      last_pair.push_back(noise[0] - noise[2]);
      last.push_back(noise[2]);
    }
    const double sd = plan.noise().diagonal;
    const auto check = [&](std::vector<double>& values, double scale) {
      const auto distance = [&](double of) {
        const boost::math::normal law(0.0, of);
        return kolmogorov_distance(values, [&](double x) { return cdf(law, x); });
      };
      EXPECT_LE(distance(scale), limit);
      EXPECT_GT(distance(0.85 * scale), limit) << "the broken twin passes";
    };
    check(trace, sd * std::sqrt(3.0 * plan.noise().trace_ratio));
    check(first_pair, sd * std::sqrt(2.0));
    check(last_pair, sd * std::sqrt(2.0));
    check(last, plan.product_sd() / unit2);
  }
}

}  // namespace
}  // namespace eigenveil::test::trace_noise_test
