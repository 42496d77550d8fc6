// First-order errors against exact sums over small laws, and components of complex rows against the
// eigenvectors of the Hermitian moment.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "mechanism/moment/predicted_error.hpp"
#include "mechanism/orbit/complex_components.hpp"
#include "mechanism/orbit/orbit_bounds.hpp"
#include "mechanism/orbit/orbit_components.hpp"
#include "statistics/gram_support.hpp"

namespace eigenveil::test::orbit_errors_test {
namespace {

/// |M - (the largest eigenvalue's part of A)|_F² for M = diag(g).
double rank_one_error(const Eigen::Vector2d& g, const Eigen::Matrix2d& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(a);
  const Eigen::Vector2d u = eigen.eigenvectors().col(1);
  const Eigen::Matrix2d cut = std::max(eigen.eigenvalues()[1], 0.0) * u * u.transpose();
  return (Eigen::Matrix2d(g.asDiagonal()) - cut).squaredNorm();
}

/// Exact mean for d = 2, k = 1, eigenvalues known: s = |u_1|² has density exp(rate s), the phase is
/// uniform; midpoint rule in the quantiles of 1 - s and in the phase.
double drawn_error(const Eigen::Vector2d& g, double rate) {
  constexpr int kQuantiles = 4000;
  constexpr int kPhases = 32;
  double sum = 0.0;
  for (int i = 0; i < kQuantiles; ++i) {
    const double s = 1.0 + std::log1p(-(i + 0.5) / kQuantiles) / rate;
    for (int j = 0; j < kPhases; ++j) {
      const double real = std::sqrt(s * (1.0 - s)) * std::cos(2.0 * M_PI * (j + 0.5) / kPhases);
      Eigen::Matrix2d h;
      h << s, real, real, 1.0 - s;
      sum += rank_one_error(g, g[0] * h);
    }
  }
  return sum / (kQuantiles * kPhases);
}

TEST(OrbitBounds, FirstOrderErrorOfADrawIsReached) {
  for (const double second : {0.0, 0.4}) {
    const Eigen::Vector2d g(3.0, second);
    double last = 1.0;
    for (const double epsilon : {1e2, 1e3, 1e4}) {
      const double predicted = predicted_low_rank_error({g, 1, 0.0, epsilon, 2.0});
      EXPECT_NEAR(predicted, second * second + 2.0 * 3.0 / epsilon, 1e-12);
      const double tail = second * second;
      // rate = c l_1 (g_1 - g_2), c = epsilon / (2 l_1)
      const double exact = drawn_error(g, epsilon / 2.0 * (g[0] - g[1]));
      const double off = std::abs((exact - tail) / (predicted - tail) - 1.0);
      EXPECT_LT(off, last / 2.0) << epsilon;  // the rest is of higher order in 1 / epsilon
      last = off;
    }
  }
  // No signal: never above what publishing zeros costs.
  EXPECT_EQ(predicted_low_rank_error({Eigen::Vector2d(3.0, 1.0), 1, 0.0, 1e-6, 1.0}), 10.0);
}

TEST(OrbitBounds, FirstOrderErrorOfNoisyEntriesIsReached) {
  for (const double second : {0.0, 0.4}) {
    const Eigen::Vector2d g(3.0, second);
    double last = 1.0;
    for (const double sd : {0.1, 0.01, 0.001}) {
      double exact = 0.0;
      for (int signs = 0; signs < 8; ++signs) {  // every entry is off by +sd or -sd
        const auto noise = [&](int bit) { return (signs >> bit & 1) != 0 ? sd : -sd; };
        Eigen::Matrix2d a = g.asDiagonal();
        a(0, 0) += noise(0);
        a(1, 1) += noise(1);
        a(0, 1) = a(1, 0) = noise(2);
        exact += rank_one_error(g, a) / 8.0;
      }
      const double tail = second * second;
      const double predicted = predicted_truncation_error(g, 1, sd, sd);
      const double off = std::abs((exact - tail) / (predicted - tail) - 1.0);
      EXPECT_LT(off, last / 2.0) << sd;
      last = off;
    }
  }
}

ComplexMatrix hermitian_moment(const std::vector<std::complex<double>>& rows, Eigen::Index d) {
  ComplexMatrix moment = ComplexMatrix::Zero(d, d);
  for (std::size_t i = 0; i < rows.size(); i += static_cast<std::size_t>(d)) {
    const Eigen::Map<const Eigen::VectorXcd> z(rows.data() + i, d);
    moment += z * z.adjoint();
  }
  return moment;
}

const std::vector<std::complex<double>> kComplexRows = {
    {0.5, 0.1}, {0.0, 0.6}, {0.2, 0.3}, {-0.3, 0.4}, {0.6, 0.1}, {0.1, -0.2},
    {0.7, 0.0}, {0.1, 0.5}, {0.0, 0.1}, {0.4, -0.5}, {0.2, 0.2}, {0.3, 0.6}};

std::vector<double> as_pairs(const std::vector<std::complex<double>>& rows) {
  std::vector<double> pairs;
  for (const std::complex<double>& z : rows) {
    pairs.push_back(z.real());
    pairs.push_back(z.imag());
  }
  return pairs;
}

/// Without noise the components inside the whole space are the eigenvectors of the moment.
TEST(OrbitComplex, ComponentsAreEigenvectorsOfTheHermitianMoment) {
  const std::vector<double> pairs = as_pairs(kComplexRows);
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>> real(
      pairs.data(), 4, 6);
  const Matrix frame = paired_frame(ComplexMatrix::Identity(3, 3));
  EXPECT_EQ((frame.transpose() * frame), Matrix::Identity(6, 6));
  NoisyProjection exact;
  exact.products = frame.transpose() * (real.transpose() * real) * frame;
  exact.count = 1.0;
  const ComplexMatrix moment = hermitian_moment(kComplexRows, 3);
  const auto residual = [&](const ComplexComponents& found, const ComplexMatrix& of) {
    return (of * found.loadings -
            found.loadings * found.explained_variance.cast<std::complex<double>>().asDiagonal())
        .norm();
  };
  const ComplexComponents found = complex_components(frame, exact);
  EXPECT_LT(residual(found, moment), 1e-13);
  EXPECT_GT(residual(found, moment.conjugate()), 0.1);  // twin: imaginary part of the wrong sign
  EXPECT_LT((found.loadings.adjoint() * found.loadings - ComplexMatrix::Identity(3, 3)).norm(),
            1e-13);
}

TEST(OrbitComplex, PlansRunOnEveryRankAndKeepTheBudget) {
  RandomStream stream = RandomStream::secure();
  const OrbitRequest request{*RowBound::row_norm(6, 1.0), Vector::Ones(6), PureDp{1.0},
                             Relation::AddRemove, RowField::Complex};
  for (const Eigen::Index rank : {1, 2, 3}) {
    const OrbitComponentsPlan plan = *OrbitComponentsPlan::make(request, rank, 0.2);
    EXPECT_LE(plan.direction_budget().epsilon + std::get<PureDp>(plan.variance_budget()).epsilon,
              1.0);
    for (const std::vector<double>& rows : {std::vector<double>{}, as_pairs(kComplexRows)}) {
      const auto release = plan.run(gram_of(request.bound, rows), stream);
      ASSERT_TRUE(release) << release.error().message;
      const ComplexMatrix& u = release->value().complex_row_components.loadings;
      EXPECT_LT((u.adjoint() * u - ComplexMatrix::Identity(rank, rank)).norm(), 1e-6);
    }
  }
  EXPECT_FALSE(OrbitComponentsPlan::make(request, 4, 0.2));  // three coordinates
}

}  // namespace
}  // namespace eigenveil::test::orbit_errors_test
