#include "data/rank_transform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/seed.hpp"

namespace eigenveil::test::rank_transform_test {
namespace {

using Column = std::vector<double>;

/// Twice the average rank by counting pairs: the definition.
double by_counting(const Column& column, double value) {
  double twice = 1.0;
  double count = 0.0;
  for (const double other : column) {
    if (!std::isnan(other)) {
      twice += other < value ? 2.0 : (other == value ? 1.0 : 0.0);
      count += 1.0;
    }
  }
  return (twice - (count + 1.0)) / (count - 1.0);
}

TEST(RankTransform, TiesShareTheirMeanRank) {
  EXPECT_EQ(centred_ranks(Column{3, 1, 2}), (Column{1, -1, 0}));
  EXPECT_EQ(centred_ranks(Column{5, 5, 5}), (Column{0, 0, 0}));
  EXPECT_EQ(centred_ranks(Column{1, 2, 2, 3, 3}), (Column{-1, -0.25, -0.25, 0.75, 0.75}));
  EXPECT_EQ(centred_ranks(Column{7}), Column{0});
  EXPECT_EQ(centred_ranks(Column{}), Column{});
}

TEST(RankTransform, MissingCellsAreTheMidpointAndNotRanked) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(centred_ranks(Column{missing, 1, 2, missing, 9}), (Column{0, -1, 0, 0, 1}));
}

TEST(RankTransform, AgreesWithCountingAndIgnoresMonotoneMaps) {
  std::mt19937_64 engine(seed_for("ranks"));
  for (int repetition = 0; repetition < 50; ++repetition) {
    Column column(1 + engine() % 40 + 1);
    for (double& value : column) {
      value = static_cast<double>(engine() % 12) - 6.0;
    }
    const Column ranks = centred_ranks(column);
    double sum = 0.0;
    for (std::size_t i = 0; i < column.size(); ++i) {
      EXPECT_EQ(ranks[i], by_counting(column, column[i]));
      EXPECT_LE(std::abs(ranks[i]), 1.0);
      sum += ranks[i];
    }
    EXPECT_NEAR(sum, 0.0, 1e-12);
    Column mapped = column;
    std::transform(mapped.begin(), mapped.end(), mapped.begin(),
                   [](double value) { return std::exp(value); });
    EXPECT_EQ(centred_ranks(mapped), ranks);
  }
}

}  // namespace
}  // namespace eigenveil::test::rank_transform_test
