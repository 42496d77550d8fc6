#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/privacy/release.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/moment/blurred_draw.hpp"
#include "mechanism/moment/drawn_budget.hpp"
#include "mechanism/moment/hermitian_moment.hpp"

namespace eigenveil {

/// Whose constants: ours for an exact draw, or those of Mangoubi et al., which leave half of
/// the budget to a chain that only comes close. Both are private; the published one is noisier.
enum class OrbitCalibration : std::uint8_t { Tight, Published };

/// Everything public that a draw on a unitary orbit depends on, but its eigenvalues.
struct OrbitRequest {
  RowBound bound;
  Vector scales;  ///< column_scales(bound, units): the units the moment is taken in
  Budget budget;
  Relation relation = Relation::AddRemove;
  RowField field = RowField::Real;
  OrbitCalibration calibration = OrbitCalibration::Tight;
  int group_size = 1;
  bool unbounded_time = false;  ///< no refusal by size
};

/// What every draw for a request asks of the sums: its bound, and columns its field can pair.
Result<void> check_gram(const OrbitRequest& request, const ExactGram& gram);

/// A Hermitian matrix with prescribed eigenvalues, drawn privately, on a public grid.
struct OrbitDraw {
  ComplexMatrix matrix;  ///< H, d x d
  Vector spectrum;       ///< l_1 >= ... >= l_k; the other eigenvalues of H are 0
};

/// l_1 - l_d: how far tr(v vᴴ H) can move over the orbit for a unit vector v (l_d = 0 when k < d).
double orbit_spread(const Vector& spectrum, Eigen::Index dimension);

/// The exponent c of the density exp(c tr(M H)) that costs `budget` for one row, M in units of R²,
/// rounded down: epsilon / spread where rows only add to the score (add-remove, zero-row), half of
/// it for replace-one. Published: epsilon / (4 l_1) for every relation. 0 for a spread of 0, where
/// nothing is drawn. Proof: docs/proofs/orbit.md.
Result<double> orbit_exponent(PureDp budget, Relation relation, const Vector& spectrum,
                              Eigen::Index dimension, OrbitCalibration calibration);

/// One exact draw (in real arithmetic) with density exp(exponent tr(M H)) on the orbit of
/// `spectrum`, blurred and put back on the orbit. The caller has shown what the exponent and the
/// blur cost.
OrbitDraw draw_on_orbit(const HermitianMoment& moment, const Vector& spectrum, double exponent,
                        const Blur& blur, RandomStream& stream);

/// How an epsilon for directions is divided between the exponent and the blur.
DrawBudget orbit_draw_budget(PureDp directions, Eigen::Index dimension, Eigen::Index rank);

/// About how long draw_on_orbit takes at most, from public numbers alone: a strong signal is drawn
/// sooner. 0 where nothing is drawn.
double orbit_draw_seconds(const OrbitRequest& request, Eigen::Index rank, double exponent);

/// Algorithm 1: eigenvalues public, directions private. Made from public parameters;
/// refuses sizes whose exact draw could take too long. Basis: proved in real arithmetic.
class OrbitPlan {
 public:
  static Result<OrbitPlan> make(const OrbitRequest& request, Vector spectrum);

  const RowBound& bound() const { return request_.bound; }
  const OrbitRequest& request() const { return request_; }
  const Vector& spectrum() const { return spectrum_; }
  double exponent() const { return exponent_; }  ///< of tr(M H), M in units of R²
  const Blur& blur() const { return blur_; }
  PureDp per_row() const { return divided_.directions; }
  GaussianDp gaussian() const { return divided_.mu; }  ///< the whole, for the group
  double draw_error() const { return blur_.failure; }
  std::vector<Loss> further_losses() const { return divided_.further_losses(); }
  const Guarantee& guarantee() const { return guarantee_; }
  double draw_seconds() const { return orbit_draw_seconds(request_, spectrum_.size(), exponent_); }

  /// `gram` must have the plan's bound.
  Result<Release<OrbitDraw>> run(const ExactGram& gram, RandomStream& stream) const;

 private:
  OrbitPlan(OrbitRequest request, Vector spectrum)
      : request_(std::move(request)), spectrum_(std::move(spectrum)) {}
  OrbitRequest request_;
  Vector spectrum_;
  DrawnBudget divided_;
  double exponent_ = 0.0;
  Blur blur_;
  Guarantee guarantee_;
};

/// Checks shared by the plans of this family (relation, field, sizes) and the budget, divided.
Result<DrawnBudget> orbit_budget(const OrbitRequest& request, Eigen::Index rank, double share);

Guarantee orbit_guarantee(const OrbitRequest& request, const DrawnBudget& divided,
                          std::vector<std::string> assumptions);

/// Post-processing: the top `count` eigenvectors of Re(H), largest first.
Matrix real_subspace(const OrbitDraw& draw, Eigen::Index count);

/// Post-processing: Re(H) cut to its `rank` largest eigenvalues, symmetric.
Matrix real_truncation(const OrbitDraw& draw, Eigen::Index rank);

}  // namespace eigenveil
