#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// Positions are clamped at this many steps.
inline constexpr double kLargestPosition = 0x1p44;
/// Coordinates of reference points are normal with variance at most 1: beyond 8 with probability
/// below 2e-15. Finer steps than this would cut them off.
inline constexpr double kFinestStep = 8.0 / kLargestPosition;

/// Sizes of the approximate case; public.
struct GroupShape {
  std::size_t dimension = 0;   ///< d
  std::size_t subspace = 1;    ///< k
  std::size_t references = 4;  ///< q
  std::size_t groups = 0;      ///< t
  std::size_t per_group = 0;   ///< m
  double step = 1.0;           ///< of the grid positions are rounded to
  std::size_t coordinates() const { return references * dimension; }
};

/// Where every group puts the reference points: q d whole numbers (in steps) per group, made on
/// demand from the d x k frame of the group and its k x q coefficients, so that memory is O(d k t).
/// A position depends on the rows of its own group and on public numbers alone, which is all that
/// the aggregators' proofs ask of it. Private.
struct GroupPositions {
  GroupShape shape;
  Matrix frames;        ///< d x (k t): k columns per group
  Matrix coefficients;  ///< k x (q t): q columns per group, in steps
  /// Groups whose rows have no k leading directions (fewer than k independent rows): near nobody.
  std::vector<std::uint8_t> abstains;

  /// Groups at given places (one column of whole numbers each), none of which abstains: for attacks
  /// and tests. The shape must have k = q = 1.
  static GroupPositions at(const GroupShape& shape, const Matrix& places);

  Eigen::Index groups() const { return static_cast<Eigen::Index>(shape.groups); }
  Eigen::Index length() const { return static_cast<Eigen::Index>(shape.coordinates()); }
  /// Coordinates begin, ..., begin + count - 1 of a group's position: whole numbers of at most
  /// kLargestPosition.
  void write(Eigen::Index group, Eigen::Index begin, Eigen::Index count, double* out) const;
};

/// Independent standard normal reference points, d x q: public, drawn without looking.
Matrix draw_reference_points(const GroupShape& shape, RandomStream& stream);

/// The span of the k leading directions of `points` (d x m, one point per column), orthonormal.
/// Never forms a d x d matrix when m < d. Points that are not finite count as zero. Nothing if the
/// points span fewer than k dimensions, to double precision.
std::optional<Matrix> leading_frame(Matrix points, std::size_t subspace);

/// Rows in, positions out, one block of groups at a time: memory O(d (m + k t)).
class GroupBuilder {
 public:
  GroupBuilder(const GroupShape& shape, Matrix reference_points, int threads);
  /// The next row, d numbers, in the order of the table; rows beyond t m are not used.
  void add(const double* row);
  /// Groups that are not complete (there are none when t m rows came) abstain.
  GroupPositions finish() &&;

 private:
  void place_waiting();
  Matrix reference_points_;
  int threads_;
  std::vector<Matrix> waiting_;  ///< blocks d x m, complete but for the last
  std::size_t filled_ = 0;       ///< points in the last block
  std::size_t placed_ = 0;
  GroupPositions positions_;
};

/// Top-k directions of noisy reference points (d x q): post-processing of a release. Also the k-th
/// singular value, which says how well they are determined: 0 if there are no k directions.
struct ReferenceSpan {
  Matrix frame;
  double smallest_singular = 0.0;
};
ReferenceSpan span_of_references(const Matrix& reference_points, std::size_t subspace);

}  // namespace eigenveil
