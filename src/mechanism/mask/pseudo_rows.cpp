#include "mechanism/mask/pseudo_rows.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "core/blas.hpp"
#include "mechanism/mask/triangular_factor.hpp"
#include "random/chi_square.hpp"
#include "random/normal.hpp"

namespace eigenveil {

namespace {

/// U with UᵀU = GᵀG + LᵀL, from Gᵀ and L (empty for the last block).
Matrix upper_of(const Matrix& normals, const Matrix& below) {
  const Eigen::Index p = normals.rows();
  if (normals.cols() < 2 * p) {  // nearly square blocks can be nearly singular
    Matrix stacked(normals.cols() + below.rows(), p);
    stacked.topRows(normals.cols()) = normals.transpose();
    stacked.bottomRows(below.rows()) = below;
    return detail::triangular_factor(std::move(stacked));
  }
  Matrix gram = Matrix::Zero(p, p);
  add_outer_products(normals.data(), static_cast<std::size_t>(p),
                     static_cast<std::size_t>(normals.cols()), gram.data());
  if (below.size() > 0) {
    add_inner_products(below.data(), static_cast<std::size_t>(p), static_cast<std::size_t>(p),
                       gram.data());
  }
  return Eigen::LLT<Matrix, Eigen::Upper>(gram).matrixU();
}

}  // namespace

/// The last block takes the remainder, too.
std::size_t PseudoRows::blocks() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, rows_ / rows_per_block_));
}

Result<PseudoRows> PseudoRows::make(const PseudoFactor& released, const Vector& scales,
                                    RandomStream& stream, std::int64_t rows_per_block) {
  if (released.rows < released.factor.cols()) {
    return bad_request(
        "pseudo-data needs at least as many rows as columns; release the factor alone");
  }
  return PseudoRows(released.rows, std::max<std::int64_t>(rows_per_block, released.factor.cols()),
                    released.factor * scales.asDiagonal(), stream.split());
}

PseudoRows::Block PseudoRows::draw(std::size_t index) const {
  const Eigen::Index p = left_.cols();
  const bool last = index + 1 == blocks();
  const std::int64_t first = static_cast<std::int64_t>(index) * rows_per_block_;
  const std::int64_t end = last ? rows_ : first + rows_per_block_;
  RandomStream own = trusted::substream(family_, index);
  Block block{index, Matrix(p, end - first), {}, {}, {}};
  fill_standard_normal(own, {block.normals.data(), static_cast<std::size_t>(block.normals.size())});
  const Matrix below =
      last ? Matrix(0, p) : wishart_factor(own, static_cast<double>(rows_ - end), p);
  block.upper = upper_of(block.normals, below);
  if (!last) {
    block.rest = block.upper.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(below);
  }
  return block;
}

void PseudoRows::place(Block& block) {
  block.factor = left_;
  if (block.rest.size() > 0) {
    left_ = block.rest.triangularView<Eigen::Upper>() * block.factor;
  }
  ++placed_;
}

Matrix PseudoRows::rows(const Block& block) {
  const Matrix mixing = block.upper.triangularView<Eigen::Upper>().solve(block.factor);
  return transposed_product(mixing, block.normals);
}

Matrix PseudoRows::next() {
  Block block = draw(placed_);
  place(block);
  return rows(block);
}

}  // namespace eigenveil
