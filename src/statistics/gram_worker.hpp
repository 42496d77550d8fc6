#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "zero_pages.hpp"

namespace eigenveil {

/// Totals that several workers add to. Columns are locked in stripes, so that workers which finish
/// together do not wait for each other.
class SharedTotals {
 public:
  explicit SharedTotals(std::size_t dimension);
  /// Adds the rows' count and column sums, and the upper triangle of a dimension x dimension
  /// column-major buffer, which is left zero. Starts at another stripe for every `worker`.
  template <class Real>
  void add(std::size_t worker, std::uint64_t count, std::vector<double>& sums, Real* products);
  /// Zeros if nothing was added.
  GramTotals take() &&;

 private:
  static constexpr std::size_t kStripes = 8;
  std::size_t first_column(std::size_t stripe) const;
  void allocate();

  std::size_t dimension_;
  GramTotals totals_;
  std::once_flag allocated_;  // at the first flush: most tables have only the last one
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
  /// Everything into the totals; the worker keeps no memory.
  void finish();

 private:
  void make_buffers();
  void append(const double* values, std::size_t rows);
  void multiply();
  void flush();

  const RowBound& bound_;
  SharedTotals& totals_;
  std::size_t number_;
  std::size_t rows_per_flush_;
  std::size_t unflushed_ = 0;
  std::vector<double> memory_;  // of a few bounded rows
  ZeroPages<double> block_;     // bounded rows that are multiplied at once
  std::size_t waiting_ = 0;     // rows in the block
  std::vector<double> sums_;
  ZeroPages<double> products_;
  // single precision, when rows_per_flush_ is large enough with 2^24 in place of 2^53
  bool single_;
  ZeroPages<float> single_block_;
  ZeroPages<float> single_products_;
};

}  // namespace eigenveil
