// Noise of masked releases: the table of Ding et al. digit by digit, the tight values, certified
// bounds against independent quadrature, the corners of the parameter range.
#include "mechanism/mask/mask_calibration.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <tuple>

#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/mask/masked_pair.hpp"

namespace eigenveil::test::mask_calibration_test {
namespace {

struct TightValue {
  double epsilon, delta;
  std::int64_t rows, dimension;
  const char* sigma;
};

TEST(TightMask, ValuesOfTheSpecification) {
  for (const TightValue& row :
       {TightValue{0.1, 0.01, 100, 1, "0.838"}, TightValue{0.1, 0.001, 100, 1, "1.154"},
        TightValue{0.1, 0.001, 10000, 1, "0.352"}, TightValue{0.1, 0.001, 10000, 20, "0.352"},
        TightValue{0.01, 0.001, 10000, 20, "0.817"}}) {
    const double sigma = *tight_mask_noise({row.rows, row.dimension, 1.0}, {row.epsilon, row.delta},
                                           Relation::ZeroRow);
    EXPECT_EQ(fmt::format("{:.3f}", sigma), row.sigma);
  }
}

/// Vertices of these curves came out of order by a rounding, and the release stated delta = 1.
TEST(TightMask, CurvesStateTheBudget) {
  struct Plan {
    std::int64_t rows, dimension;
    ApproxDp budget;
    Relation relation;
  };
  for (const Plan& plan : {Plan{101, 5, {20.0, 0.01}, Relation::ReplaceOne},
                           Plan{11, 1, {30.0, 1e-6}, Relation::ReplaceOne},
                           Plan{1046, 1, {14.49, 0.0995}, Relation::ZeroRow},
                           Plan{2, 1, {10.0, 0.3}, Relation::ZeroRow}}) {
    const MaskShape shape{plan.rows, plan.dimension, 1.0};
    const double sigma = *tight_mask_noise(shape, plan.budget, plan.relation);
    const Loss curve = mask_curve(shape, sigma, plan.budget.epsilon, plan.relation);
    EXPECT_LE(delta_at(curve, plan.budget.epsilon), plan.budget.delta * (1.0 + 1e-9)) << plan.rows;
  }
}

TEST(TightMask, ScalesWithTheRowNorm) {
  const double one = *tight_mask_noise({500, 4, 1.0}, {0.5, 1e-5}, Relation::ZeroRow);
  const double seven = *tight_mask_noise({500, 4, 7.0}, {0.5, 1e-5}, Relation::ZeroRow);
  EXPECT_NEAR(seven, 7.0 * one, 1e-7 * seven);
}

/// log 0F1 by its plain series, the chi-square density by lgamma, Simpson: another route entirely.
class Quadrature {
 public:
  Quadrature(int degrees, double noncentrality) : b_(degrees / 2.0), nc_(noncentrality) {}
  double delta(double epsilon, bool row_first) const {
    const double top = 40.0 * (b_ + 1.0) + 400.0;
    constexpr int kSteps = 200'000;
    const double h = top / kSteps;
    double sum = 0.0;
    for (int i = 1; i < kSteps; ++i) {
      const double w = i * h;
      const double zero =
          std::exp((b_ - 1.0) * std::log(w) - w / 2.0 - b_ * std::log(2.0) - std::lgamma(b_));
      const double row = zero * ratio(w);
      const double gain =
          row_first ? row - std::exp(epsilon) * zero : zero - std::exp(epsilon) * row;
      sum += std::max(0.0, gain) * h;
    }
    return sum;
  }

 private:
  double ratio(double w) const {
    const double z = nc_ * w / 4.0;
    double term = 1.0;
    double sum = 1.0;
    for (int j = 0; j < 2000 && term > 1e-17 * sum; ++j) {
      term *= z / ((j + 1.0) * (b_ + j));
      sum += term;
    }
    return std::exp(-nc_ / 2.0) * sum;
  }
  double b_;
  double nc_;
};

TEST(TightMask, DeltaIsTheLargerDivergenceByQuadrature) {
  for (const int degrees : {4, 9, 40}) {
    for (const double nc : {0.5, 3.0}) {
      for (const double epsilon : {0.05, 0.4, 1.5}) {
        const Quadrature law(degrees, nc);
        const double expected = std::max(law.delta(epsilon, true), law.delta(epsilon, false));
        const double ours =
            mask_delta({degrees + 3, 3, std::sqrt(nc)}, 1.0, epsilon, Relation::ZeroRow);
        // The rectangle rule is good to about h^{3/2} near zero at four degrees.
        EXPECT_NEAR(ours, expected, 2e-5 * expected + 1e-10)
            << degrees << ' ' << nc << ' ' << epsilon;
      }
    }
  }
}

TEST(TightMask, RoundTripsInEveryCorner) {
  for (const std::int64_t rows : {2LL, 3LL, 12LL, 10'001LL, 1'000'000'000LL}) {
    for (const std::int64_t dimension : {1LL, 10'000LL}) {
      if (rows <= dimension) {
        continue;
      }
      for (const double epsilon : {1e-4, 0.1, 1.0, 10.0}) {
        for (const double delta : {1e-12, 1e-6, 0.1}) {
          const MaskShape shape{rows, dimension, 1.0};
          const double sigma = *tight_mask_noise(shape, {epsilon, delta}, Relation::ZeroRow);
          EXPECT_GT(sigma, 0.0);
          EXPECT_LE(sigma, 1.0 / gaussian_mu_for({epsilon, delta}) * (1.0 + 1e-12));
          EXPECT_LE(mask_delta(shape, sigma, epsilon, Relation::ZeroRow), delta);
          EXPECT_GT(mask_delta(shape, 0.999 * sigma, epsilon, Relation::ZeroRow), delta)
              << rows << ' ' << dimension << ' ' << epsilon << ' ' << delta;
        }
      }
    }
  }
}

TEST(ReplaceOne, RoundTripsInTheCorners) {
  for (const MaskShape& shape :
       {MaskShape{3, 1, 1.0}, MaskShape{10'001, 10'000, 1.0}, MaskShape{1'000'000, 10'000, 1.0}}) {
    for (const ApproxDp& target :
         {ApproxDp{1e-4, 1e-12}, ApproxDp{1.0, 1e-6}, ApproxDp{10.0, 0.1}, ApproxDp{10.0, 1e-12}}) {
      const double sigma = *tight_mask_noise(shape, target, Relation::ReplaceOne);
      EXPECT_LE(sigma, 2.0 / gaussian_mu_for(target) * (1.0 + 1e-12));
      EXPECT_GE(sigma, *tight_mask_noise(shape, target, Relation::ZeroRow));
      EXPECT_LE(mask_delta(shape, sigma, target.epsilon, Relation::ReplaceOne), target.delta);
    }
  }
}

TEST(TightMask, MoreOfAnythingNeverNeedsLessPrivacy) {
  double last = 1e300;
  for (const std::int64_t rows : {6LL, 8LL, 30LL, 200LL, 5000LL, 400'000LL}) {
    const double sigma = *tight_mask_noise({rows, 5, 1.0}, {0.3, 1e-6}, Relation::ZeroRow);
    EXPECT_LT(sigma, last);
    last = sigma;
  }
  last = 1.0;
  for (const double epsilon : {0.0, 0.1, 0.5, 1.0, 2.0, 5.0}) {
    const double delta = mask_delta({50, 5, 1.0}, 0.5, epsilon, Relation::ZeroRow);
    EXPECT_LE(delta, last);
    last = delta;
  }
}

/// Large n: w is nearly normal and the release nearly mu-GDP with mu = R^2 / (s^2 sqrt(2(n-p))).
TEST(TightMask, ApproachesTheGaussianLimit) {
  const double sigma = *tight_mask_noise({1'000'000'000, 1, 1.0}, {1.0, 1e-6}, Relation::ZeroRow);
  const double mu = 1.0 / (sigma * sigma * std::sqrt(2.0 * (1e9 - 1)));
  EXPECT_NEAR(mu, gaussian_mu_for({1.0, 1e-6}), 2e-3 * mu);
}

/// Bounds on the mean of H_{epsilon + log L(w)}(row, zero) over the zero row's w, by 2000 cells of
/// equal probability: what orthogonal rows show of each other.
struct Enclosed {
  double lower = 0.0;
  double upper = 0.0;
};
Enclosed orthogonal_rows(int degrees, double nc, double epsilon) {
  constexpr int kCells = 2000;
  const detail::MaskedRowLaw law(degrees, nc);
  const boost::math::chi_squared zero(degrees);
  const auto at = [&](double level) {
    return level >= 0.0 ? law.row_against_zero(level)
                        : -std::expm1(level) + std::exp(level) * law.zero_against_row(-level);
  };
  Enclosed mean;
  double left = at(epsilon - nc / 2.0);
  for (int cell = 1; cell <= kCells; ++cell) {
    const double right =
        cell == kCells
            ? 0.0
            : at(epsilon + law.log_ratio(quantile(zero, cell / double(kCells)) / 2.0).value);
    mean.upper += left / kCells;
    mean.lower += right / kCells;
    left = right;
  }
  return mean;
}

TEST(ReplaceOne, IsTheDivergenceOfOrthogonalRowsAndLessThanTwoSteps) {
  for (const auto& [degrees, nc, epsilon] :
       {std::tuple(4, 3.0, 0.4), {40, 3.0, 0.4}, {40, 8.0, 1.5}, {400, 5.0, 0.3}}) {
    const MaskShape shape{degrees + 3, 3, std::sqrt(nc)};
    const double ours = mask_delta(shape, 1.0, epsilon, Relation::ReplaceOne);
    const Enclosed expected = orthogonal_rows(degrees, nc, epsilon);
    EXPECT_GE(ours, expected.lower) << degrees << ' ' << nc;
    EXPECT_LE(ours, 1.08 * expected.upper) << degrees << ' ' << nc;
    EXPECT_LT(0.85 * ours, expected.lower) << degrees << ' ' << nc;  // twin
    const detail::MaskedRowLaw law(degrees, nc);
    EXPECT_LT(ours, 0.9 * detail::delta_through_zero(law, law, epsilon)) << degrees << ' ' << nc;
    // One step is less than a replaced row.
    EXPECT_GT(ours, mask_delta(shape, 1.0, epsilon, Relation::ZeroRow));
  }
}

/// Two releases of zeroed rows, composed with both directions of each, cover an orthogonal pair; in
/// the limit of many rows the noise of a replaced row is 2^(1/4) of that of a zeroed one.
TEST(ReplaceOne, IsWithinTwoZeroedRowsComposed) {
  const MaskShape shape{200, 3, 1.0};
  const ApproxDp target{0.5, 1e-4};
  const double sigma = *tight_mask_noise(shape, target, Relation::ReplaceOne);
  const Loss once = mask_curve(shape, sigma, target.epsilon, Relation::ZeroRow);
  EXPECT_LE(mask_delta(shape, sigma, target.epsilon, Relation::ReplaceOne),
            1.02 * delta_at(*compose_losses({once, once}), target.epsilon));
  const MaskShape many{1'000'000, 1, 1.0};
  EXPECT_NEAR(*tight_mask_noise(many, {1.0, 1e-6}, Relation::ReplaceOne) /
                  *tight_mask_noise(many, {1.0, 1e-6}, Relation::ZeroRow),
              std::pow(2.0, 0.25), 0.01);
}

TEST(MaskCurve, PassesThroughTheTargetAndComposes) {
  const MaskShape shape{10'000, 20, 1.0};
  const ApproxDp target{0.1, 1e-3};
  for (const Relation relation : {Relation::ZeroRow, Relation::ReplaceOne}) {
    const double sigma = *tight_mask_noise(shape, target, relation);
    const Loss curve = mask_curve(shape, sigma, target.epsilon, relation);
    EXPECT_LE(delta_at(curve, target.epsilon), target.delta * (1.0 + 1e-9));
    EXPECT_LE(delta_at(curve, 2.0 * target.epsilon),
              1.1 * mask_delta(shape, sigma, 2.0 * target.epsilon, relation));
    EXPECT_GE(delta_at(curve, 0.7 * target.epsilon),
              mask_delta(shape, sigma, 0.7 * target.epsilon, relation) * (1.0 - 1e-9));
    const Result<Loss> composed = compose_losses({curve, GaussianDp{0.05}});
    ASSERT_TRUE(composed);
    EXPECT_GT(delta_at(*composed, target.epsilon), target.delta);
    EXPECT_LT(delta_at(*composed, target.epsilon), 10.0 * target.delta);
  }
}

TEST(PublishedMask, TheRelaxedFormIsNeverSmaller) {
  for (const std::int64_t dimension : {1, 5, 20}) {
    for (const std::int64_t rows : {100, 10'000}) {
      const ApproxDp target{0.1, 0.01};
      EXPECT_GT(*relaxed_mask_noise(rows, dimension, target),
                *published_mask_noise(rows, dimension, target));
      EXPECT_GE(*published_mask_noise(rows, dimension, target),
                *general_mask_noise({rows, dimension, std::sqrt(double(dimension))}, 1.0, target) *
                    (1.0 - 1e-9));
    }
  }
}

TEST(PublishedMask, HugeTablesUseABoundOnTheQuantile) {
  const double below = *published_mask_noise(4'900'000, 5, {0.1, 0.001});
  const double above = *published_mask_noise(5'100'000, 5, {0.1, 0.001});
  EXPECT_NEAR(above / below, 1.0, 1e-3);
  EXPECT_TRUE(published_mask_noise(1'000'000'000, 10'000, {0.1, 1e-12}));
}

TEST(MaskCalibration, RefusesWhatItCannotProve) {
  EXPECT_FALSE(tight_mask_noise({20, 20, 1.0}, {1.0, 1e-6}, Relation::ZeroRow));
  EXPECT_FALSE(tight_mask_noise({20, 2, 1.0}, {1.0, 1e-6}, Relation::AddRemove));
  EXPECT_FALSE(tight_mask_noise({20, 2, 1.0}, {1.0, 0.0}, Relation::ZeroRow));
  EXPECT_FALSE(tight_mask_noise({20, 2, 0.0}, {1.0, 0.1}, Relation::ZeroRow));
  EXPECT_FALSE(relaxed_mask_noise(100, 2, {2.0, 0.1}));
}

}  // namespace
}  // namespace eigenveil::test::mask_calibration_test
