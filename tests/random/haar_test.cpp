#include "random/haar.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <boost/math/special_functions/beta.hpp>
#include <functional>
#include <vector>

#include "random/normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/goodness_of_fit.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::haar_test {
namespace {

constexpr Eigen::Index kRows = 5;
constexpr Eigen::Index kColumns = 3;
constexpr std::size_t kFrames = 20'000;

/// A coordinate h of a uniform unit vector of R^p: h² is Beta(1/2, (p-1)/2) and h is symmetric.
double coordinate_cdf(double h) {
  const double mass = boost::math::ibeta(0.5, 0.5 * static_cast<double>(kRows - 1), h * h);
  return 0.5 + std::copysign(0.5 * mass, h);
}

/// Real or imaginary part of a coordinate of a unit vector of C^p = R^(2p).
double complex_coordinate_cdf(double h) {
  const double mass = boost::math::ibeta(0.5, 0.5 * static_cast<double>(2 * kRows - 1), h * h);
  return 0.5 + std::copysign(0.5 * mass, h);
}

/// Distance of one signed entry's law, over many frames, from `cdf`.
double entry_distance(const std::function<double(RandomStream&)>& entry, double (*cdf)(double)) {
  RandomStream stream = RandomStream::seeded(test::seed_for("haar"));
  std::vector<double> values(kFrames);
  for (double& value : values) {
    value = entry(stream);
  }
  return test::kolmogorov_distance(values, cdf);
}

Matrix frame_without_sign_fix(RandomStream& stream) {
  Matrix gaussians(kRows, kColumns);
  fill_standard_normal(stream, {gaussians.data(), static_cast<std::size_t>(gaussians.size())});
  const Eigen::HouseholderQR<Matrix> qr(gaussians);
  return qr.householderQ() * Matrix::Identity(kRows, kColumns);
}

TEST(Haar, FramesAreOrthonormal) {
  RandomStream stream = RandomStream::seeded(1);
  for (const auto& [rows, columns] : {std::pair{1, 1}, {5, 3}, {40, 40}, {200, 7}}) {
    const Matrix frame = haar_frame(stream, rows, columns);
    const Eigen::MatrixXcd unitary = complex_haar_frame(stream, rows, columns);
    // Householder QR: a modest multiple of rows * columns units in the last place.
    const double limit = 16.0 * rows * columns * 0x1p-52;
    EXPECT_LT((frame.transpose() * frame - Matrix::Identity(columns, columns)).norm(), limit);
    EXPECT_LT((unitary.adjoint() * unitary - Matrix::Identity(columns, columns)).norm(), limit);
  }
}

TEST(Haar, SignedCoordinatesFollowTheBetaLaw) {
  const double limit = test::dkw_limit(kFrames, test::alpha_of("random: haar coordinates") / 6.0);
  for (Eigen::Index j = 0; j < kColumns; ++j) {
    const auto entry = [j](RandomStream& s) { return haar_frame(s, kRows, kColumns)(j, j); };
    EXPECT_LT(entry_distance(entry, coordinate_cdf), limit) << j;
    const auto twin = [j](RandomStream& s) { return frame_without_sign_fix(s)(j, j); };
    EXPECT_GT(entry_distance(twin, coordinate_cdf), limit) << j;
  }
  const auto frame = [](RandomStream& s) { return complex_haar_frame(s, kRows, kColumns); };
  const auto last = [&](RandomStream& s) { return frame(s)(kColumns - 1, kColumns - 1); };
  EXPECT_LT(entry_distance([&](RandomStream& s) { return last(s).real(); }, complex_coordinate_cdf),
            limit);
  EXPECT_LT(entry_distance([&](RandomStream& s) { return last(s).imag(); }, complex_coordinate_cdf),
            limit);
  EXPECT_LT(entry_distance([&](RandomStream& s) { return frame(s)(0, 0).imag(); },
                           complex_coordinate_cdf),
            limit);
}

}  // namespace
}  // namespace eigenveil::test::haar_test
