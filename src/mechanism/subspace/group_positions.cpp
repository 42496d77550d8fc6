#include "mechanism/subspace/group_positions.hpp"

#include <algorithm>
#include <cmath>

#include "core/blas.hpp"
#include "core/decompositions.hpp"
#include "core/multiversion.hpp"
#include "core/parallel.hpp"
#include "core/symmetric_eigen.hpp"
#include "random/normal.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

/// Squares of singular values below this share of the largest are rounding errors.
constexpr double kNegligibleEigenvalue = 1e-14;

/// Scales by a power of two so that squares neither overflow nor vanish.
void normalise(Matrix& points) {
  for (Index j = 0; j < points.cols(); ++j) {
    if (!points.col(j).allFinite()) {
      points.col(j).setZero();
    }
  }
  const double largest = points.size() > 0 ? points.cwiseAbs().maxCoeff() : 0.0;
  if (largest > 0.0) {
    points *= std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
  }
}

/// out = clamp(round(columns * weights)). The order of additions is fixed and no product is fused,
/// so that the numbers depend on these arguments alone.
EIGENVEIL_MULTIVERSION
void combine(const double* columns, Index stride, const double* weights, Index terms, Index count,
             double* out) {
  for (Index i = 0; i < count; ++i) {
    out[i] = weights[0] * columns[i];
  }
  for (Index l = 1; l < terms; ++l) {
    const double* column = columns + l * stride;
    const double weight = weights[l];
    for (Index i = 0; i < count; ++i) {
      out[i] += weight * column[i];
    }
  }
  // Adding 1.5 * 2^52 leaves no bits after the point: rounds to nearest for |x| <= 2^44.
  static_assert(kLargestPosition <= 0x1p44);
  constexpr double kShift = 0x1.8p52;
  for (Index i = 0; i < count; ++i) {
    const double above =
        out[i] > -kLargestPosition ? out[i] : -kLargestPosition;  // also not a number
    const double inside = above < kLargestPosition ? above : kLargestPosition;
    out[i] = (inside + kShift) - kShift;
  }
}

}  // namespace

GroupPositions GroupPositions::at(const GroupShape& shape, const Matrix& places) {
  return {shape, places, Matrix::Ones(1, places.cols()),
          std::vector<std::uint8_t>(static_cast<std::size_t>(places.cols()), 0)};
}

void GroupPositions::write(Index group, Index begin, Index count, double* out) const {
  const auto k = static_cast<Index>(shape.subspace);
  const auto q = static_cast<Index>(shape.references);
  const Index d = frames.rows();
  while (count > 0) {
    const Index reference = begin / d;
    const Index row = begin % d;
    const Index length = std::min(count, d - row);
    combine(frames.col(group * k).data() + row, d, coefficients.col(group * q + reference).data(),
            k, length, out);
    begin += length;
    count -= length;
    out += length;
  }
}

Matrix draw_reference_points(const GroupShape& shape, RandomStream& stream) {
  Matrix points(static_cast<Index>(shape.dimension), static_cast<Index>(shape.references));
  fill_standard_normal(stream, {points.data(), static_cast<std::size_t>(points.size())});
  return points;
}

std::optional<Matrix> leading_frame(Matrix points, std::size_t subspace) {
  normalise(points);
  const auto k = static_cast<Index>(subspace);
  const Index d = points.rows();
  const Index m = points.cols();
  if (m < k) {
    return std::nullopt;
  }
  const SymmetricEigen eigen = largest_eigenpairs(
      m < d ? Matrix(points.transpose() * points) : Matrix(points * points.transpose()), k);
  if (!(eigen.values[k - 1] > kNegligibleEigenvalue * eigen.values[0])) {
    return std::nullopt;
  }
  if (m >= d) {
    return eigen.vectors;
  }
  // Left singular vectors from the m x m Gram matrix, and one step of subspace iteration for what
  // squaring lost.
  const Matrix frame = detail::orthonormal_frame(Matrix(points * eigen.vectors));
  return detail::orthonormal_frame(Matrix(points * (points.transpose() * frame)));
}

GroupBuilder::GroupBuilder(const GroupShape& shape, Matrix reference_points, int threads)
    : reference_points_(std::move(reference_points)), threads_(std::max(1, threads)) {
  positions_.shape = shape;
  const auto k = static_cast<Index>(shape.subspace);
  const auto t = static_cast<Index>(shape.groups);
  positions_.frames = Matrix::Zero(static_cast<Index>(shape.dimension), k * t);
  positions_.coefficients = Matrix::Zero(k, static_cast<Index>(shape.references) * t);
  positions_.abstains.assign(shape.groups, 1);
}

void GroupBuilder::add(const double* row) {
  const GroupShape& shape = positions_.shape;
  if (placed_ + waiting_.size() == shape.groups && filled_ == shape.per_group) {
    return;
  }
  if (placed_ == shape.groups) {
    return;
  }
  if (waiting_.empty() || filled_ == shape.per_group) {
    waiting_.emplace_back(static_cast<Index>(shape.dimension), static_cast<Index>(shape.per_group));
    filled_ = 0;
  }
  std::copy_n(row, shape.dimension, waiting_.back().col(static_cast<Index>(filled_)).data());
  ++filled_;
  const bool block_full = filled_ == shape.per_group;
  const bool last = placed_ + waiting_.size() == shape.groups;
  if (block_full && (last || waiting_.size() == static_cast<std::size_t>(threads_))) {
    place_waiting();
  }
}

void GroupBuilder::place_waiting() {
  const GroupShape& shape = positions_.shape;
  // One thread per decomposition: the result must not depend on what other groups hold.
  const BlasThreads one(1);
  parallel_for(waiting_.size(), threads_, [&](std::size_t i) {
    const std::optional<Matrix> frame = leading_frame(std::move(waiting_[i]), shape.subspace);
    if (!frame) {
      return;
    }
    positions_.abstains[placed_ + i] = 0;
    const auto group = static_cast<Index>(placed_ + i);
    const Index q = reference_points_.cols();
    positions_.coefficients.middleCols(group * q, q) =
        (frame->transpose() * reference_points_) / shape.step;
    positions_.frames.middleCols(group * frame->cols(), frame->cols()) = *frame;
  });
  placed_ += waiting_.size();
  waiting_.clear();
  filled_ = 0;
}

GroupPositions GroupBuilder::finish() && {
  return std::move(positions_);
}

ReferenceSpan span_of_references(const Matrix& reference_points, std::size_t subspace) {
  std::optional<Matrix> frame = leading_frame(reference_points, subspace);
  if (!frame) {
    return {};
  }
  const Matrix inside = frame->transpose() * reference_points;  // k x q
  const auto k = static_cast<Index>(subspace);
  const double smallest = symmetric_eigen(inside * inside.transpose()).values[k - 1];
  return {std::move(*frame), std::sqrt(std::max(0.0, smallest))};
}

}  // namespace eigenveil
