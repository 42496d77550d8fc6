// The double-precision quantiles against references, at and beyond their documented error bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "random/normal.hpp"
#include "random/rounding_engine.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::magnitude_error_test {
namespace {

using Digits50 = boost::multiprecision::cpp_bin_float_50;

/// The documented bound keeps this factor in hand over what is observed.
constexpr double kSafety = 8.0;

// Error of a computed magnitude m for the tail v, by one Newton step on S: S is smooth and m is
// within 1e-13 of the root, so what the step leaves out is below 1e-25.
long double gaussian_error(double m, double v) {
  const long double x = m;
  const long double density = std::exp(-x * x / 2) * 0.398942280401432677939946L;
  return (std::erfc(x * 0.707106781186547524400844L) - v) / (2 * density);
}
long double laplace_error(double m, double v) {
  return m + std::log(static_cast<long double>(v));
}

Digits50 gaussian_error_50(double m, double v) {
  const Digits50 x = m;
  const Digits50 density = exp(-x * x / 2) / sqrt(2 * boost::math::constants::pi<Digits50>());
  return (boost::math::erfc(x / sqrt(Digits50(2))) - v) / (2 * density);
}
Digits50 laplace_error_50(double m, double v) {
  return m + log(Digits50(v));
}

/// Tails of the form the engine uses (odd multiples of 2^-53), at least kSmallestFastTail: random
/// ones at every order of magnitude, the ends, and the seams of the approximations.
std::vector<double> tail_points(std::size_t per_octave) {
  std::vector<double> tails;
  const auto add = [&tails](double v) {
    const double point = (std::floor(v * 0x1p52) + 0.5) * 0x1p-52;
    if (point >= detail::kSmallestFastTail && point < 1.0) {
      tails.push_back(point);
    }
  };
  RandomStream stream = RandomStream::seeded(test::seed_for("magnitude error"));
  for (int octave = 0; octave < 34; ++octave) {
    for (std::size_t i = 0; i < per_octave; ++i) {
      add(std::ldexp(0.5 + 0.5 * uniform(stream), -octave));
    }
  }
  std::vector<double> seams{1.0, 0.15, detail::kSmallestFastTail};
  for (int octave = 0; octave <= 34; ++octave) {
    seams.push_back(std::ldexp(1.0, -octave));             // ends of the binary exponent
    seams.push_back(std::ldexp(std::sqrt(0.5), -octave));  // where log changes its reduction
  }
  for (const double seam : seams) {
    for (int step = -200; step <= 200; ++step) {
      add(seam + step * 0x1p-52);
      add(seam * (1.0 + step * 0x1p-30));
      add(seam - std::ldexp(seam, -std::abs(step) / 4));
    }
  }
  return tails;
}

/// Largest error in units of the documented bound.
template <typename Reference>
double worst_ratio(const detail::NoiseLaw& law, const std::vector<double>& tails, Reference error,
                   const std::function<double(double)>& spoil) {
  std::vector<double> magnitudes(tails.size());
  law.magnitudes(tails, magnitudes);
  double worst = 0.0;
  for (std::size_t i = 0; i < tails.size(); ++i) {
    const double m = spoil(magnitudes[i]);
    const auto difference = static_cast<double>(error(m, tails[i]));
    worst = std::max(worst, std::abs(difference) / (detail::kMagnitudeError * (1.0 + m)));
  }
  return worst;
}

double intact(double m) {
  return m;
}
double in_single_precision(double m) {
  return static_cast<double>(static_cast<float>(m));
}
double one_part_in_two_to_42(double m) {
  return m * (1.0 + 0x1p-42);
}

TEST(MagnitudeError, StaysFarBelowTheBoundAtMoreThanAMillionTails) {
  const std::vector<double> tails = tail_points(32'000);
  ASSERT_GE(tails.size(), 1'000'000U);
  const double gaussian = worst_ratio(detail::kGaussianLaw, tails, gaussian_error, intact);
  const double laplace = worst_ratio(detail::kLaplaceLaw, tails, laplace_error, intact);
  RecordProperty("gaussian", std::to_string(gaussian));
  RecordProperty("laplace", std::to_string(laplace));
  EXPECT_LT(gaussian, 1.0 / kSafety);
  EXPECT_LT(laplace, 1.0 / kSafety);
  EXPECT_GT(worst_ratio(detail::kGaussianLaw, tails, gaussian_error, in_single_precision), 1.0);
  EXPECT_GT(worst_ratio(detail::kLaplaceLaw, tails, laplace_error, in_single_precision), 1.0);
}

TEST(MagnitudeError, FiftyDigitsAgree) {
  std::vector<double> tails = tail_points(100);
  std::erase_if(tails, [i = 0U](double) mutable { return ++i % 32 != 0; });
  EXPECT_LT(worst_ratio(detail::kGaussianLaw, tails, gaussian_error_50, intact), 1.0 / kSafety);
  EXPECT_LT(worst_ratio(detail::kLaplaceLaw, tails, laplace_error_50, intact), 1.0 / kSafety);
  EXPECT_GT(worst_ratio(detail::kGaussianLaw, tails, gaussian_error_50, one_part_in_two_to_42),
            1.0);
}

TEST(MagnitudeError, FarTailOfTheStandardNormalIsAccurate) {
  std::vector<double> tails;
  for (int i = 0; i < 400; ++i) {
    tails.push_back((std::floor(std::ldexp(1.0 + i / 400.0, 52 - 35 - i % 17)) + 0.5) * 0x1p-52);
  }
  EXPECT_LT(worst_ratio(detail::kGaussianLaw, tails, gaussian_error_50, intact), 1.0 / kSafety);
}

TEST(MagnitudeError, SplitTailsAreExactMidpoints) {
  const std::vector<std::uint64_t> words{
      0, 0x7ff, 0x800, ~std::uint64_t{0}, 0x4000000000000000U, 0xc000000000000000U};
  std::vector<double> tails(words.size());
  detail::split_tails(words, tails);
  EXPECT_EQ(tails, (std::vector<double>{0x1p-53, 0x1p-53, 0x3p-53, 1.0 - 0x1p-53, 0.5 + 0x1p-53,
                                        0.5 + 0x1p-53}));
}

}  // namespace
}  // namespace eigenveil::test::magnitude_error_test
