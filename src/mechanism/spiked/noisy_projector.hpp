#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "mechanism/moment/blurred_draw.hpp"
#include "mechanism/moment/symmetric_noise.hpp"

namespace eigenveil {

/// The top eigenvectors of frame frameᵀ + Z, Z symmetric Gaussian noise: the released subspace of
/// the spiked methods. frame is p x r with orthonormal columns. Proof: docs/proofs/spiked.md.
///
/// Dense: Z is drawn entry by entry, exactly rounded; p x p work.
Matrix noisy_subspace(const Matrix& frame, const SymmetricNoise& noise, RandomStream& stream);

/// The same law for isotropic Z without a p x p matrix: in a basis that starts with the frame,
/// frame frameᵀ + Z is block tridiagonal with independent normal and chi entries, and everything
/// outside the frame is uniformly oriented. Draws in double precision ("idealised real
/// arithmetic"), and blurs what it drew. The random numbers do not depend on the data. Noise at or
/// above `kDrowned` of the signal gives a uniform frame, which says nothing about the data.
Matrix noisy_subspace_wide(const Matrix& frame, double standard_deviation, const Blur& blur,
                           RandomStream& stream);

/// Up to here the dense form is used.
inline constexpr Eigen::Index kDenseProjector = 2048;

/// Refuses, by public sizes, what the wide draw is not made for: 4 r > p.
Result<void> check_wide_subspace(Eigen::Index dimension, Eigen::Index rank);
/// sd sqrt(p/2): spectral radius of the noise over twice the signal; 1 is where the top
/// eigenvectors lose all contact with the frame.
inline constexpr double kDrowned = 0.97;

/// E |P - P~|_F^2 for r directions, about: 2 r min(1, p sd^2 / 2) with sd on the diagonal.
double projector_noise_error(Eigen::Index dimension, Eigen::Index rank,
                             double off_diagonal_standard_deviation);

}  // namespace eigenveil
