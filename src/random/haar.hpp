#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// A rows x columns matrix with orthonormal columns, 1 <= columns <= rows, uniform (Haar) on the
/// Stiefel manifold: the Q factor of a Gaussian matrix whose R has a positive diagonal (Mezzadri
/// 2007). Sampled in double precision.
Matrix haar_frame(RandomStream& stream, Eigen::Index rows, Eigen::Index columns);

/// The same for the unitary group: Vᴴ V = I.
Eigen::MatrixXcd complex_haar_frame(RandomStream& stream, Eigen::Index rows, Eigen::Index columns);

}  // namespace eigenveil
