#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "eigenveil/random/stream.hpp"
#include "sampling/gelfand_tsetlin.hpp"
#include "sampling/limits.hpp"
#include "sampling/orbit.hpp"

namespace eigenveil::test {

/// Exact values from the Harish-Chandra-Itzykson-Zuber determinant, confluent in the spectrum, in
/// 400 digits. The diagonal must be distinct and the exponent positive.
struct OrbitMoments {
  double mean{};      ///< of tr(Y H)
  double variance{};  ///< of tr(Y H)
  Vector diagonal;    ///< E H_aa
  Matrix joint;       ///< E H_aa H_bb, a != b
  Matrix modulus;     ///< E |H_ab|², a != b
  double integral{};  ///< E exp(c tr(Y H)) for H uniform on the orbit
};
OrbitMoments hciz_moments(const OrbitLaw& law);

/// |X - mean| <= range and Var X <= variance: the mean of `count` copies is off by more than this
/// with probability at most alpha (Bernstein).
double bernstein_limit(double variance, double range, std::size_t count, double alpha);

/// Means of a vector of statistics in [-range, range], with the empirical Bernstein limit of Maurer
/// and Pontil for each.
struct Estimate {
  Vector mean, limit;
};
Estimate estimate(const std::function<Vector()>& draw, std::size_t count, double range,
                  double alpha);

/// A way to draw V, so that every sampler goes through the same checks.
struct OrbitMethod {
  std::string name;
  std::function<ComplexMatrix(RandomStream&)> draw;
};
/// The samplers on their own (not the cascade); the law's diagonal must be sorted largest first.
OrbitMethod block_method(const OrbitLaw& law);
OrbitMethod angular_method(const OrbitLaw& law);
OrbitMethod vertex_method(const OrbitLaw& law);
OrbitMethod tilted_method(const OrbitLaw& law);
OrbitMethod captured_method(const OrbitLaw& law);
/// Wrong unless the top rows are drawn with the law's own exponent.
OrbitMethod captured_method(const OrbitLaw& law, double top_exponent);
OrbitMethod coupling_method(const OrbitLaw& law);
/// From blocks of one sweep, which get longer until one coalesces.
OrbitMethod growing_method(const OrbitLaw& law);
OrbitMethod cascade_method(const OrbitLaw& law);

/// tr(diag(y) V Vᴴ).
double score(const Vector& diagonal, const ComplexMatrix& frame);

/// The textbook fibre, written independently of the library: H is bordered row by row, d x d.
enum class FibreFault { None, FixedPhases, MisSignedResidue };
ComplexMatrix bordered_matrix(const GelfandTsetlinPattern& pattern, RandomStream& stream,
                              FibreFault fault);

Vector vector_of(const std::vector<double>& values);

}  // namespace eigenveil::test
