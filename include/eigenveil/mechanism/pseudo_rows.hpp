#pragma once

#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/mechanism/mask.hpp"

namespace eigenveil {

/// Pseudo-data row block by row block: a uniform (Haar) n x p frame times a released factor. The
/// frame is G U^-1, G standard normal and UᵀU = GᵀG; G is drawn twice from the same substreams
/// instead of being stored, so memory is O(p^2 + block). Post-processing of the factor.
class PseudoRows {
 public:
  static constexpr std::int64_t kRowsPerBlock = 4096;

  /// `scales`: factor of each column, from scaled units to the units of the output. Refused when
  /// there are fewer rows than columns.
  static Result<PseudoRows> make(const PseudoFactor& released, const Vector& scales,
                                 RandomStream& stream, int threads);

  std::size_t blocks() const;
  /// The rows of one block as the columns of a matrix: row-major memory. Thread-safe.
  Matrix block(std::size_t index) const;

 private:
  PseudoRows(std::int64_t rows, RandomStream family) : rows_(rows), family_(std::move(family)) {}
  Matrix gaussian_block(std::size_t index, Eigen::Index columns) const;

  std::int64_t rows_;
  RandomStream family_;
  Matrix mixing_;  ///< (U^-1 factor diag(scales))ᵀ
};

}  // namespace eigenveil
