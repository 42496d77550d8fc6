#pragma once

#include <cstddef>
#include <cstdint>

#include "eigenveil/core/integers.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/bounded.hpp"
#include "eigenveil/privacy/relation.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

/// What is released beside the p x p sum of x xᵀ, as entries of the Gram of the extended row (t,
/// x).
enum class Extension : std::uint8_t {
  None,   ///< nothing
  Count,  ///< t² n: the row count
  Full,   ///< t² n and t Σ x: row count and mean
  /// Nothing: rows hold a constant and indicators of presence among their columns. A zero row has
  /// its cells present, so it is another row, not none: zero-row is calibrated as replace-one.
  Indicators,
};

/// Whether Gaussian noise treats the trace of Σ x xᵀ like every other direction of symmetric
/// matrices, or gives it a variance of its own (docs/proofs/trace_noise.md).
enum class TraceNoise : std::uint8_t { LikeEntries, Apart };

/// The public shape of a second-moment release: everything its sensitivity depends on.
struct MomentShape {
  std::size_t dimension = 0;
  Int128 norm2_bound = 0;  ///< R² in grid units
  Extension extension = Extension::None;
  std::int64_t constant = 0;  ///< t in grid units
  Relation relation = Relation::AddRemove;
  TraceNoise trace = TraceNoise::LikeEntries;

  /// Where the row count is public, t² n carries no noise and is not among the entries.
  bool releases_count() const;
  bool releases_sums() const { return extension == Extension::Full; }
  std::size_t entries() const;
  /// Rows of the matrix that joint noise is drawn for: the extended Gram's where sums are released.
  std::size_t noise_dimension() const { return dimension + (releases_sums() ? 1 : 0); }
};

/// The shape for rows within `bound`, with t = constant_share * R rounded to the grid (at least 1).
MomentShape moment_shape(const RowBound& bound, Extension extension, Relation relation,
                         double constant_share);

/// How far the released entries can move between neighbours, in grid units, rounded up. The
/// Frobenius norm counts an off-diagonal entry twice. Refused for relations that do not speak of
/// bounded rows. Proof: docs/proofs/second_moment.md.
Result<double> frobenius_sensitivity(const MomentShape& shape);
Result<double> upper_triangle_l1_sensitivity(const MomentShape& shape);
/// Sum of the moduli of the eigenvalues of the change, a count beside the matrix added to it.
Result<double> nuclear_sensitivity(const MomentShape& shape);

/// The exact integers of a shape, read from private totals: the count (if released), the sums (if
/// released), then the packed upper triangle. Refers to the totals, which must outlive it.
class SecondMoment {
 public:
  SecondMoment(const ExactGram& gram, const MomentShape& shape);
  SecondMoment(const GramTotals& totals, const MomentShape& shape)
      : totals_(&totals), shape_(shape) {}
  const MomentShape& shape() const { return shape_; }
  std::uint64_t count() const { return totals_->count; }
  Int128 entry(std::size_t index) const;

 private:
  const GramTotals* totals_;
  MomentShape shape_;
};

/// The statistic with its sensitivity: the only way into the additive mechanisms.
Result<Bounded<SecondMoment, FrobeniusNorm>> frobenius_bounded(const ExactGram& gram,
                                                               const MomentShape& shape);
Result<Bounded<SecondMoment, UpperTriangleL1Norm>> l1_bounded(const ExactGram& gram,
                                                              const MomentShape& shape);
Result<Bounded<SecondMoment, NuclearNorm>> nuclear_bounded(const ExactGram& gram,
                                                           const MomentShape& shape);

}  // namespace eigenveil
