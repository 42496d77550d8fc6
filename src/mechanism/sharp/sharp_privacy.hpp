#pragma once

#include <optional>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// The bulk of a spectrum as the exponential mechanism sees it. Eigenvalues of a covariance of rows
/// with squared norm at most p, largest first; the first k are captured, the others are the bulk.
/// Sums over the bulk are divided by p, not p - k.
class EmpiricalHilbert {
 public:
  EmpiricalHilbert(const Vector& eigenvalues, Eigen::Index components);
  double value(double at) const;                     ///< H(l)   =  (1/p) Σ 1 / (l - λ_i)
  double derivative(double at) const;                ///< H'(l)  = -(1/p) Σ 1 / (l - λ_i)²
  double second_derivative(double at) const;         ///< H''(l) =  (2/p) Σ 1 / (l - λ_i)³
  double kernel(double first, double second) const;  ///< (1/p) Σ 1 / ((l - λ_i)(m - λ_i))

 private:
  Vector bulk_;
  double dimension_;
};

/// Asymptotic privacy and utility of drawing V with density exp((p β / 2) tr(VᵀΣV)): Yun and
/// Dudeja, Theorems 1 and 2. Everything here holds as p grows, for this data set: basis
/// `asymptotic`. With rows clipped to squared norm r p, r <= 1, mu and epsilon are multiplied by r
/// (docs/proofs/sharp.md).
class SharpPrivacy {
 public:
  /// Needs 1 <= k < p, λ_k > λ_(k+1) and rows >= 1. `norm_share` is r.
  static Result<SharpPrivacy> make(Vector eigenvalues, double rows, Eigen::Index components,
                                   double norm_share = 1.0);

  double dimension() const { return static_cast<double>(eigenvalues_.size()); }
  double theta() const;        ///< n / p^(3/2)
  double gap() const;          ///< Δ = λ_k - λ_(k+1)
  double threshold() const;    ///< H(λ_k): below this β component k is not captured
  double slope() const;        ///< H'(λ_k) < 0
  double mu_min() const;       ///< the plateau: no β above the threshold gives less
  double plateau_end() const;  ///< the largest β on the plateau
  const Vector& phase_transitions() const { return thresholds_; }  ///< H(λ_i), i <= k

  /// The smallest asymptotic mu at β; none at or below the threshold, where Theorem 2 is silent.
  std::optional<double> mu(double beta) const;
  /// The largest β with mu(β) <= target; none below mu_min.
  std::optional<double> beta(double target_mu) const;
  /// For every data set, with a public normaliser: c R² = r p² β / (2 n).
  double worst_case_epsilon(double beta) const;
  /// As published, with the row count in the normaliser: twice that.
  double published_epsilon(double beta) const;
  double error_operator2(double beta) const;      ///< E |UUᵀ - VVᵀ|_op²
  double error_frobenius2(double beta) const;     ///< E |UUᵀ - VVᵀ|_F²
  double renyi(double beta, double order) const;  ///< order mu² / 2; infinite where mu is unknown

  /// The neighbour that attains mu is one more row sqrt(r p) (sqrt(t) u_k + sqrt(1-t) u_(k+1)); t.
  double worst_case_weight(double beta) const;
  /// v(E): asymptotic variance of the log likelihood ratio between Σ and Σ + E / sqrt(p), E given
  /// in the eigenbasis.
  double ratio_variance(double beta, const Matrix& perturbation) const;
  /// Limit of (1/p) log of the spherical integral E exp((p β / 2) tr(VᵀΣV)), V Haar, for
  /// β above the threshold: Σ_j [β λ_j - 1 - log β - (1/p) Σ_bulk log(λ_j - λ_i)] / 2 up to o(1).
  double spherical_integral_rate(double beta) const;

 private:
  SharpPrivacy(Vector eigenvalues, double rows, Eigen::Index components, double norm_share);
  double lambda(Eigen::Index index) const { return eigenvalues_[index]; }

  Vector eigenvalues_;
  double rows_;
  Eigen::Index components_;
  double norm_share_;
  EmpiricalHilbert hilbert_;
  Vector thresholds_;
};

}  // namespace eigenveil
