#pragma once

#include <optional>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/release.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/moment/covariance.hpp"

namespace eigenveil {

/// Private streaming power iteration (after Liu, Kong, Jain, Oh 2022): one pass, rank one. Every
/// batch of rows adds its noisy sum of x (x . w) to the running direction. A row is in one batch,
/// fixed by its position, so the whole pass costs what one batch costs. Proof: docs/proofs/oja.md.
struct OjaRequest {
  double row_radius = 0.0;  ///< rows have norm at most this, in the units asked for
  std::size_t dimension = 0;
  std::size_t batch = 1000;
  /// Contributions x (x . w) longer than this are shortened to it; absent: R² bounds them.
  std::optional<double> contribution;
  Budget budget;
  Relation relation = Relation::ReplaceOne;
  int group_size = 1;  ///< rows protected together, in whatever batches they are
};

class OjaPlan {
 public:
  static Result<OjaPlan> make(const OjaRequest& request);
  const OjaRequest& request() const { return request_; }
  const Guarantee& guarantee() const { return guarantee_; }
  double sensitivity() const { return sensitivity_; }  ///< of one batch's sum, l2
  double noise_sd() const { return noise_sd_; }        ///< on every entry of a batch's sum
  /// The plan of a table, or a last batch, of so many rows: a shorter sum needs less room for its
  /// rounding. The count is public for both relations.
  OjaPlan for_rows(std::size_t rows) const;

 private:
  explicit OjaPlan(OjaRequest request) : request_(std::move(request)) {}
  OjaRequest request_;
  Guarantee guarantee_;
  double sensitivity_ = 0.0;
  double noise_sd_ = 0.0;
};

/// l2 sensitivity of a batch's sum: all x (x . w), |x| <= R, |w| = 1, lie in a ball of diameter R²
/// through the origin; contributions cut to c lie in one of radius c.
double oja_sensitivity(double radius, const std::optional<double>& contribution, Relation relation);

/// The pass itself: rows in the order of the file, in the units asked for.
class OjaPass {
 public:
  OjaPass(const OjaPlan& plan, RandomStream& stream);
  void add(const Vector& row);
  /// The direction after the last (perhaps shorter) batch; a unit vector.
  Release<Vector> finish();
  /// What the proof counts as released: the start and the weighted sum of noisy batches so far.
  const Vector& direction() const { return direction_; }
  const Vector& running() const { return running_; }

 private:
  void step();

  const OjaPlan* plan_;
  RandomStream* stream_;
  Vector direction_;  ///< w: released, so later batches may depend on it
  Vector running_;    ///< weighted sum of the noisy batches
  Vector batch_sum_;
  std::size_t in_batch_ = 0;
  std::size_t steps_ = 0;
};

/// Rows of a table in its order, clipped to `bound`, in `units`, each seen once; how many there
/// were.
Result<std::size_t> add_rows(OjaPass& pass, RowReader& reader, const RowBound& bound, Units units);

/// E |uuᵀ - vvᵀ|_F² that the noise adds, first order: 2 (p - 1) sd² (4 / 3T) / (B (l1 - l2))², for
/// T batches with growing weights. `spectrum`: of the second moment, largest first.
double predicted_oja_error(const OjaPlan& plan, double rows, const Vector& spectrum);

}  // namespace eigenveil
