#pragma once

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// Free entries of a Gelfand-Tsetlin pattern with last row `spectrum` padded to `dimension` zeros:
/// half the real dimension of the orbit, (d² - Σ m²) / 2 over multiplicities m.
double orbit_dimension(const Vector& spectrum, Eigen::Index dimension);

/// E(Σ l_i g_i - tr(M H)) <= N / c for every M with eigenvalues g, every exponent c and every
/// spectrum, N = orbit_dimension: a bound with its constant, reached as c grows (proof:
/// docs/proofs/orbit.md). Infinite at c = 0.
double expected_score_loss(const Vector& spectrum, Eigen::Index dimension, double exponent);

/// First-order E |P - UUᵀ|_F² of the real subspace U of a Hermitian draw on the orbit of rank-k
/// projections: Σ_{i<=k<j} 1 / (c (g_i - g_j)), never above 2 min(k, d - k). `eigenvalues`: g,
/// largest first, in the units of the exponent.
double predicted_orbit_error(const Vector& eigenvalues, Eigen::Index rank, double exponent);

/// What Algorithm 2 depends on, in units of R².
struct LowRankUtility {
  Vector eigenvalues;  ///< of M, all d, largest first
  Eigen::Index rank = 1;
  double eigenvalue_scale = 0.0;   ///< b of the Laplace noise
  double direction_epsilon = 1.0;  ///< for one row
  double rows_moved = 1.0;         ///< 1, or 2 for replace-one
};
/// E |M - H|_F² <= Σ_{i>k} g_i² + 2 k b² + 2 N (g_1 + b (1 + ln k)) rows_moved / epsilon, with
/// every constant (docs/proofs/orbit.md).
double expected_low_rank_error(const LowRankUtility& utility);

/// First-order E |M - H'|_F² for H' the real part of H cut to rank k (real rows): every pair
/// i <= k, i < j with g_i > g_j adds 1 / c = g_1 rows_moved / epsilon, half of what the bound
/// counts, because the imaginary part is dropped. Never above |M|_F², what publishing zeros costs.
double predicted_low_rank_error(const LowRankUtility& utility);

/// The lower bounds of Mangoubi et al. on |M - H|_F² for pure epsilon (replace-one, R = 1), for a
/// matrix with eigenvalues l, each up to a universal constant.
struct OrbitLowerBounds {
  double theorem_2_4 = 0.0;    ///< output has the eigenvalues l; Corollary 2.6 for other outputs
  double corollary_2_5 = 0.0;  ///< any rank-k output
  double projection = 0.0;     ///< min(k (d - k) / eps, l_1² k): a multiple of a projection
  double packing = 0.0;        ///< of the whole orbit, Theorem 2.7 (3)
  double spectral_norm = 0.0;  ///< on |M - H|_2, not squared: the bound before theirs
};
OrbitLowerBounds orbit_lower_bounds(const Vector& eigenvalues, Eigen::Index rank, double epsilon);

}  // namespace eigenveil
