#include "eigenveil/mechanism/pseudo_rows.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "eigenveil/core/blas.hpp"
#include "eigenveil/core/parallel.hpp"
#include "eigenveil/random/normal.hpp"

namespace eigenveil {
namespace {

/// Partial sums are added in a fixed order, so that the rows do not depend on the threads; few
/// enough of them to stay below 64 MB.
std::size_t partial_sums(std::size_t blocks, Eigen::Index columns) {
  const auto bytes = static_cast<std::size_t>(columns * columns) * sizeof(double);
  return std::clamp<std::size_t>((std::size_t{64} << 20U) / bytes, 1,
                                 std::min<std::size_t>(16, blocks));
}

}  // namespace

std::size_t PseudoRows::blocks() const {
  return static_cast<std::size_t>((rows_ + kRowsPerBlock - 1) / kRowsPerBlock);
}

Matrix PseudoRows::gaussian_block(std::size_t index, Eigen::Index columns) const {
  const auto first = static_cast<std::int64_t>(index) * kRowsPerBlock;
  Matrix values(columns, std::min(kRowsPerBlock, rows_ - first));
  RandomStream own = family_.substream(index);
  fill_standard_normal(own, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

Result<PseudoRows> PseudoRows::make(const PseudoFactor& released, const Vector& scales,
                                    RandomStream& stream, int threads) {
  const Eigen::Index p = released.factor.cols();
  if (released.rows < p) {
    return bad_request(
        "pseudo-data needs at least as many rows as columns; release the factor alone");
  }
  PseudoRows result(released.rows, stream.substream(stream.bits64()));
  const std::size_t parts = partial_sums(result.blocks(), p);
  std::vector<Matrix> sums(parts, Matrix::Zero(p, p));
  {
    const BlasThreads single(1);
    parallel_for(parts, threads, [&](std::size_t part) {
      for (std::size_t index = part; index < result.blocks(); index += parts) {
        const Matrix block = result.gaussian_block(index, p);
        add_outer_products(block.data(), static_cast<std::size_t>(p),
                           static_cast<std::size_t>(block.cols()), sums[part].data());
      }
    });
  }
  for (std::size_t part = 1; part < parts; ++part) {
    sums.front() += sums[part];
  }
  const Eigen::LLT<Matrix, Eigen::Upper> cholesky(sums.front());
  const Matrix factor = released.factor * scales.asDiagonal();
  result.mixing_ = cholesky.matrixU().solve(factor).transpose();
  return result;
}

Matrix PseudoRows::block(std::size_t index) const {
  return mixing_ * gaussian_block(index, mixing_.cols());
}

}  // namespace eigenveil
