#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

/// Totals that several workers add to. Columns are locked in stripes, so that workers which finish
/// together do not wait for each other.
class SharedTotals {
 public:
  explicit SharedTotals(std::size_t dimension);
  /// Adds the rows' count and column sums, and the upper triangle of a dimension x dimension
  /// column-major buffer, which is left zero. Starts at another stripe for every `worker`.
  template <class Real>
  void add(std::size_t worker, std::uint64_t count, std::vector<double>& sums,
           std::vector<Real>& products);
  GramTotals take() && { return std::move(totals_); }

 private:
  static constexpr std::size_t kStripes = 8;
  std::size_t first_column(std::size_t stripe) const;

  std::size_t dimension_;
  GramTotals totals_;
  std::mutex sums_lock_;
  std::array<std::mutex, kStripes> locks_;
};

/// One thread's share of the pass: bounds rows block by block and adds v vᵀ with BLAS, in
/// floating-point buffers that hold exact integers and are flushed before one could be rounded.
class GramWorker {
 public:
  GramWorker(const RowBound& bound, SharedTotals& totals, std::size_t number);

  /// Bytes one worker of this dimension keeps.
  static std::size_t buffer_bytes(const RowBound& bound);
  /// Rows bounded and multiplied at once.
  static std::size_t block_rows(const RowBound& bound);

  void add(const double* values, std::size_t rows);
  void flush();

 private:
  void add_block(const double* values, std::size_t rows);

  const RowBound& bound_;
  SharedTotals& totals_;
  std::size_t number_;
  std::size_t rows_per_flush_;
  std::size_t unflushed_ = 0;
  std::vector<double> memory_;  // of the bounded block
  std::vector<double> sums_;
  std::vector<double> products_;
  // single precision, when rows_per_flush_ is large enough with 2^24 in place of 2^53
  bool single_;
  std::vector<float> single_block_;
  std::vector<float> single_products_;
};

}  // namespace eigenveil
