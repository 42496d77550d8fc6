#pragma once

#include "eigenveil/core/result.hpp"
#include "mechanism/mask/mask.hpp"

namespace eigenveil {

/// Pseudo-data row block by row block: a uniform (Haar) n x p frame times a released factor.
/// Post-processing of the factor. Every normal is drawn once and memory is O(p^2 + block), because
/// a frame can be drawn from the top: with G the normals of a block and LᵀL ~ Wishart of the rows
/// below it, UᵀU = GᵀG + LᵀL, the block is G U⁻¹ and the rows below are a frame of their own times
/// L U⁻¹ (docs/proofs/masking.md, "A frame from the top").
class PseudoRows {
 public:
  static constexpr std::int64_t kRowsPerBlock = 4096;

  /// `scales`: factor of each column, from scaled units to the units of the output. Refused when
  /// there are fewer rows than columns. The law does not depend on `rows_per_block`, which is
  /// raised to the number of columns: the rows below any block must still hold a frame.
  static Result<PseudoRows> make(const PseudoFactor& released, const Vector& scales,
                                 RandomStream& stream, std::int64_t rows_per_block = kRowsPerBlock);

  std::size_t blocks() const;

  /// The randomness of one block, and where it goes once `place`d.
  struct Block {
    std::size_t index = 0;
    Matrix normals;  ///< Gᵀ
    Matrix upper;    ///< U
    Matrix rest;     ///< L U⁻¹; empty for the last block
    Matrix factor;   ///< what the blocks above left of the released factor
  };
  Block draw(std::size_t index) const;  ///< thread-safe
  void place(Block& block);             ///< once each, in order
  /// The rows of a placed block as the columns of a matrix: row-major memory. Thread-safe.
  static Matrix rows(const Block& block);

  /// The next block's rows: all of the above for callers with one thread.
  Matrix next();

 private:
  PseudoRows(std::int64_t rows, std::int64_t rows_per_block, Matrix factor, RandomStream family)
      : rows_(rows),
        rows_per_block_(rows_per_block),
        left_(std::move(factor)),
        family_(std::move(family)) {}

  std::int64_t rows_;
  std::int64_t rows_per_block_;
  Matrix left_;
  std::size_t placed_ = 0;
  RandomStream family_;
};

}  // namespace eigenveil
