// Masked rows drawn from the Gram have the law of A (X + C): second moments against noise on the
// rows themselves, rows against an explicit n x n rotation.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/mask/mask.hpp"
#include "mechanism/mask/pseudo_rows.hpp"
#include "random/haar.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/normals.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::mask_law_test {
namespace {

constexpr Eigen::Index kRows = 9;
constexpr Eigen::Index kColumns = 3;
constexpr double kSigma = 0.4;

/// Rows of norm at most 1, on the grid to about 1e-6.
Matrix table(Eigen::Index count = kRows) {
  Matrix rows(count, kColumns);
  for (Eigen::Index i = 0; i < count; ++i) {
    rows.row(i) << 0.5 * std::cos(1.0 * static_cast<double>(i)), 0.25,
        -0.5 * (i % 2 == 0 ? 1.0 : 0.3);
  }
  return rows;
}

ExactGram exact_gram(Eigen::Index count = kRows) {
  const Matrix transposed = table(count).transpose();
  return gram_of(*RowBound::row_norm(kColumns, 1.0, RowBound::kLargestMaxAbs),
                 std::vector<double>(transposed.data(), transposed.data() + transposed.size()));
}

double two_sample_distance(std::vector<double> a, std::vector<double> b) {
  std::sort(b.begin(), b.end());
  const auto cdf = [&](double x) {
    return static_cast<double>(std::upper_bound(b.begin(), b.end(), x) - b.begin()) /
           static_cast<double>(b.size());
  };
  return kolmogorov_distance(a, cdf);
}

/// Statistics that see the diagonal, the off-diagonal and the determinant.
std::vector<double> features(const Matrix& w) {
  return {w(0, 0), w(1, 2), w(0, 1) - w(2, 2), std::log(w.determinant())};
}

TEST(MaskedGram, HasTheLawOfNoiseOnTheRows) {
  constexpr std::size_t kDraws = 40'000;
  const ExactGram gram = exact_gram();
  const Matrix rows = table();
  RandomStream stream = RandomStream::seeded(seed_for("mask.gram"));
  std::vector<std::vector<double>> ours(4);
  std::vector<std::vector<double>> expected(4);
  std::vector<std::vector<double>> broken(4);  // Wishart(n) instead of n - p beside it
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const Matrix factor = trusted::draw_masked_factor(gram, false, kSigma, stream).factor;
    const Matrix noisy = rows + kSigma * normals(stream, kRows, kColumns);
    const Matrix extra = kSigma * normals(stream, kColumns, kColumns);
    const std::vector<double> a = features(factor.transpose() * factor);
    const std::vector<double> b = features(noisy.transpose() * noisy);
    const std::vector<double> c = features(factor.transpose() * factor + extra.transpose() * extra);
    for (std::size_t k = 0; k < 4; ++k) {
      ours[k].push_back(a[k]);
      expected[k].push_back(b[k]);
      broken[k].push_back(c[k]);
    }
  }
  // Two empirical laws, each within DKW of the truth: half of the rate over four features each.
  const double limit = 2.0 * dkw_limit(kDraws, alpha_of("mechanism: masked gram") / 8.0);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LE(two_sample_distance(ours[k], expected[k]), limit) << k;
  }
  EXPECT_GT(two_sample_distance(broken[0], expected[0]), limit);
}

/// All pseudo-rows, n x p.
Matrix all_rows(PseudoRows rows, std::int64_t count, Eigen::Index columns) {
  Matrix all(count, columns);
  Eigen::Index next = 0;
  for (std::size_t b = 0; b < rows.blocks(); ++b) {
    const Matrix block = rows.next();
    all.middleRows(next, block.cols()) = block.transpose();
    next += block.cols();
  }
  EXPECT_EQ(next, count);
  return all;
}

/// Statistics of single cells, of rows, of rows of different blocks together, and of the Gram.
std::vector<double> row_features(const Matrix& y) {
  const Eigen::Index last = y.rows() - 1;
  return {y(0, 0), y(last, 2) - y(2, 1), y.row(4).norm(), y(1, 0) * y(last, 0),
          y.col(0).squaredNorm()};
}
constexpr std::size_t kRowFeatures = 5;

/// Every feature over many draws.
class Sample {
 public:
  void see(const Matrix& y) {
    const std::vector<double> found = row_features(y);
    for (std::size_t k = 0; k < kRowFeatures; ++k) {
      values_[k].push_back(found[k]);
    }
  }
  /// Largest distance over all features.
  double distance(const Sample& other) const {
    double worst = 0.0;
    for (std::size_t k = 0; k < kRowFeatures; ++k) {
      worst = std::max(worst, two_sample_distance(values_[k], other.values_[k]));
    }
    return worst;
  }

 private:
  std::array<std::vector<double>, kRowFeatures> values_;
};

struct LawCase {
  Eigen::Index rows;
  std::size_t draws;
  std::vector<std::int64_t> rows_per_block;  ///< each way of drawing has to have the law
};

/// Three ways of drawing the rows at most in each case: two empirical laws for every feature.
void expect_law_of_a_rotation(const LawCase& wanted) {
  SCOPED_TRACE(wanted.rows);
  const ExactGram gram = exact_gram(wanted.rows);
  const Matrix rows = table(wanted.rows);
  RandomStream stream =
      RandomStream::seeded(seed_for("mask.rows") + static_cast<std::uint64_t>(wanted.rows));
  std::vector<Sample> ours(wanted.rows_per_block.size());
  Sample expected;
  Sample unrotated;
  Sample no_frame;
  Sample less_noise;
  const auto made = [&](double sigma, std::int64_t rows_per_block) {
    return all_rows(*PseudoRows::make(trusted::draw_masked_factor(gram, false, sigma, stream),
                                      Vector::Ones(kColumns), stream, rows_per_block),
                    wanted.rows, kColumns);
  };
  for (std::size_t draw = 0; draw < wanted.draws; ++draw) {
    for (std::size_t way = 0; way < ours.size(); ++way) {
      ours[way].see(made(kSigma, wanted.rows_per_block[way]));
    }
    const Matrix noisy = rows + kSigma * normals(stream, wanted.rows, kColumns);
    expected.see(haar_frame(stream, wanted.rows, wanted.rows) * noisy);
    unrotated.see(noisy);
    const Matrix factor = trusted::draw_masked_factor(gram, false, kSigma, stream).factor;
    no_frame.see(normals(stream, wanted.rows, kColumns) * factor /
                 std::sqrt(static_cast<double>(wanted.rows)));
    less_noise.see(made(0.8 * kSigma, wanted.rows));
  }
  constexpr double kLimits = 2.0 * 3.0 * 2.0 * static_cast<double>(kRowFeatures);  // two cases
  const double limit = 2.0 * dkw_limit(wanted.draws, alpha_of("mechanism: pseudo rows") / kLimits);
  for (std::size_t way = 0; way < ours.size(); ++way) {
    EXPECT_LE(ours[way].distance(expected), limit) << wanted.rows_per_block[way];
  }
  EXPECT_GT(unrotated.distance(expected), limit);
  EXPECT_GT(no_frame.distance(expected), limit);
  EXPECT_GT(less_noise.distance(expected), limit);
}

TEST(PseudoRowsLaw, IsThatOfAnExplicitRotation) {
  expect_law_of_a_rotation({9, 20'000, {9, 3}});
  expect_law_of_a_rotation({30, 12'000, {30, 12, 4}});  // one block, two uneven ones, seven
}

TEST(PseudoRows, HaveExactlyTheReleasedMomentsHoweverTheyAreDrawn) {
  RandomStream stream = RandomStream::seeded(seed_for("mask.moments"));
  const PseudoFactor factor{2 * PseudoRows::kRowsPerBlock + 17, normals(stream, 4, 4)};
  const Vector scales = (Vector(4) << 1.0, 2.0, 0.5, 3.0).finished();
  const Matrix scaled = factor.factor * scales.asDiagonal();
  const auto make = [&](std::int64_t rows_per_block) {
    RandomStream own = RandomStream::seeded(5);
    return *PseudoRows::make(factor, scales, own, rows_per_block);
  };
  for (const std::int64_t rows_per_block :
       {std::int64_t{1}, std::int64_t{100}, PseudoRows::kRowsPerBlock}) {
    const Matrix y = all_rows(make(rows_per_block), factor.rows, 4);
    EXPECT_LT((y.transpose() * y - scaled.transpose() * scaled).norm(), 1e-9 * scaled.squaredNorm())
        << rows_per_block;
  }
  // Blocks may be drawn in any order, by any thread; they are placed in theirs.
  PseudoRows rows = make(PseudoRows::kRowsPerBlock);
  ASSERT_EQ(rows.blocks(), 2U);
  PseudoRows::Block last = rows.draw(1);
  PseudoRows::Block first = rows.draw(0);
  rows.place(first);
  rows.place(last);
  const Matrix y = all_rows(make(PseudoRows::kRowsPerBlock), factor.rows, 4);
  EXPECT_EQ(PseudoRows::rows(first), y.topRows(PseudoRows::kRowsPerBlock).transpose());
  EXPECT_EQ(PseudoRows::rows(last),
            y.bottomRows(factor.rows - PseudoRows::kRowsPerBlock).transpose());
  RandomStream own = RandomStream::seeded(5);
  EXPECT_FALSE(PseudoRows::make({3, factor.factor}, scales, own));
}

/// As many rows as columns: a square block of normals is often nearly singular. The worst of many
/// condition numbers is about as many times the number of columns.
TEST(PseudoRows, SquareFramesAreFramesToDoublePrecision) {
  constexpr int kDraws = 20'000;
  RandomStream stream = RandomStream::seeded(seed_for("mask.square"));
  const PseudoFactor factor{kColumns, Matrix::Identity(kColumns, kColumns)};
  double worst = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Matrix y =
        all_rows(*PseudoRows::make(factor, Vector::Ones(kColumns), stream), kColumns, kColumns);
    worst = std::max(worst, (y.transpose() * y - factor.factor).norm());
  }
  EXPECT_LT(worst, 1e-15 * kDraws * kColumns * kColumns);
}

TEST(MaskPlanTest, StatesWhatItProvesAndRefusesTheRest) {
  const RowBound bound = *RowBound::row_norm(kColumns, 1.0);
  const ApproxDp target{1.0, 1e-5};
  const MaskPlan plan = *MaskPlan::make({bound, target}, 500);
  EXPECT_EQ(plan.guarantee().basis, Basis::ProvedRealArithmetic);
  EXPECT_EQ(plan.guarantee().relation, Relation::ZeroRow);
  EXPECT_TRUE(std::holds_alternative<TradeOffCurve>(plan.guarantee().loss));
  EXPECT_GT(MaskPlan::make({bound, target, Relation::ReplaceOne}, 500)->sigma(), plan.sigma());
  EXPECT_GT(MaskPlan::make({bound, target, Relation::ZeroRow, true}, 500)->sigma(), plan.sigma());
  // A zeroed row keeps its intercept: more noise than for the zero row, but (t, 0) is shorter than
  // any row of the ball, so less than for a replaced one.
  const MaskPlan zeroed = *MaskPlan::make({bound, target, Relation::ZeroRow, true}, 500);
  const MaskPlan replaced = *MaskPlan::make({bound, target, Relation::ReplaceOne, true}, 500);
  EXPECT_LT(zeroed.sigma(), 0.93 * replaced.sigma());
  MaskShape to_zero = zeroed.shape();
  to_zero.zeroed_norm = 0.0;  // the twin: (t, x) against the zero row
  EXPECT_GT(zeroed.sigma(), *tight_mask_noise(to_zero, target, Relation::ZeroRow));
  EXPECT_LE(mask_delta(zeroed.shape(), zeroed.sigma(), 1.0, Relation::ZeroRow), 1e-5);
  EXPECT_GT(mask_delta(zeroed.shape(), 0.999 * zeroed.sigma(), 1.0, Relation::ZeroRow), 1e-5);
  EXPECT_GT(MaskPlan::make({bound, target, Relation::ZeroRow, false, true}, 500)->sigma(),
            plan.sigma());
  EXPECT_FALSE(MaskPlan::check({bound, PureDp{1.0}}));
  EXPECT_FALSE(MaskPlan::check({bound, target, Relation::AddRemove}));
  EXPECT_FALSE(MaskPlan::make({bound, target}, kColumns));
  RandomStream stream = RandomStream::seeded(1);
  EXPECT_FALSE(plan.run(exact_gram(), stream));  // another bound, and too few rows
}

/// G equal rows, the others large and orthogonal to them, are one row of norm sqrt(G) with n - p +
/// 1 degrees of freedom, in closed form: never more than what is stated for the group.
TEST(MaskPlanTest, AGroupOfEqualRowsStaysBelowItsClaim) {
  constexpr std::int64_t kBlock = 40;
  const RowBound bound = *RowBound::row_norm(kColumns, 1.0);
  for (const ApproxDp& target : {ApproxDp{0.2, 1e-6}, ApproxDp{1.0, 1e-3}, ApproxDp{5.0, 0.1}}) {
    for (const int size : {2, 5, 20}) {
      const auto plan =
          MaskPlan::make({bound, target, Relation::ZeroRow, false, false, size}, kBlock);
      const MaskShape equal_rows{kBlock - kColumns + 2, 1, std::sqrt(double(size))};
      const auto delta = [&](double sigma) {
        return mask_delta(equal_rows, sigma, target.epsilon, Relation::ZeroRow);
      };
      EXPECT_LE(delta(plan->sigma()), target.delta) << target.epsilon << ' ' << size;
      // The broken twin: the noise of one row.
      EXPECT_GT(delta(MaskPlan::make({bound, target}, kBlock)->sigma()), target.delta);
    }
  }
}

/// The constant counts in the norm that masking needs, so it is no longer than the longest row.
TEST(MaskPlanTest, TheConstantIsNoLongerThanTheRows) {
  for (const double row_norm : {1e-100, 0.05, 1.0, 40.0}) {
    const RowBound bound = *RowBound::row_norm(kColumns, row_norm);
    const double constant = static_cast<double>(intercept_constant(bound)) * bound.unit();
    EXPECT_NEAR(constant, std::min(1.0, row_norm), 1e-3 * constant);
    const MaskPlan plan =
        *MaskPlan::make({bound, ApproxDp{1.0, 1e-5}, Relation::ZeroRow, true}, 50);
    EXPECT_NEAR(plan.shape().row_norm, std::hypot(constant, row_norm), 1e-3 * row_norm);
  }
}

/// It never moves, though: with few rows the noise alone protects with less of it, and the release
/// says so.
TEST(MaskPlanTest, FewRowsWithAnInterceptAreProtectedByTheNoiseAlone) {
  const ApproxDp target{3.0, 1e-5};
  const RowBound bound = *RowBound::row_norm(kColumns, 1.0);
  const MaskPlan plan = *MaskPlan::make({bound, target, Relation::ZeroRow, true}, kColumns + 2);
  const double change = row_change(bound, Relation::ZeroRow);
  EXPECT_NEAR(change, 1.0, 1e-6);
  EXPECT_NEAR(row_change(bound, Relation::ReplaceOne), 2.0 * change, 1e-12);
  EXPECT_GE(plan.sigma(), change / gaussian_mu_for(target));
  EXPECT_LE(plan.sigma(), change / gaussian_mu_for(target) * (1.0 + 1e-12));
  EXPECT_TRUE(std::holds_alternative<GaussianDp>(plan.guarantee().loss));
  EXPECT_LE(delta_at(plan.guarantee().loss, target.epsilon), target.delta);
}

}  // namespace
}  // namespace eigenveil::test::mask_law_test
