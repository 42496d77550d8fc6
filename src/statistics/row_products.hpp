#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/keyed_hash.hpp"
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// What one pass over bounded rows x says of their Gram matrix G without forming it, all in exact
/// integers and grid units. Private data, for mechanisms alone.
struct RowProducts {
  std::uint64_t count = 0;
  std::vector<Int128> products;  ///< G V, column by column
  std::vector<Int128> sums;      ///< Σ x
  std::vector<Int128> squares;   ///< the diagonal of G
  /// Sum of keyed hashes of the rows: the same for the same rows in any order. A row that is
  /// changed, added or left out moves it, but for one chance in 2^128.
  UInt128 fingerprint = 0;
};

/// G V = Σ x (xᵀ V) for a dimension x m matrix V of whole numbers. BLAS multiplies; sums are kept
/// below 2^53 by cutting xᵀ V into digits, and totals are 128 bits wide. The result depends on the
/// rows alone, not on their order or on threads. Memory: V, and per thread a few times its size.
class ProductPass {
 public:
  /// |V| in every column is at most 2^52 / R, R the norm bound in grid units.
  ProductPass(const RowBound& bound, const Matrix& vectors, const HashKey& key, int threads);
  ~ProductPass();
  ProductPass(const ProductPass&) = delete;
  ProductPass& operator=(const ProductPass&) = delete;

  /// A table to its end; may be called for one part after the other.
  Result<void> add(RowReader& reader);
  RowProducts finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eigenveil
