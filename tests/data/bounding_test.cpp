#include "eigenveil/data/bounding.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "support/seed.hpp"

namespace eigenveil::test::bounding_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kSubnormal = std::numeric_limits<double>::denorm_min();

std::vector<double> clip_row(const RowBound& bound, const std::vector<double>& row) {
  const BoundedRows rows = BoundedRows::clip(bound, row.data(), row.size() / bound.dimension());
  return {rows.values().begin(), rows.values().end()};
}

Int128 squared_norm(const double* row, std::size_t dimension) {
  Int128 total = 0;
  for (std::size_t j = 0; j < dimension; ++j) {
    total += static_cast<Int128>(row[j]) * static_cast<Int128>(row[j]);
  }
  return total;
}

/// Cells that arithmetic likes to get wrong, and ordinary ones of very different size.
double awkward_cell(std::mt19937_64& engine) {
  constexpr std::array kEdges = {0.0,         -0.0,     1.0,       -1.0,      0.5,    1e308,
                                 -1e308,      1e200,    1e154,     1e-154,    1e-308, kSubnormal,
                                 -kSubnormal, kMissing, kInfinity, -kInfinity};
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  std::uniform_int_distribution<int> kind(0, 60);
  const int chosen = kind(engine);
  if (chosen < static_cast<int>(kEdges.size())) {
    return kEdges[static_cast<std::size_t>(chosen)];
  }
  return chosen == 60 ? std::ldexp(uniform(engine), static_cast<int>(engine() % 2000) - 1000)
                      : uniform(engine);
}

std::vector<RowBound> bounds_of_every_kind(std::size_t dimension, std::int64_t max_abs) {
  const std::vector<ColumnRange> box(dimension, {-0.7, 1.9});
  const std::vector<double> center(dimension, 0.3);
  return {*RowBound::row_norm(dimension, 1.0, max_abs),
          *RowBound::row_norm(dimension, 0.1, max_abs, center),
          *RowBound::row_norm(dimension, 1e110, max_abs),
          *RowBound::row_norm(dimension, 1e-110, max_abs),
          *RowBound::ranges(box, {}, max_abs),
          *RowBound::ranges(box, 1.0, max_abs),
          *RowBound::ranges(box, 0.9 * std::sqrt(static_cast<double>(dimension)), max_abs + 1)};
}

TEST(RowBound, RefusesWhatCannotBoundARow) {
  const double huge = std::numeric_limits<double>::max();
  for (const double radius : {0.0, -1.0, kInfinity, kMissing, huge, kSubnormal}) {
    EXPECT_FALSE(RowBound::row_norm(3, radius)) << radius;
    EXPECT_FALSE(RowBound::ranges({{0, 1}}, radius)) << radius;
  }
  for (const std::int64_t max_abs : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 25U}) {
    EXPECT_FALSE(RowBound::row_norm(3, 1.0, max_abs)) << max_abs;
    EXPECT_FALSE(RowBound::ranges({{0, 1}}, {}, max_abs)) << max_abs;
  }
  EXPECT_FALSE(RowBound::row_norm(0, 1.0));
  EXPECT_FALSE(RowBound::ranges({}));
  EXPECT_FALSE(RowBound::row_norm(RowBound::kLargestDimension + 1, 1.0));
  EXPECT_FALSE(RowBound::row_norm(2, 1.0, 16, {0.0}));
  EXPECT_FALSE(RowBound::row_norm(2, 1.0, 16, {0.0, kInfinity}));
  EXPECT_FALSE(RowBound::ranges({{0, 1}, {1, 1}}));
  EXPECT_FALSE(RowBound::ranges({{0, 1}, {2, 1}}));
  EXPECT_FALSE(RowBound::ranges({{0, kInfinity}}));
  EXPECT_FALSE(RowBound::ranges({{kMissing, 1}}));
  EXPECT_FALSE(RowBound::ranges({{-huge, huge}}));
  EXPECT_FALSE(RowBound::ranges({{0, kSubnormal}}));
  EXPECT_FALSE(RowBound::ranges({{0, 1}, {0, 1}}, 0.01, 16)) << "shorter than one grid step";
}

TEST(RowBound, SaysWhichColumnIsWrong) {
  const Result<RowBound> wrong = RowBound::ranges({{0, 1}, {2, 1}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::BadRequest);
  EXPECT_EQ(wrong.error().message,
            "the range of column 2 must be two finite numbers, the lower one first");
  const std::vector<std::string> names = {"age", "income"};
  EXPECT_EQ(RowBound::ranges({{0, 1}, {2, 1}}, {}, 16, names).error().message,
            "the range of column 'income' must be two finite numbers, the lower one first");
  EXPECT_NE(RowBound::ranges({{0, 1e-200}, {0, 1}}, {}, 16, names).error().message.find("'age'"),
            std::string::npos);
}

TEST(RowBound, StatesTheBoundInGridSteps) {
  const RowBound norm = *RowBound::row_norm(5, 3.0, 1 << 10);
  EXPECT_TRUE(norm.norm2_bound() == Int128{1} << 20U);
  EXPECT_EQ(norm.unit(), 3.0 / 1024);
  EXPECT_EQ(norm.radius(), 3.0);

  const RowBound box = *RowBound::ranges({{0, 10}, {-1, 3}}, {}, 100);
  EXPECT_TRUE(box.norm2_bound() == Int128{20000});
  EXPECT_EQ(box.midpoint(1), 1.0);
  EXPECT_EQ(box.half_width(1), 2.0);
  EXPECT_GE(box.radius() * box.radius(), 2.0);
  EXPECT_LT(box.radius(), std::sqrt(2.0) * (1 + 1e-15));
}

TEST(RowBound, RowNormAfterRangesRoundsDownAndNeverExceedsTheBox) {
  // (0.7 * 10)^2 in reals of the double 0.7, which is below 7/10: 48.99..., not 49.
  const RowBound rounded = *RowBound::ranges({{0, 1}, {0, 1}}, 0.7, 10);
  EXPECT_TRUE(rounded.norm2_bound() == Int128{48});
  const RowBound exact = *RowBound::ranges({{0, 1}, {0, 1}}, 0.75, 16);
  EXPECT_TRUE(exact.norm2_bound() == Int128{144});
  const RowBound box = *RowBound::ranges({{0, 1}, {0, 1}}, {}, 16);
  EXPECT_EQ(*RowBound::ranges({{0, 1}, {0, 1}}, 1.5, 16), box);
  EXPECT_EQ(*RowBound::ranges({{0, 1}, {0, 1}}, 1e100, 16), box);
}

TEST(RowBound, EncodesEveryField) {
  for (const RowBound& bound : bounds_of_every_kind(4, 1000)) {
    const Result<RowBound> decoded = RowBound::decode(bound.encode());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, bound);
    const std::string bytes = bound.encode();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(RowBound::decode(bytes.substr(0, length)));
    }
  }
  EXPECT_NE(*RowBound::row_norm(2, 1.0), *RowBound::row_norm(2, 2.0));
  EXPECT_NE(*RowBound::row_norm(2, 1.0), *RowBound::row_norm(2, 1.0, 16));
  EXPECT_NE(*RowBound::row_norm(2, 1.0), *RowBound::row_norm(2, 1.0, 1 << 18, {0.0, 1.0}));
  EXPECT_EQ(RowBound::row_norm(1, 1.0, 8, {-0.0})->encode(),
            RowBound::row_norm(1, 1.0, 8)->encode());
}

TEST(BoundedRows, RangesMapOntoTheGrid) {
  const RowBound bound = *RowBound::ranges({{0, 10}, {0, 10}, {0, 10}, {0, 10}}, {}, 100);
  EXPECT_EQ(clip_row(bound, {0, 10, 5, 7.519}), (std::vector<double>{-100, 100, 0, 50}));
  EXPECT_EQ(clip_row(bound, {-1e308, 1e308, kMissing, 2.481}),
            (std::vector<double>{-100, 100, 0, -50}));
  EXPECT_EQ(clip_row(bound, {1, 2, 3, kInfinity}), (std::vector<double>{0, 0, 0, 0}));
}

TEST(BoundedRows, EndsOfARangeReachMaxAbs) {
  std::mt19937_64 engine(test::seed_for("bounding.range_ends"));
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  for (int trial = 0; trial < 20000; ++trial) {
    const double half_width = std::exp(uniform(engine));
    const auto max_abs = static_cast<std::int64_t>(1 + engine() % (1U << 24U));
    const RowBound bound = *RowBound::ranges({{-half_width, half_width}}, {}, max_abs);
    const auto end = static_cast<double>(max_abs);
    ASSERT_EQ(clip_row(bound, {-half_width, half_width}), (std::vector<double>{-end, end}));
    const RowBound norm = *RowBound::row_norm(1, half_width, max_abs);
    ASSERT_EQ(clip_row(norm, {-half_width, half_width}), (std::vector<double>{-end, end}));
  }
}

TEST(BoundedRows, RowNormRoundsTowardsZeroAndKeepsTheDirection) {
  const RowBound bound = *RowBound::row_norm(2, 5.0, 1000);
  EXPECT_EQ(clip_row(bound, {0.0099, -0.0149}), (std::vector<double>{1, -2}));
  EXPECT_EQ(clip_row(bound, {0.0049, -0.0049}), (std::vector<double>{0, 0}));
  const std::vector<double> clipped = clip_row(bound, {3e10, -4e10});
  EXPECT_NEAR(clipped[0], 600, 1);
  EXPECT_NEAR(clipped[1], -800, 1);
  const RowBound centered = *RowBound::row_norm(2, 5.0, 1000, {1.0, -1.0});
  EXPECT_EQ(clip_row(centered, {1.5, -1.0}), (std::vector<double>{100, 0}));
  EXPECT_EQ(clip_row(centered, {kMissing, -0.5}), (std::vector<double>{0, 100}));
}

TEST(BoundedRows, NormsBeyondDoubleRange) {
  const RowBound bound = *RowBound::row_norm(2, 1.0, 1000);
  const std::vector<double> diagonal = {707, 707};
  for (const double size : {1e160, 1e200, 1e300, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(clip_row(bound, {size, size}), diagonal) << size;
    EXPECT_EQ(clip_row(bound, {size, kMissing}), (std::vector<double>{1000, 0})) << size;
    EXPECT_EQ(clip_row(bound, {size, kInfinity}), (std::vector<double>{0, 0})) << size;
  }
  EXPECT_EQ(clip_row(bound, {kSubnormal, kSubnormal}), (std::vector<double>{0, 0}));
  const RowBound tiny = *RowBound::row_norm(2, 1e-119, 1000);
  EXPECT_EQ(clip_row(tiny, {1e-100, 1e-100}), diagonal);
  EXPECT_EQ(clip_row(tiny, {1e-119, 0}), (std::vector<double>{1000, 0}));
  EXPECT_EQ(clip_row(tiny, {0.5e-119, kSubnormal}), (std::vector<double>{500, 0}));
  const double huge = std::numeric_limits<double>::max();
  const RowBound far = *RowBound::row_norm(2, 1.0, 1000, {-huge, 0.0});
  EXPECT_EQ(clip_row(far, {huge, 1.0}), (std::vector<double>{1000, 0}));
}

TEST(BoundedRows, EveryRowIsWithinTheBoundInIntegers) {
  std::mt19937_64 engine(test::seed_for("bounding.every_row"));
  for (const std::size_t dimension : {1U, 2U, 7U, 8U, 9U, 33U}) {
    for (const std::int64_t max_abs : {1, 2, 255, 1 << 18, (1 << 24) - 1}) {
      std::vector<double> values(200 * dimension);
      for (double& value : values) {
        value = awkward_cell(engine);
      }
      for (const RowBound& bound : bounds_of_every_kind(dimension, max_abs)) {
        const BoundedRows rows = BoundedRows::clip(bound, values.data(), 200);
        for (std::size_t i = 0; i < 200; ++i) {
          const double* row = rows.values().data() + i * dimension;
          ASSERT_TRUE(squared_norm(row, dimension) <= bound.norm2_bound());
          for (std::size_t j = 0; j < dimension; ++j) {
            ASSERT_EQ(row[j], std::trunc(row[j]));
            ASSERT_LE(std::fabs(row[j]), static_cast<double>(bound.max_abs()));
          }
        }
      }
    }
  }
}

TEST(BoundedRows, ReusedMemoryChangesNothing) {
  std::mt19937_64 engine(test::seed_for("bounding.reuse"));
  std::vector<double> values(90);
  for (double& value : values) {
    value = awkward_cell(engine);
  }
  for (const RowBound& bound : bounds_of_every_kind(9, 1 << 18)) {
    const BoundedRows fresh = BoundedRows::clip(bound, values.data(), 10);
    const BoundedRows reused =
        BoundedRows::clip(bound, values.data(), 10, std::vector<double>(500, kMissing));
    EXPECT_TRUE(std::equal(fresh.values().begin(), fresh.values().end(), reused.values().begin(),
                           reused.values().end()));
  }
}

/// Floating-point clipping alone, in the library's order of additions: the mutant without the
/// integer check.
std::vector<double> clip_without_check(const std::vector<double>& row, double max_abs) {
  std::array<std::array<double, 8>, 4> groups{};
  for (std::size_t j = 0; j < row.size(); ++j) {
    groups[j / 8 % 4][j % 8] += row[j] * row[j];
  }
  std::array<double, 8> lanes{};
  for (std::size_t lane = 0; lane < 8; ++lane) {
    lanes[lane] = (groups[0][lane] + groups[1][lane]) + (groups[2][lane] + groups[3][lane]);
  }
  const double norm = std::sqrt(((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
                                ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7])));
  const double factor = (1.0 + 0x1p-51) * (max_abs / norm);
  std::vector<double> clipped;
  for (const double value : row) {
    clipped.push_back(std::trunc(value * factor));
  }
  return clipped;
}

TEST(BoundedRows, TheIntegerCheckCatchesFloatingPointOvershoot) {
  // Grid points w just outside the sphere, |w|^2 = max_abs^2 + e. Scaled by s, thousands of equal
  // small squares each lose the same part of an ulp, the computed norm comes out too short, and
  // truncation gives w back.
  constexpr std::size_t kDimension = 1U << 14U;
  constexpr std::int64_t kMaxAbs = RowBound::kLargestMaxAbs;
  constexpr std::size_t kLarge = 16;
  std::int64_t rest = kMaxAbs * kMaxAbs + 3 - static_cast<std::int64_t>(kDimension - kLarge);
  std::vector<double> outside(kDimension, 1.0);
  for (std::size_t j = 0; j < kLarge; ++j) {
    const std::int64_t share = j < 8 ? rest / static_cast<std::int64_t>(9 - j) : rest;
    const auto entry = static_cast<std::int64_t>(std::sqrt(static_cast<double>(share)));
    outside[j] = static_cast<double>(entry);
    rest -= entry * entry;
  }
  const RowBound bound = *RowBound::row_norm(kDimension, 1.0, kMaxAbs);
  ASSERT_TRUE(squared_norm(outside.data(), kDimension) > bound.norm2_bound());

  std::mt19937_64 engine(test::seed_for("bounding.overshoot"));
  std::uniform_real_distribution<double> uniform(1.0, 2.0);
  int mutant_violations = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const double scale = uniform(engine);
    std::vector<double> row(outside);
    for (double& value : row) {
      value *= scale;
    }
    const std::vector<double> mutant = clip_without_check(row, static_cast<double>(kMaxAbs));
    const bool violates = squared_norm(mutant.data(), kDimension) > bound.norm2_bound();
    mutant_violations += violates ? 1 : 0;
    const std::vector<double> checked = clip_row(bound, row);
    ASSERT_TRUE(violates || checked == mutant) << "every instruction set rounds alike";
    ASSERT_TRUE(squared_norm(checked.data(), kDimension) <= bound.norm2_bound());
  }
  EXPECT_GT(mutant_violations, 0) << "without the check the sensitivity would be exceeded";
}

TEST(BoundedRows, ARowExactlyAtTheBoundStays) {
  const RowBound bound = *RowBound::row_norm(4, 1.0, 1 << 18);
  EXPECT_EQ(clip_row(bound, {0.5, -0.5, 0.5, 0.5}),
            (std::vector<double>{1 << 17, -(1 << 17), 1 << 17, 1 << 17}));
  EXPECT_EQ(clip_row(bound, {0, 0, -1, 0}), (std::vector<double>{0, 0, -(1 << 18), 0}));
}

}  // namespace
}  // namespace eigenveil::test::bounding_test
