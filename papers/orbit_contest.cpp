#include "papers/orbit_contest.hpp"

#include <algorithm>
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "mechanism/orbit/low_rank.hpp"
#include "random/normal.hpp"
#include "sampling/bingham.hpp"
#include "sampling/orbit.hpp"

namespace eigenveil::papers {
namespace {

/// Simulation only: releases go through random/rounded_noise.hpp.
double laplace(RandomStream& stream, double scale) {
  const double u = 2.0 * uniform(stream) - 1.0;
  return std::copysign(-scale * std::log1p(-std::abs(u)), u);
}

Vector noisy_eigenvalues(const Vector& eigenvalues, Eigen::Index rank, double epsilon,
                         RandomStream& stream) {
  Vector noisy = eigenvalues.head(rank);
  for (double& value : noisy) {
    value = std::max(0.0, value + laplace(stream, 2.0 / epsilon));
  }
  std::sort(noisy.begin(), noisy.end(), std::greater<>());
  return noisy;
}

Matrix truncated(const Matrix& symmetric, Eigen::Index rank) {
  const SymmetricEigen top = largest_eigenpairs(symmetric, rank);
  return top.vectors * top.values.cwiseMax(0.0).asDiagonal() * top.vectors.transpose();
}

Matrix orbit_release(const Vector& eigenvalues, Eigen::Index rank, double epsilon,
                     OrbitCalibration calibration, RandomStream& stream) {
  const Eigen::Index d = eigenvalues.size();
  const double share =
      calibration == OrbitCalibration::Published ? 0.5 : default_eigenvalue_share(d, rank);
  const Vector l = noisy_eigenvalues(eigenvalues, rank, share * epsilon, stream);
  if (!(orbit_spread(l, d) > 0.0)) {
    return Matrix::Zero(d, d);
  }
  const double exponent =
      *orbit_exponent(PureDp{(1.0 - share) * epsilon}, Relation::ReplaceOne, l, d, calibration);
  const ComplexMatrix frame =
      OrbitSampler::make({eigenvalues, l / l[0], exponent * l[0]})->draw(stream) * std::sqrt(l[0]);
  return truncated((frame * frame.adjoint()).real(), rank);
}

/// Each vector is drawn with density exp((eps_i / 2) u' M u) on the unit sphere of the space
/// orthogonal to those before it.
Matrix iterative_release(const Vector& eigenvalues, Eigen::Index rank, double epsilon,
                         RandomStream& stream) {
  const Eigen::Index d = eigenvalues.size();
  const Vector l = noisy_eigenvalues(eigenvalues, rank, epsilon / 2.0, stream);
  const double exponent = epsilon / (4.0 * static_cast<double>(rank));
  Matrix basis = Matrix::Identity(d, d);  // of the space that is left
  Matrix released = Matrix::Zero(d, d);
  for (Eigen::Index i = 0; i < rank; ++i) {
    const SymmetricEigen inside =
        symmetric_eigen(basis.transpose() * eigenvalues.asDiagonal() * basis);
    const Matrix inner = inside.vectors.rows() > 1
                             ? BinghamSampler::make(inside.values, exponent, 1)->draw(stream)
                             : Matrix::Ones(1, 1);
    const Matrix axes = basis * inside.vectors;
    const Vector direction = axes * inner.col(0);
    released += l[i] * direction * direction.transpose();
    const Matrix rest = Matrix::Identity(axes.cols(), axes.cols()) - inner * inner.transpose();
    basis = axes * largest_eigenpairs(rest, axes.cols() - 1).vectors;
  }
  return released;
}

/// Scale sqrt(d (d + 3) / 2) / eps on every entry of the upper triangle (docs/proofs/laplace.md).
Matrix laplace_release(const Vector& eigenvalues, Eigen::Index rank, double epsilon,
                       RandomStream& stream) {
  const auto d = static_cast<double>(eigenvalues.size());
  const double scale = std::sqrt(d * (d + 3.0) / 2.0) / epsilon;
  Matrix noisy = eigenvalues.asDiagonal();
  for (Eigen::Index column = 0; column < noisy.cols(); ++column) {
    for (Eigen::Index row = 0; row <= column; ++row) {
      noisy(row, column) += laplace(stream, scale);
      noisy(column, row) = noisy(row, column);
    }
  }
  return truncated(noisy, rank);
}

Matrix release(Contestant contestant, const Vector& eigenvalues, Eigen::Index rank, double epsilon,
               RandomStream& stream) {
  switch (contestant) {
    case Contestant::Orbit:
      return orbit_release(eigenvalues, rank, epsilon, OrbitCalibration::Tight, stream);
    case Contestant::OrbitPublished:
      return orbit_release(eigenvalues, rank, epsilon, OrbitCalibration::Published, stream);
    case Contestant::Iterative:
      return iterative_release(eigenvalues, rank, epsilon, stream);
    default:
      return laplace_release(eigenvalues, rank, epsilon, stream);
  }
}

}  // namespace

std::string name_of(Contestant contestant) {
  switch (contestant) {
    case Contestant::Orbit:
      return "orbit";
    case Contestant::OrbitPublished:
      return "orbit, published constants";
    case Contestant::Iterative:
      return "iterative eigenvectors";
    default:
      return "grid Laplace";
  }
}

MeanError mean_squared_error(Contestant contestant, const Vector& eigenvalues, Eigen::Index rank,
                             double epsilon, int repetitions, RandomStream& stream) {
  const Matrix exact = eigenvalues.asDiagonal();
  Vector errors(repetitions);
  for (double& error : errors) {
    error = (exact - release(contestant, eigenvalues, rank, epsilon, stream)).squaredNorm();
  }
  const double mean = errors.mean();
  const double variance = (errors.array() - mean).square().sum() / std::max(1.0, repetitions - 1.0);
  return {mean, std::sqrt(variance / repetitions)};
}

}  // namespace eigenveil::papers
