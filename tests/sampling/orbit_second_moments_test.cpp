// Joint laws of entries: every E H_aa H_bb and E |H_ab|² against second derivatives of the HCIZ
// determinant. The score tr(YH) sees neither the phases nor the columns of a frame; these do.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "random/normal.hpp"
#include "sampling/orbit_reference.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_second_moments_test {
namespace {

using Index = Eigen::Index;

/// H_aa H_bb, then 4 |H_ab|², over a < b; in [0, 1] for l_1 <= 1.
Vector second_moments(const ComplexMatrix& h) {
  const Index d = h.rows();
  Vector values(d * (d - 1));
  Index next = 0;
  for (Index a = 0; a < d; ++a) {
    for (Index b = a + 1; b < d; ++b) {
      values[next++] = h(a, a).real() * h(b, b).real();
      values[next++] = 4.0 * std::norm(h(a, b));
    }
  }
  return values;
}

Vector exact_second_moments(const OrbitLaw& law) {
  const OrbitMoments exact = hciz_moments(law);
  const Index d = law.diagonal.size();
  Vector values(d * (d - 1));
  Index next = 0;
  for (Index a = 0; a < d; ++a) {
    for (Index b = a + 1; b < d; ++b) {
      values[next++] = exact.joint(a, b);
      values[next++] = 4.0 * exact.modulus(a, b);
    }
  }
  return values;
}

ComplexMatrix product(const ComplexMatrix& frame) {
  return frame * frame.adjoint();
}

using DrawMatrix = std::function<ComplexMatrix()>;

bool agrees(const DrawMatrix& draw, const Vector& exact, std::size_t count) {
  // Checks in this file: methods and twins times d (d - 1) statistics, below 8192.
  constexpr double kAlpha = alpha_of("sampling: orbit second moments") / 8192;
  const Estimate found = estimate([&] { return second_moments(draw()); }, count, 0.5, kAlpha);
  return ((found.mean - exact).array().abs() <= found.limit.array()).all();
}

struct Case {
  const char* name;
  Vector diagonal;
  Vector spectrum;
  double exponent;
  std::vector<OrbitMethod (*)(const OrbitLaw&)> methods;
  std::size_t draws;
};

std::vector<Case> cases() {
  const auto general = {coupling_method, cascade_method};
  return {{"k = 2, d = 5",
           vector_of({1.0, 0.6, 0.5, 0.2, 0.0}),
           Vector::Ones(2),
           6.0,
           {block_method, angular_method, coupling_method, cascade_method},
           20000},
          {"k = 3, d = 8",
           vector_of({1.0, 0.8, 0.6, 0.35, 0.3, 0.2, 0.1, 0.0}),
           Vector::Ones(3),
           16.0,
           {block_method, coupling_method, cascade_method},
           8000},
          {"k = 4, d = 8, weak",
           vector_of({1.0, 0.9, 0.7, 0.6, 0.5, 0.3, 0.2, 0.0}),
           Vector::Ones(4),
           2.0,
           {angular_method, coupling_method, cascade_method},
           8000},
          {"distinct, d = 6", vector_of({1.0, 0.8, 0.6, 0.3, 0.1, 0.0}), vector_of({1.0, 0.7, 0.3}),
           12.0, general, 8000},
          {"k = 3, d = 24",
           Vector::LinSpaced(24, 1.0, 0.0),
           Vector::Ones(3),
           120.0,
           {cascade_method},
           8000}};
}

TEST(OrbitSecondMoments, EverySamplerMatchesTheDeterminant) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.second"));
  for (const Case& test : cases()) {
    const OrbitLaw law{test.diagonal, test.spectrum, test.exponent};
    const Vector exact = exact_second_moments(law);
    for (const auto make : test.methods) {
      const OrbitMethod method = make(law);
      EXPECT_TRUE(agrees([&] { return product(method.draw(stream)); }, exact, test.draws))
          << test.name << ' ' << method.name;
    }
  }
}

/// Each twin has the right E H_aa, hence the right mean score, and only its joint law is wrong.
TEST(OrbitSecondMoments, TwinsWithTheRightMeanScoreAreRejected) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.second.twins"));
  const Case test = cases()[0];
  const OrbitLaw law{test.diagonal, test.spectrum, test.exponent};
  const Vector exact = exact_second_moments(law);
  const OrbitMethod block = block_method(law);
  const auto rejected = [&](const DrawMatrix& draw) { return !agrees(draw, exact, test.draws); };
  // Phases fixed: moduli of the frame alone.
  EXPECT_TRUE(rejected([&]() -> ComplexMatrix {
    return product(block.draw(stream).cwiseAbs().cast<std::complex<double>>());
  }));
  // Columns of two independent draws.
  EXPECT_TRUE(rejected([&]() -> ComplexMatrix {
    ComplexMatrix frame = block.draw(stream);
    frame.col(1) = block.draw(stream).col(1);
    return product(frame);
  }));
  // A triangular root of I - Z*Z in place of the Hermitian one.
  EXPECT_TRUE(rejected([&]() -> ComplexMatrix {
    ComplexMatrix frame = block.draw(stream);
    const ComplexMatrix gap = frame.topRows(2) * frame.topRows(2).adjoint();
    frame.topRows(2) = Eigen::LLT<ComplexMatrix>(gap).matrixL();
    return product(frame);
  }));
}

/// y = 1 on m coordinates, 0 on the others: the eigenvalues x of the m x m block have density
/// prod x^(m-k) (1-x)^(d-m-k) e^(c x) times the squared Vandermonde (matrix Beta law, Haar frames,
/// tilted), so one of the k taken at random has density w(x) sum_ij (G^-1)_ij x^(i+j), G the
/// moments of w.
std::function<double(double)> eigenvalue_density(Index d, Index m, Index k, double c) {
  const auto weight = [=](double x) {
    return std::pow(x, static_cast<double>(m - k)) *
           std::pow(1.0 - x, static_cast<double>(d - m - k)) * std::exp(c * (x - 1.0));
  };
  Matrix moments(k, k);
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j < k; ++j) {
      moments(i, j) = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
          [&](double x) { return weight(x) * std::pow(x, static_cast<double>(i + j)); }, 0.0, 1.0,
          15, 1e-14);
    }
  }
  const Matrix inverse = moments.inverse();
  return [=](double x) {
    const Vector powers =
        Vector::NullaryExpr(k, [x](Index i) { return std::pow(x, static_cast<double>(i)); });
    return weight(x) * powers.dot(inverse * powers);
  };
}

TEST(OrbitSecondMoments, BlockEigenvaluesOfLargeDrawsFollowTheirLaw) {
  struct Large {
    Index d, m, k;
    double exponent;
  };
  constexpr std::size_t kDraws = 4000;
  const double limit = dkw_limit(kDraws, alpha_of("sampling: orbit large draws") / 8);
  RandomStream stream = RandomStream::seeded(seed_for("orbit.large.draws"));
  for (const Large& test :
       {Large{40, 3, 3, 130.0}, Large{30, 8, 2, 12.0}, Large{60, 5, 5, 250.0}}) {
    Vector diagonal = Vector::Zero(test.d);
    diagonal.head(test.m).setOnes();
    const auto density = eigenvalue_density(test.d, test.m, test.k, test.exponent);
    const auto distance = [&](double exponent) {
      const OrbitMethod method = cascade_method({diagonal, Vector::Ones(test.k), exponent});
      std::vector<double> values(kDraws);
      for (double& value : values) {
        const ComplexMatrix top = method.draw(stream).topRows(test.m);
        const Eigen::SelfAdjointEigenSolver<ComplexMatrix> eigen(top.adjoint() * top,
                                                                 Eigen::EigenvaluesOnly);
        const auto pick = static_cast<Index>(uniform(stream) * static_cast<double>(test.k));
        value = std::clamp(eigen.eigenvalues()[std::min(pick, test.k - 1)], 0.0, 1.0);
      }
      return distance_from_density(values, density);
    };
    EXPECT_LE(distance(test.exponent), limit) << test.d;
    EXPECT_GT(distance(0.6 * test.exponent), limit) << test.d;  // broken twin
  }
}

}  // namespace
}  // namespace eigenveil::test::orbit_second_moments_test
