// docs/proofs/second_moment.md in integers: explicit pairs attain the bounds, a search never
// exceeds them.
#include <gtest/gtest.h>

#include <random>

#include "gram_support.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::gram_sensitivity_test {
namespace {

constexpr std::int64_t kMaxAbs = 1 << 10;

struct Distance {
  Int128 frobenius2 = 0;
  Int128 triangle_l1 = 0;
  friend bool operator==(const Distance&, const Distance&) = default;
};

Int128 modulus(Int128 value) {
  return value < 0 ? -value : value;
}

/// How far the released matrix moves between two tables, exactly.
Distance distance(const RowBound& bound, const std::vector<double>& a,
                  const std::vector<double>& b) {
  const ExactGram gram_a = gram_of(bound, a);
  const ExactGram gram_b = gram_of(bound, b);
  Distance total;
  for (std::size_t k = 0; k < bound.dimension(); ++k) {
    for (std::size_t j = 0; j <= k; ++j) {
      const std::size_t at = triangle_index(j, k);
      const Int128 difference =
          trusted::totals(gram_a).products[at] - trusted::totals(gram_b).products[at];
      total.frobenius2 += (j == k ? 1 : 2) * difference * difference;
      total.triangle_l1 += modulus(difference);
    }
  }
  return total;
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(GramSensitivity, ExplicitPairsAttainTheBounds) {
  const RowBound bound = *RowBound::row_norm(4, 3.0, kMaxAbs);
  const Int128 radius2 = bound.norm2_bound();
  const std::vector<double> table = {1, 0.3, -2, 0.1, 0.2, 0.2, 0.2, 9};
  const std::vector<double> first = {3, 0, 0, 0};
  const std::vector<double> second = {0, 3, 0, 0};
  const std::vector<double> spread = {1.5, -1.5, 1.5, 1.5};

  EXPECT_TRUE(distance(bound, joined(table, first), table).frobenius2 == radius2 * radius2);
  EXPECT_TRUE(distance(bound, joined(table, spread), table).frobenius2 == radius2 * radius2);
  EXPECT_TRUE(distance(bound, joined(table, first), joined(table, second)).frobenius2 ==
              2 * radius2 * radius2);
  // (p + 1)/2 R^2 with p = 4
  EXPECT_TRUE(2 * distance(bound, joined(table, spread), table).triangle_l1 == 5 * radius2);
  // against the zero row nothing is lost: it adds only to the count
  EXPECT_TRUE(distance(bound, joined(table, first), joined(table, {0, 0, 0, 0})) ==
              distance(bound, joined(table, first), table));
}

TEST(GramSensitivity, SearchNeverExceedsTheBounds) {
  std::mt19937_64 engine(seed_for("gram.sensitivity"));
  for (const std::size_t dimension : {1U, 2U, 3U, 8U}) {
    for (const RowBound& bound : bounds_of_every_kind(dimension, kMaxAbs)) {
      const Int128 radius2 = bound.norm2_bound();
      const auto p = static_cast<Int128>(dimension);
      for (int trial = 0; trial < 300; ++trial) {
        const std::vector<double> table = awkward_rows(engine, 2, dimension);
        const std::vector<double> one = awkward_rows(engine, 1, dimension);
        const std::vector<double> other = awkward_rows(engine, 1, dimension);
        const Distance added = distance(bound, joined(table, one), table);
        EXPECT_TRUE(added.frobenius2 <= radius2 * radius2);
        EXPECT_TRUE(2 * added.triangle_l1 <= (p + 1) * radius2);
        const Distance replaced = distance(bound, joined(table, one), joined(table, other));
        EXPECT_TRUE(replaced.frobenius2 <= 2 * radius2 * radius2);
        EXPECT_TRUE(replaced.triangle_l1 <= (p + 1) * radius2);
      }
    }
  }
}

TEST(GramSensitivity, ExtendedRowsStayWithinTheirBound) {
  // Rows (t, v) in grid steps: count t^2, sums t, products; add-remove moves them by |v|^2 + t^2.
  const RowBound bound = *RowBound::row_norm(3, 1.0, kMaxAbs);
  std::mt19937_64 engine(seed_for("gram.extended"));
  const Int128 t = 700;
  const auto moved2 = [&](const std::vector<double>& row) {
    const GramTotals totals = brute_force(bound, row);
    Int128 sum = static_cast<Int128>(totals.count) * t * t * t * t;
    for (std::size_t k = 0; k < 3; ++k) {
      sum += 2 * t * t * totals.sums[k] * totals.sums[k];
      for (std::size_t j = 0; j <= k; ++j) {
        const Int128 product = totals.products[triangle_index(j, k)];
        sum += (j == k ? 1 : 2) * product * product;
      }
    }
    return sum;
  };
  const Int128 limit = (bound.norm2_bound() + t * t) * (bound.norm2_bound() + t * t);
  EXPECT_TRUE(moved2({0, -1, 0}) == limit);
  for (int trial = 0; trial < 300; ++trial) {
    EXPECT_TRUE(moved2(awkward_rows(engine, 1, 3)) <= limit);
  }
}

}  // namespace
}  // namespace eigenveil::test::gram_sensitivity_test
