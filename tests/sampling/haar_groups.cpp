// Haar measure on whole groups: not one coordinate at a time, but the class of the matrix (sign or
// phase of the determinant, angle of the rotation), which sees how rows and columns go together.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <boost/math/constants/constants.hpp>
#include <cmath>

#include "random/haar.hpp"
#include "random/normal.hpp"
#include "sampling/bingham.hpp"
#include "sampling/limits.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::haar_groups_test {
namespace {

constexpr std::size_t kDraws = 20'000;
constexpr double kPi = boost::math::constants::pi<double>();
constexpr double kAlpha = alpha_of("sampling: haar groups") / 32.0;

using DrawOrthogonal = std::function<Matrix()>;

/// O(3): the determinant is +1 or -1 with equal chances, and det(Q) Q turns by an angle with
/// distribution function (t - sin t) / pi.
bool is_haar_on_o3(const DrawOrthogonal& draw) {
  std::size_t proper = 0;
  std::vector<double> angles;
  for (std::size_t n = 0; n < kDraws; ++n) {
    const Matrix q = draw();
    const double sign = q.determinant() > 0.0 ? 1.0 : -1.0;
    proper += sign > 0.0 ? 1 : 0;
    angles.push_back(std::acos(std::clamp((sign * q.trace() - 1.0) / 2.0, -1.0, 1.0)));
  }
  const double limit = dkw_limit(kDraws, kAlpha);  // Hoeffding has the same form
  const double share = static_cast<double>(proper) / static_cast<double>(kDraws);
  return std::abs(share - 0.5) <= limit &&
         distance_from_cdf(angles, [](double t) { return (t - std::sin(t)) / kPi; }) <= limit;
}

Matrix normals(RandomStream& stream, Eigen::Index rows, Eigen::Index columns) {
  Matrix values(rows, columns);
  fill_standard_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

TEST(HaarGroups, OrthogonalFramesAreHaarOnTheWholeGroup) {
  RandomStream stream = RandomStream::seeded(seed_for("haar.o3"));
  EXPECT_TRUE(is_haar_on_o3([&] { return haar_frame(stream, 3, 3); }));
  // Twins: the Q of Householder's algorithm without its signs; one sign of the determinant.
  EXPECT_FALSE(is_haar_on_o3([&]() -> Matrix {
    return Eigen::HouseholderQR<Matrix>(normals(stream, 3, 3)).householderQ();
  }));
  EXPECT_FALSE(is_haar_on_o3([&]() -> Matrix {
    const Matrix q = haar_frame(stream, 3, 3);
    return q.determinant() > 0.0 ? q : Matrix(-q);
  }));
}

/// V = [(I - Z'Z)^(1/2); Z] Q: Q is the orthogonal polar factor of the first k rows.
TEST(HaarGroups, BinghamFramesAreTurnedByAHaarMatrix) {
  RandomStream stream = RandomStream::seeded(seed_for("haar.bingham"));
  for (const double exponent : {0.5, 6.0, 200.0}) {
    const Vector spectrum = (Vector(6) << 1.0, 0.9, 0.7, 0.2, 0.1, 0.0).finished();
    const auto sampler = BinghamSampler::make(spectrum, exponent, 3, 1e9).value();
    const auto turn = [&]() -> Matrix {
      const Eigen::JacobiSVD<Matrix> polar(sampler.draw(stream).topRows(3),
                                           Eigen::ComputeFullU | Eigen::ComputeFullV);
      return polar.matrixU() * polar.matrixV().transpose();
    };
    EXPECT_TRUE(is_haar_on_o3(turn)) << exponent;
    // Twin: turned only within the plane of the first two columns.
    EXPECT_FALSE(is_haar_on_o3([&]() -> Matrix {
      Matrix q = Matrix::Identity(3, 3);
      q.topLeftCorner(2, 2) = haar_frame(stream, 2, 2);
      return q;
    }));
  }
}

/// U(k): the phase of the determinant is uniform, and so is that of an entry.
TEST(HaarGroups, UnitaryFramesAreHaarOnTheWholeGroup) {
  RandomStream stream = RandomStream::seeded(seed_for("haar.unitary"));
  const auto phases_are_uniform = [&](const std::function<ComplexMatrix()>& draw) {
    std::vector<double> determinants;
    std::vector<double> entries;
    for (std::size_t n = 0; n < kDraws; ++n) {
      const ComplexMatrix u = draw();
      determinants.push_back(std::arg(u.determinant()));
      entries.push_back(std::arg(u(1, 0)));
    }
    const auto uniform_cdf = [](double t) { return (t + kPi) / (2.0 * kPi); };
    const double limit = dkw_limit(kDraws, kAlpha);
    return distance_from_cdf(determinants, uniform_cdf) <= limit &&
           distance_from_cdf(entries, uniform_cdf) <= limit;
  };
  for (const Eigen::Index k : {2, 3, 5}) {
    EXPECT_TRUE(phases_are_uniform([&] { return complex_haar_frame(stream, k, k); })) << k;
  }
  EXPECT_FALSE(phases_are_uniform([&]() -> ComplexMatrix {  // twin: a special unitary matrix
    ComplexMatrix u = complex_haar_frame(stream, 3, 3);
    u.col(0) /= u.determinant();
    return u;
  }));
}

/// k = p - 1: the normal n of the hyperplane has density exp(-c n'Sn). With S = 1 on p - q
/// coordinates and 0 on q, s = |n|² on those q has density e^(c s) s^(q/2-1) (1-s)^((p-q)/2-1).
TEST(HaarGroups, BinghamHyperplanesWithFourAndMoreColumns) {
  RandomStream stream = RandomStream::seeded(seed_for("bingham.hyperplanes"));
  const double limit = dkw_limit(kDraws, alpha_of("bingham: hyperplanes") / 8.0);
  for (const Eigen::Index p : {5, 6, 8}) {
    for (const double exponent : {1.0, 8.0}) {
      constexpr Eigen::Index kFlat = 2;
      Vector spectrum = Vector::Ones(p);
      spectrum.tail(kFlat).setZero();
      const auto density = [=](double s) {
        return std::exp(exponent * (s - 1.0)) *
               std::pow(1.0 - s, 0.5 * static_cast<double>(p - kFlat) - 1.0);
      };
      const auto distance = [&](double c) {
        const auto sampler = BinghamSampler::make(spectrum, c, p - 1, 1e9).value();
        std::vector<double> values(kDraws);
        for (double& value : values) {
          const double inside = sampler.draw(stream).bottomRows(kFlat).squaredNorm();
          value = std::clamp(static_cast<double>(kFlat) - inside, 0.0, 1.0);
        }
        return distance_from_density(values, density);
      };
      EXPECT_LE(distance(exponent), limit) << p;
      EXPECT_GT(distance(0.5 * exponent), limit) << p;  // broken twin
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::haar_groups_test
