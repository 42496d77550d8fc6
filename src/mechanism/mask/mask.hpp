#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/release.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/mask/mask_calibration.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// Everything public that a masked release depends on.
struct MaskRequest {
  RowBound bound;
  Budget budget;
  Relation relation = Relation::ZeroRow;
  bool intercept = false;  ///< a leading constant column, which counts in the row norm
  bool published = false;  ///< Ding et al.'s noise instead of the tight one
  int group_size = 1;      ///< rows protected together
};

/// What is released of a block of rows: any n x p pseudo-data with these second moments, uniformly
/// rotated, carries nothing more. factorᵀ factor is the (noisy) Gram in scaled units.
struct PseudoFactor {
  std::int64_t rows = 0;
  Matrix factor;
};

/// The exact number of rows, where the relation makes it public; 0 otherwise.
std::int64_t public_rows(const ExactGram& gram, Relation relation);

/// The constant of the intercept column in grid units: 1 in scaled units, rounded to the grid, or
/// the norm of the longest row where that is less (a longer constant would cost noise for nothing).
/// Divide the released column by it.
std::int64_t intercept_constant(const RowBound& bound);

/// How far one row moves between neighbours, zero-row or replace-one, at most (scaled units). The
/// intercept never moves.
double row_change(const RowBound& bound, Relation relation);

/// Masked rows A (X + C), C Gaussian with standard deviation sigma and A a uniform orthogonal
/// matrix that is never formed: everything but a uniform frame is in W = (X + C)ᵀ(X + C), drawn
/// from the exact Gram as (S + C1)ᵀ(S + C1) + Wishart(n - p), SᵀS the Gram. Neighbours zero-row or
/// replace-one. Proof: docs/proofs/masking.md.
class MaskPlan {
 public:
  struct Noise {
    MaskShape shape;
    double masked = 0.0;  ///< what the mask's own proof asks for
    double sigma = 0.0;   ///< the smaller of that and of the noise that needs no mask
  };
  /// The noise of a plan without its trade-off curve, which takes longer than the noise.
  static Result<Noise> noise(const MaskRequest& request, std::int64_t smallest_block);
  /// What can be refused before a row is read: budget kind, relation, bound.
  static Result<void> check(const MaskRequest& request);
  /// Before the number of rows is known: the pair that was asked for, which is what a ledger is
  /// charged. Whatever the rows, the guarantee of a plan implies it and supposes no less.
  static Result<Guarantee> promised(const MaskRequest& request);
  /// `smallest_block`: public number of rows of the smallest block (all rows without blocks).
  static Result<MaskPlan> make(const MaskRequest& request, std::int64_t smallest_block);

  double sigma() const { return sigma_; }  ///< scaled units
  const MaskShape& shape() const { return shape_; }
  const Guarantee& guarantee() const { return guarantee_; }

  /// One block of rows; it must have at least smallest_block of them.
  Result<Release<PseudoFactor>> run(const ExactGram& gram, RandomStream& stream) const;

 private:
  MaskPlan(MaskRequest request, MaskShape shape, double sigma, Guarantee guarantee)
      : request_(std::move(request)),
        shape_(shape),
        sigma_(sigma),
        guarantee_(std::move(guarantee)) {}

  MaskRequest request_;
  MaskShape shape_;
  double sigma_;
  Guarantee guarantee_;
};

namespace trusted {
/// The draw itself: the caller has shown that `sigma` (scaled units) fits the rows. MaskPlan, and
/// the audit for its mutants, are the only callers.
PseudoFactor draw_masked_factor(const ExactGram& gram, bool intercept, double sigma,
                                RandomStream& stream);
}  // namespace trusted

/// The sums of row products of a noisy moment, with the column of ones first on request: unbiased,
/// where a factor holds the nearest positive semidefinite matrix.
Matrix noisy_gram(const NoisyMoment& moment, bool intercept);

/// Pseudo-data from a Gaussian-noised Gram (`mask --method gauss`): a factor of its nearest
/// positive semidefinite matrix. Post-processing: the guarantee is that of the moment.
PseudoFactor factor_of(const NoisyMoment& moment, bool intercept);

}  // namespace eigenveil
