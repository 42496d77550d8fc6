#pragma once

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// First-order prediction of E |UUᵀ - ÛÛᵀ|_F² for the top `components` eigenvectors when symmetric
/// noise with off-diagonal standard deviation `noise_sd` is added to a matrix with these
/// eigenvalues (largest first): 2 Σ_{i<=k<j} noise_sd² / (λ_i - λ_j)², never above 2 min(k, p-k).
double predicted_subspace_error(const Vector& eigenvalues, Eigen::Index components,
                                double noise_sd);

/// First-order prediction of E |M - M̂_k|_F², M̂_k the noisy matrix cut to its `rank` largest
/// eigenvalues: Σ_{i>k} λ_i², the noise inside the top block, and 2 noise_sd² λ_i / (λ_i - λ_j) for
/// every i <= k < j (a turn by θ costs 2 λ_i (λ_i - λ_j) θ²). Never above |M|_F².
double predicted_truncation_error(const Vector& eigenvalues, Eigen::Index rank, double diagonal_sd,
                                  double off_diagonal_sd);

}  // namespace eigenveil
