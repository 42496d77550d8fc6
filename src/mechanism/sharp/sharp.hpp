#pragma once

#include <optional>

#include "core/symmetric_eigen.hpp"
#include "mechanism/exponential/exponential.hpp"
#include "mechanism/sharp/adaptive_calibration.hpp"

namespace eigenveil {

/// Everything public that a release by the adaptive sharp mechanism depends on.
struct SharpRequest {
  RowBound bound;
  Vector scales;
  Budget budget;
  Relation relation = Relation::AddRemove;
  int group_size = 1;
  Eigen::Index components = 1;
  double variance_share = 0.2;     ///< of mu², for row count and variances
  double calibration_share = 0.3;  ///< of mu², for calibrating β on the data
  bool published = false;          ///< plug-in calibration without margins
  /// A spectrum of rows with squared norm at most p that is public knowledge: β is taken from it
  /// and no calibration is paid for.
  std::optional<Vector> public_spectrum = std::nullopt;
  bool ranks = false;  ///< rows are ranks: one row shifts those of all others
};

/// What a run settled on before it drew: all of it released.
struct SharpSettlement {
  double rows = 0.0;                            ///< noisy, or exact where public
  std::optional<NoisyCalibration> calibration;  ///< none with a public spectrum
  std::optional<double> beta;                   ///< none: the target is out of reach
  double worst_case_epsilon = 0.0;              ///< of the draw at that β
};

class SharpPlan;
namespace trusted {
/// The frame alone, on a made-up Σ x xᵀ of rows within the plan's bound: for plans and simulation,
/// never on data.
Matrix draw_sharp(const SharpPlan& plan, const Matrix& moment, double rows, RandomStream& stream);
}  // namespace trusted

/// The exponential mechanism at the noise level its asymptotic privacy allows on this data set:
/// row count, private calibration (Yun and Dudeja, Algorithm 3), draw, covariance inside. When the
/// target is out of reach the zero frame is released, which is a result like any other.
/// mu-AGDP for adding or removing one row (or zeroing it): basis `asymptotic`. What that means, and
/// what is proved for every data set: docs/proofs/sharp.md.
class SharpPlan {
 public:
  static Result<SharpPlan> make(const SharpRequest& request);

  double row_count_mu() const { return row_count_mu_; }  ///< 0 where the count is public
  double calibration_mu() const { return calibration_mu_; }
  double draw_mu() const { return draw_mu_; }
  const ProjectionPlan& projection() const { return projection_; }
  const Guarantee& guarantee() const { return guarantee_; }
  double row_norm2_bound() const { return row_norm2_bound_; }

  struct Outcome {
    SharpSettlement settlement;
    Release<DrawnSubspace> release;
  };
  Result<Outcome> run(const ExactGram& gram, RandomStream& stream) const;

 private:
  friend Matrix trusted::draw_sharp(const SharpPlan& plan, const Matrix& moment, double rows,
                                    RandomStream& stream);
  SharpPlan(SharpRequest request, ProjectionPlan projection)
      : request_(std::move(request)), projection_(std::move(projection)) {}
  SharpSettlement settle(const Vector& moment_eigenvalues, double true_rows,
                         RandomStream& stream) const;
  /// The frame at what was settled; zero when the target is out of reach.
  Matrix draw(const SymmetricEigen& moment, const SharpSettlement& settled,
              RandomStream& stream) const;

  SharpRequest request_;
  ProjectionPlan projection_;
  double row_count_mu_ = 0.0;
  double calibration_mu_ = 0.0;
  double draw_mu_ = 0.0;
  Blur blur_;
  double row_norm2_bound_ = 0.0;
  Guarantee guarantee_;
};

/// Proposals of the exact sampler before a Gibbs chain of so many sweeps stands in: both fixed in
/// advance, so that the release is total and ends.
inline constexpr std::uint64_t kSharpTries = 4096;
inline constexpr int kSubstituteSweeps = 200;

/// Eigenvalues of the covariance of rows scaled to squared norm at most p, and the row count.
struct NormalisedSpectrum {
  Vector eigenvalues;
  double rows = 0.0;
};

namespace trusted {
/// Private numbers, for audits and figures: never part of a release.
NormalisedSpectrum normalised_spectrum(const ExactGram& gram);
}  // namespace trusted

}  // namespace eigenveil
