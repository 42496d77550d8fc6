#pragma once

#include <string>
#include <variant>

#include "eigenveil/mechanism/as_run.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/guarantee.hpp"
#include "eigenveil/privacy/release.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// Everything public that a second-moment release depends on.
struct MomentRequest {
  RowBound bound;
  Budget budget;
  Relation relation = Relation::AddRemove;
  Extension extension = Extension::Count;
  int group_size = 1;
  TraceNoise trace = TraceNoise::LikeEntries;  ///< read by gauss alone
};

/// What one row's share of the budget buys.
using PerRowLoss = std::variant<GaussianDp, PureDp>;
Loss as_loss(const PerRowLoss& per_row);
/// The sharpest noise that is proved for it: Gaussian, or two-sided Wishart for a pure loss.
NoiseLaw sharpest_law(const PerRowLoss& per_row);

/// The noise a shape needs for a loss, and the sensitivity (grid units, in the method's norm) it
/// was calibrated to.
struct CalibratedNoise {
  double sensitivity = 0.0;
  NoiseScale scale;
};
Result<CalibratedNoise> calibrate_noise(const MomentShape& shape, const PerRowLoss& per_row,
                                        NoiseLaw law);

/// t / R of the constant that carries the row count, chosen so that the count costs little noise.
double count_constant_share(NoiseLaw law, std::size_t dimension);

/// A checked request with its noise: made from public parameters alone, so it may fail with a
/// precise message. Running it on any Gram of the declared shape cannot fail in a way that depends
/// on the data.
class MomentPlan {
 public:
  std::string method() const;  ///< "gauss", "laplace" or "wishart"
  const RowBound& bound() const { return bound_; }
  const MomentShape& shape() const { return shape_; }
  double sensitivity() const { return noise_.sensitivity; }  ///< grid units, in the method's norm
  const NoiseScale& noise() const { return noise_.scale; }   ///< grid units
  /// Standard deviation of the noise on an entry of Σ x xᵀ, in scaled units.
  double product_sd() const;
  double off_diagonal_sd() const;
  double trace_sd() const;
  double sum_sd() const;    ///< on a column sum; 0 where no sums are released
  double count_sd() const;  ///< of the noisy row count; 0 where the count is public
  /// What a release carries when its randomness is secure.
  const Guarantee& guarantee() const { return guarantee_; }

  Result<Release<NoisyMoment>> run(const ExactGram& gram, RandomStream& stream) const;

 private:
  friend Result<MomentPlan> plan_gauss(const MomentRequest&);
  friend Result<MomentPlan> plan_laplace(const MomentRequest&);
  friend Result<MomentPlan> plan_wishart(const MomentRequest&);
  static Result<MomentPlan> make(const MomentRequest& request, PerRowLoss per_row, NoiseLaw law);
  MomentPlan(RowBound bound, MomentShape shape, CalibratedNoise noise, PerRowLoss per_row,
             Guarantee guarantee);

  RowBound bound_;
  MomentShape shape_;
  CalibratedNoise noise_;
  PerRowLoss per_row_;
  Guarantee guarantee_;
};

}  // namespace eigenveil
