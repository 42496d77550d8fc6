// Every released entry of the extended Gram, exactly: explicit pairs attain the sensitivity the
// mechanisms use, and no pair of neighbours exceeds it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "core/symmetric_eigen.hpp"
#include "mechanism/moment/second_moment.hpp"
#include "statistics/gram_support.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::sensitivity_test {
namespace {

constexpr std::int64_t kMaxAbs = 1 << 12;
using Row = std::vector<double>;

struct Moved {
  double frobenius = 0.0;
  double triangle_l1 = 0.0;
  double nuclear = 0.0;
};

/// How far the released entries move between two tables.
Moved moved(const RowBound& bound, const MomentShape& shape, const Row& a, const Row& b) {
  const ExactGram first = gram_of(bound, a);
  const ExactGram second = gram_of(bound, b);
  const std::size_t sums_begin = shape.releases_count() ? 1 : 0;
  const std::size_t products_begin = sums_begin + (shape.releases_sums() ? shape.dimension : 0);
  long double frobenius2 = 0.0L;
  long double l1 = 0.0L;
  const bool beside = shape.releases_count() && !shape.releases_sums();
  const auto border = static_cast<Eigen::Index>(shape.noise_dimension() - shape.dimension);
  Matrix change = Matrix::Zero(static_cast<Eigen::Index>(shape.noise_dimension()),
                               static_cast<Eigen::Index>(shape.noise_dimension()));
  double nuclear = 0.0;
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  for (std::size_t index = 0; index < shape.entries(); ++index) {
    const auto difference = static_cast<long double>(SecondMoment(first, shape).entry(index) -
                                                     SecondMoment(second, shape).entry(index));
    bool diagonal = index < sums_begin;
    for (std::size_t j = 0; j < shape.dimension; ++j) {
      diagonal = diagonal || index == products_begin + triangle_index(j, j);
    }
    frobenius2 += (diagonal ? 1.0L : 2.0L) * difference * difference;
    l1 += std::fabs(difference);
    const auto entry = static_cast<double>(difference);
    if (index < sums_begin) {
      nuclear += beside ? std::abs(entry) : 0.0;
      change(0, 0) = beside ? change(0, 0) : entry;
    } else if (index < products_begin) {
      const auto at = static_cast<Eigen::Index>(index - sums_begin) + 1;
      change(0, at) = change(at, 0) = entry;
    } else {
      change(row + border, column + border) = change(column + border, row + border) = entry;
      if (row++ == column) {
        row = 0;
        ++column;
      }
    }
  }
  nuclear += nuclear_norm(change);
  return {static_cast<double>(std::sqrt(frobenius2)), static_cast<double>(l1), nuclear};
}

/// Neighbours of a one-row table under a relation.
std::pair<Row, Row> neighbours(Relation relation, const Row& x, const Row& y) {
  switch (relation) {
    case Relation::ReplaceOne:
      return {x, y};
    case Relation::ZeroRow:
      // The zero row is zero after scaling: every cell missing, so at its public midpoint.
      return {x, Row(x.size(), std::numeric_limits<double>::quiet_NaN())};
    default:
      return {x, Row{}};
  }
}

Row random_row(std::mt19937_64& engine, std::size_t dimension) {
  std::normal_distribution<double> normal;
  Row row(dimension);
  for (double& cell : row) {
    cell = engine() % 4 == 0 ? 0.0 : normal(engine);
  }
  return row;  // mostly longer than the bound, so that clipping takes part
}

using Setting = std::tuple<std::size_t, Relation, Extension>;

class Sensitivity : public ::testing::TestWithParam<Setting> {};

TEST_P(Sensitivity, NoPairOfNeighboursExceedsIt) {
  const auto [dimension, relation, extension] = GetParam();
  std::mt19937_64 engine(seed_for("mechanism.sensitivity.search"));
  for (const RowBound& bound : bounds_of_every_kind(dimension, kMaxAbs)) {
    for (const double share : {0.1, 0.5, 1.0, 3.0}) {
      const MomentShape shape = moment_shape(bound, extension, relation, share);
      const double frobenius = *frobenius_sensitivity(shape);
      const double l1 = *upper_triangle_l1_sensitivity(shape);
      const double nuclear = *nuclear_sensitivity(shape);
      for (int trial = 0; trial < 400; ++trial) {
        const Row x = random_row(engine, dimension);
        Row y = random_row(engine, dimension);
        if (trial % 3 == 0) {  // opposite rows move the sums most
          std::transform(x.begin(), x.end(), y.begin(), [](double cell) { return -cell; });
        }
        const auto [first, second] = neighbours(relation, x, y);
        const Moved distance = moved(bound, shape, first, second);
        ASSERT_LE(distance.frobenius, frobenius);
        ASSERT_LE(distance.triangle_l1, l1);
        ASSERT_LE(distance.nuclear, nuclear * (1.0 + 1e-13));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryShape, Sensitivity,
    ::testing::Combine(::testing::Values(1, 2, 3, 5),
                       ::testing::Values(Relation::AddRemove, Relation::ReplaceOne,
                                         Relation::ZeroRow),
                       ::testing::Values(Extension::None, Extension::Count, Extension::Full)));

/// Rows on the grid cannot hit every real row; a pair is tight up to rounding each cell towards
/// zero by less than one step, which shortens a row of norm R by at most sqrt(p) steps.
double grid_slack(std::size_t dimension) {
  return 4.0 * std::sqrt(static_cast<double>(dimension)) / static_cast<double>(kMaxAbs);
}

TEST(Sensitivity, ExplicitPairsAttainFrobeniusAndNuclear) {
  for (const std::size_t dimension : {2U, 5U}) {
    const RowBound bound = *RowBound::row_norm(dimension, 1.0, kMaxAbs);
    for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
      for (const Extension extension : {Extension::None, Extension::Count, Extension::Full}) {
        const MomentShape shape = moment_shape(bound, extension, relation, 0.5);
        const double cosine = extension == Extension::Full ? -0.25 : 0.0;
        Row x(dimension, 0.0);
        Row y(dimension, 0.0);
        x[0] = 1.0;
        y[0] = cosine;
        y[1] = std::sqrt(1.0 - cosine * cosine);
        const auto [first, second] = neighbours(relation, x, y);
        const double sensitivity = *frobenius_sensitivity(shape);
        const Moved distance = moved(bound, shape, first, second);
        EXPECT_GE(distance.frobenius, sensitivity * (1.0 - grid_slack(dimension)));
        EXPECT_GE(distance.nuclear, *nuclear_sensitivity(shape) * (1.0 - grid_slack(dimension)));
      }
    }
  }
}

TEST(Sensitivity, ExplicitPairsAttainTriangleL1) {
  const auto attained = [](std::size_t dimension, Relation relation, const Row& x, const Row& y) {
    const RowBound bound = *RowBound::row_norm(dimension, 1.0, kMaxAbs);
    const MomentShape shape = moment_shape(bound, Extension::Count, relation, 0.5);
    const auto [first, second] = neighbours(relation, x, y);
    EXPECT_GE(moved(bound, shape, first, second).triangle_l1,
              *upper_triangle_l1_sensitivity(shape) * (1.0 - grid_slack(dimension)));
  };
  for (const std::size_t dimension : {1U, 2U, 5U}) {
    const Row even(dimension, 1.0 / std::sqrt(static_cast<double>(dimension)));
    attained(dimension, Relation::AddRemove, even, {});
    attained(dimension, Relation::ZeroRow, even, {});
  }
  const double angle = std::atan(0.5) / 2.0;  // maximises 2 |cos 2a| + |sin 2a|
  attained(2, Relation::ReplaceOne, {std::cos(angle), std::sin(angle)},
           {-std::sin(angle), std::cos(angle)});
}

/// |x² - y²| is at most R², not the sqrt(2) or 2 of orthogonal rows.
TEST(Sensitivity, OneColumnReplacedMovesByOneSquare) {
  const RowBound bound = *RowBound::row_norm(1, 1.0, kMaxAbs);
  const MomentShape shape = moment_shape(bound, Extension::Count, Relation::ReplaceOne, 0.5);
  const Moved distance = moved(bound, shape, {1.0}, {0.0});
  for (const double sensitivity : {*frobenius_sensitivity(shape), *nuclear_sensitivity(shape),
                                   *upper_triangle_l1_sensitivity(shape)}) {
    EXPECT_NEAR(sensitivity / distance.frobenius, 1.0, grid_slack(1));
    EXPECT_GE(sensitivity, distance.frobenius);
  }
}

TEST(Sensitivity, AnotherGramOrRelationIsRefused) {
  const RowBound bound = *RowBound::row_norm(2, 1.0, kMaxAbs);
  const RowBound wider = *RowBound::row_norm(2, 2.0, 2 * kMaxAbs);
  const MomentShape shape = moment_shape(bound, Extension::Count, Relation::AddRemove, 0.5);
  EXPECT_TRUE(frobenius_bounded(gram_of(bound, {}), shape));
  EXPECT_FALSE(frobenius_bounded(gram_of(wider, {}), shape));
  EXPECT_FALSE(l1_bounded(gram_of(wider, {}), shape));
  EXPECT_FALSE(nuclear_bounded(gram_of(wider, {}), shape));
  MomentShape copy = shape;
  copy.relation = Relation::IndependentCopy;
  EXPECT_FALSE(frobenius_sensitivity(copy));
  EXPECT_FALSE(upper_triangle_l1_sensitivity(copy));
  EXPECT_FALSE(nuclear_sensitivity(copy));
  for (const std::int64_t constant : {std::int64_t{-5}, std::int64_t{0}, INT64_MAX}) {
    MomentShape written = moment_shape(bound, Extension::Full, Relation::AddRemove, 0.5);
    written.constant = constant;
    EXPECT_FALSE(frobenius_bounded(gram_of(bound, {}), written));
    EXPECT_FALSE(l1_bounded(gram_of(bound, {}), written));
    EXPECT_FALSE(nuclear_bounded(gram_of(bound, {}), written));
  }
}

}  // namespace
}  // namespace eigenveil::test::sensitivity_test
