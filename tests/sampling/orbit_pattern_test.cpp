// Patterns and fibres: spectra of leading blocks, frozen entries, marginals, matrix-level moments.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "random/haar.hpp"
#include "sampling/orbit_reference.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::orbit_pattern_test {
namespace {

using Index = Eigen::Index;

GelfandTsetlinPattern leading_spectra(const ComplexMatrix& h, Index columns) {
  GelfandTsetlinPattern pattern = GelfandTsetlinPattern::Zero(h.rows(), columns);
  for (Index i = 0; i < h.rows(); ++i) {
    const Eigen::SelfAdjointEigenSolver<ComplexMatrix> eigen(h.topLeftCorner(i + 1, i + 1),
                                                             Eigen::EigenvaluesOnly);
    for (Index j = 0; j <= i && j < columns; ++j) {
      pattern(i, j) = eigen.eigenvalues()[i - j];
    }
  }
  return pattern;
}

struct Orbit {
  Index dimension;
  std::vector<double> spectrum;
};
const std::vector<Orbit> kOrbits = {
    {1, {1.3}},
    {4, {1.0, 1.0}},
    {5, {2.0, 2.0, 1.0, 1.0, 0.5}},
    {9, {3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0}},
    {8, {2.0, 1.0, 1.0, 0.0, 0.0}},
    {30, {1.0, 0.9, 0.9, 0.4}},
    {12, std::vector<double>(12, 0.7)},
    {60, std::vector<double>(10, 1.0)},
};

TEST(OrbitPattern, DrawsInterlaceAndFrozenEntriesAreBitIdentical) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.pattern.frozen"));
  for (const auto& [d, l] : kOrbits) {
    const auto k = static_cast<Index>(l.size());
    const PatternCoupling law(Vector::Constant(d - 1, 0.4), vector_of(l));
    const GelfandTsetlinPattern r = law.draw(stream);
    const auto eigenvalue = [&](Index j) { return j < k ? l[static_cast<std::size_t>(j)] : 0.0; };
    for (Index i = 0; i < d; ++i) {
      for (Index j = 0; j < k; ++j) {
        const double top = eigenvalue(j);
        const double bottom = j + d - 1 - i < d ? eigenvalue(j + d - 1 - i) : 0.0;
        if (j > i) {
          EXPECT_EQ(r(i, j), 0.0);
        } else if (top == bottom) {
          EXPECT_EQ(r(i, j), top);
        } else {
          EXPECT_LE(r(i, j), top);
          EXPECT_GE(r(i, j), bottom);
        }
        if (i + 1 < d) {
          EXPECT_LE(r(i, j), r(i + 1, j));
          EXPECT_GE(r(i, j), j + 1 < k ? r(i + 1, j + 1) : 0.0);
        }
      }
    }
  }
}

TEST(OrbitPattern, FrameHasThePrescribedSpectra) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.pattern.spectra"));
  for (const auto& [d, l] : kOrbits) {
    for (const double rate : {0.0, 0.5, 1e5}) {
      const auto k = static_cast<Index>(l.size());
      const PatternCoupling law(Vector::Constant(d - 1, rate), vector_of(l));
      const GelfandTsetlinPattern r = law.draw(stream);
      const ComplexMatrix v = frame_from_pattern(r, stream);
      // d backward stable steps, each off by a few roundings of the norm of a k x k matrix.
      const double limit = 8.0 * static_cast<double>(d * k) * l[0] * 0x1p-52;
      const GelfandTsetlinPattern found = leading_spectra(v * v.adjoint(), k);
      EXPECT_LE((found - r).lpNorm<Eigen::Infinity>(), limit) << d << " " << rate;
      ComplexMatrix gram = v.adjoint() * v;
      gram.diagonal() -= vector_of(l);
      EXPECT_LE(gram.norm(), limit);
      // The textbook construction agrees, and a residue of the wrong sign does not.
      if (d > 1 && d <= 9 && rate < 1.0) {
        const ComplexMatrix h = bordered_matrix(r, stream, FibreFault::None);
        EXPECT_LE((leading_spectra(h, k) - r).lpNorm<Eigen::Infinity>(), 1e3 * limit);
        const ComplexMatrix wrong = bordered_matrix(r, stream, FibreFault::MisSignedResidue);
        EXPECT_GT((leading_spectra(wrong, k) - r).lpNorm<Eigen::Infinity>(), 1e3 * limit);
      }
    }
  }
}

/// Every free entry of two samples of patterns, by two-sample DKW.
bool marginals_agree(const std::vector<GelfandTsetlinPattern>& a,
                     const std::vector<GelfandTsetlinPattern>& b, const Vector& spectrum) {
  constexpr double kAlpha = alpha_of("sampling: orbit pattern marginals") / 512;
  const Index d = a[0].rows();
  const GelfandTsetlinPattern smallest = smallest_pattern(spectrum, d);
  const GelfandTsetlinPattern largest = largest_pattern(spectrum, d);
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < spectrum.size(); ++j) {
      if (smallest(i, j) == largest(i, j)) {
        continue;
      }
      std::vector<double> left;
      std::vector<double> right;
      for (const auto& pattern : a) {
        left.push_back(pattern(i, j));
      }
      for (const auto& pattern : b) {
        right.push_back(pattern(i, j));
      }
      if (distance_of_samples(left, right) > two_sample_limit(a.size(), b.size(), kAlpha)) {
        return false;
      }
    }
  }
  return true;
}

std::vector<GelfandTsetlinPattern> coupled_patterns(const OrbitLaw& law, std::size_t count,
                                                    RandomStream& stream) {
  const Index d = law.diagonal.size();
  const PatternCoupling coupling(
      law.exponent * (law.diagonal.head(d - 1) - law.diagonal.tail(d - 1)), law.spectrum);
  std::vector<GelfandTsetlinPattern> patterns(count);
  for (auto& pattern : patterns) {
    pattern = coupling.draw(stream);
  }
  return patterns;
}

TEST(OrbitPattern, UniformLawHasTheSpectraOfHaarMatrices) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.pattern.haar"));
  constexpr std::size_t kDraws = 4000;
  for (const Orbit& orbit : {Orbit{6, {1.0, 1.0}}, Orbit{5, {2.0, 1.0, 1.0, 0.3}}}) {
    const Vector l = vector_of(orbit.spectrum);
    std::vector<GelfandTsetlinPattern> haar(kDraws);
    for (auto& pattern : haar) {
      const ComplexMatrix u = complex_haar_frame(stream, orbit.dimension, l.size());
      pattern = leading_spectra(u * l.asDiagonal() * u.adjoint(), l.size());
    }
    OrbitLaw law{Vector::LinSpaced(orbit.dimension, 1.0, 0.0), l, 0.0};
    EXPECT_TRUE(marginals_agree(coupled_patterns(law, kDraws, stream), haar, l));
    law.exponent = 8.0;  // broken twin
    EXPECT_FALSE(marginals_agree(coupled_patterns(law, kDraws, stream), haar, l));
  }
}

TEST(OrbitPattern, ProjectorPatternsMatchTheGaussianBlock) {
  RandomStream stream = RandomStream::seeded(seed_for("orbit.pattern.block"));
  constexpr std::size_t kDraws = 3000;
  OrbitLaw law{vector_of({1.0, 0.9, 0.8, 0.3, 0.2, 0.1, 0.05, 0.0}), Vector::Ones(3), 20.0};
  const OrbitMethod block = block_method(law);
  std::vector<GelfandTsetlinPattern> blocks(kDraws);
  for (auto& pattern : blocks) {
    const ComplexMatrix v = block.draw(stream);
    pattern = leading_spectra(v * v.adjoint(), 3);
  }
  EXPECT_TRUE(marginals_agree(coupled_patterns(law, kDraws, stream), blocks, law.spectrum));
  law.exponent = 28.0;
  EXPECT_FALSE(marginals_agree(coupled_patterns(law, kDraws, stream), blocks, law.spectrum));
}

constexpr Index kStatistics = 8;

/// Statistics in [-1, 1] (for l_1 <= 1) that see the phases, not only the pattern.
Vector matrix_statistics(const ComplexMatrix& h) {
  const std::complex<double> loop = h(0, 1) * h(1, 2) * h(2, 0);
  const auto imaginary_share = [](std::complex<double> z) {
    return z.imag() * z.imag() / std::max(std::norm(z), 1e-300);
  };
  Vector f(kStatistics);
  f << h(0, 0).real(), h(2, 2).real(), std::norm(h(0, 1)), std::norm(h(1, 2)), std::norm(h(0, 2)),
      loop.real(), imaginary_share(loop), imaginary_share(h(0, 1));
  return f;
}

TEST(OrbitPattern, MatrixMomentsMatchWeightedHaarMatrices) {
  constexpr double kAlpha = alpha_of("sampling: orbit fibre moments") / 256;
  RandomStream stream = RandomStream::seeded(seed_for("orbit.fibre"));
  const Vector y = vector_of({0.8, 0.3, -0.2});
  for (const std::vector<double>& l :
       {std::vector{1.0, 0.4}, std::vector{1.0, 1.0}, std::vector{1.0, 0.6, 0.1}}) {
    const OrbitLaw law{y, vector_of(l), 1.5};
    // E_target f = E_Haar f e^{c tr(YH)} / I(c), with I(c) exact.
    const double integral = hciz_moments(law).integral;
    const double bound = std::exp(law.exponent * law.spectrum.dot(y.head(law.spectrum.size())));
    const Estimate haar = estimate(
        [&]() -> Vector {
          const ComplexMatrix u = complex_haar_frame(stream, 3, law.spectrum.size());
          const ComplexMatrix h = u * law.spectrum.asDiagonal() * u.adjoint();
          const double weight = std::exp(law.exponent * y.dot(h.diagonal().real())) / integral;
          return matrix_statistics(h) * weight;
        },
        60000, bound / integral, kAlpha);
    const auto agrees = [&](const std::function<ComplexMatrix()>& draw) {
      const Estimate found =
          estimate([&] { return matrix_statistics(draw()); }, 20000, 1.0, kAlpha);
      return ((found.mean - haar.mean).array().abs() <= (found.limit + haar.limit).array()).all();
    };
    for (const OrbitMethod& method : {coupling_method(law), cascade_method(law)}) {
      EXPECT_TRUE(agrees([&]() -> ComplexMatrix {
        const ComplexMatrix v = method.draw(stream);
        return v * v.adjoint();
      })) << method.name;
    }
    const PatternCoupling coupling(law.exponent * (y.head(2) - y.tail(2)), law.spectrum);
    const auto bordered = [&](FibreFault fault) {
      return [&, fault] { return bordered_matrix(coupling.draw(stream), stream, fault); };
    };
    EXPECT_TRUE(agrees(bordered(FibreFault::None)));
    EXPECT_FALSE(agrees(bordered(FibreFault::FixedPhases)));
    EXPECT_FALSE(agrees(bordered(FibreFault::MisSignedResidue)));
  }
}

}  // namespace
}  // namespace eigenveil::test::orbit_pattern_test
