#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "eigenveil/data/bounding.hpp"
#include "statistics/own_pages.hpp"
#include "statistics/product_buffer.hpp"
#include "statistics/shared_totals.hpp"

namespace eigenveil {

/// Rows that wait to be multiplied, and the products of those that were.
template <class Real>
struct ProductsOfRows {
  explicit ProductsOfRows(std::size_t dimension) : products(dimension) {}
  OwnPages<Real> block;
  ProductBuffer<Real> products;
};

/// One thread's share of the pass: bounds rows block by block and adds v vᵀ with BLAS, in
/// floating-point buffers that hold exact integers and are flushed before one could be rounded.
class GramWorker {
 public:
  GramWorker(const RowBound& bound, SharedTotals& totals, std::size_t number);

  /// Bytes that the products of one worker take.
  static std::size_t buffer_bytes(const RowBound& bound);
  /// Rows bounded and multiplied at once.
  static std::size_t block_rows(const RowBound& bound);

  void add(const double* values, std::size_t rows);
  /// Multiplies the rows that wait; the worker then holds nothing but sums.
  void settle();
  /// Adds what was not flushed yet.
  void add_sums(GramTotals& totals) const;
  void add_column(std::size_t column, Int128* to) const;

 private:
  using Single = ProductsOfRows<float>;  // where sums below 2^24 leave room for many rows
  using Double = ProductsOfRows<double>;

  void make_buffers();
  void append(const double* values, std::size_t rows);
  void multiply();
  void flush();

  const RowBound& bound_;
  SharedTotals& totals_;
  std::size_t number_;
  std::size_t rows_per_flush_;
  std::size_t unflushed_ = 0;
  std::size_t waiting_ = 0;     // rows in the block
  std::vector<double> memory_;  // of a few bounded rows
  std::vector<double> sums_;
  std::variant<Single, Double> rows_;
};

}  // namespace eigenveil
