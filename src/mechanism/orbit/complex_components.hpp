#pragma once

#include "mechanism/moment/projected_moment.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// Principal components of complex rows, from a released frame and a released second moment inside
/// it: post-processing.
struct ComplexComponents {
  ComplexMatrix loadings;     ///< d x k, orthonormal columns, largest variance first
  Vector explained_variance;  ///< of |u* z|², noisy, never negative
  double noise_floor = 0.0;   ///< NoiseReach::floor
};

/// The real frame of a complex one, 2d x 2k: rows come in pairs (real, imaginary part of a
/// coordinate), and u = p + i q becomes the columns (p, q) and (-q, p), whose products with (Re z,
/// Im z) are real and imaginary part of u* z. Orthonormal if the complex frame is.
Matrix paired_frame(const ComplexMatrix& frame);

/// `paired`: from paired_frame, rounded or not; `projection` the real second moment inside it. With
/// W its products, u_i* M u_j = W(p_i, p_j) + W(q_i, q_j) + i (W(q_i, p_j) - W(p_i, q_j)).
ComplexComponents complex_components(const Matrix& paired, const NoisyProjection& projection);

}  // namespace eigenveil
