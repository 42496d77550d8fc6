#pragma once

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// First-order prediction of E |UUᵀ - ÛÛᵀ|_F² for the top `components` eigenvectors when symmetric
/// noise with off-diagonal standard deviation `noise_sd` is added to a matrix with these
/// eigenvalues (largest first): 2 Σ_{i<=k<j} noise_sd² / (λ_i - λ_j)², never above 2 min(k, p-k).
double predicted_subspace_error(const Vector& eigenvalues, Eigen::Index components,
                                double noise_sd);

}  // namespace eigenveil
