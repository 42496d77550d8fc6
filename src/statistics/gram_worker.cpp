#include "statistics/gram_worker.hpp"

#include <algorithm>
#include <cmath>

#include "core/multiversion.hpp"

namespace eigenveil {
namespace {

// Every partial sum of `rows` products is at most rows * max_abs^2 and must be an exact integer.
constexpr std::int64_t kExactDouble = std::int64_t{1} << 53U;
constexpr std::int64_t kExactSingle = std::int64_t{1} << 24U;
// Single precision is worth it when a flush (p^2 / 2 additions of 128 bits) comes this rarely.
constexpr std::int64_t kRowsWorthSingle = 1024;

std::int64_t exact_rows(std::int64_t exact, const RowBound& bound) {
  return exact / (bound.max_abs() * bound.max_abs());
}

bool prefers_single(const RowBound& bound) {
  return exact_rows(kExactSingle, bound) >= kRowsWorthSingle;
}

EIGENVEIL_MULTIVERSION
void add_column_sums(const double* rows, std::size_t count, std::size_t dimension, double* sums) {
  for (std::size_t i = 0; i < count; ++i, rows += dimension) {
    for (std::size_t j = 0; j < dimension; ++j) {
      sums[j] += rows[j];
    }
  }
}

EIGENVEIL_MULTIVERSION
void to_single(const double* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = static_cast<float>(from[i]);
  }
}

void copy(const double* from, std::size_t count, float* to) {
  to_single(from, count, to);
}

void copy(const double* from, std::size_t count, double* to) {
  std::copy_n(from, count, to);
}

}  // namespace

GramWorker::GramWorker(const RowBound& bound, SharedTotals& totals, std::size_t number)
    : bound_(bound), totals_(totals), number_(number), rows_(Double(bound.dimension())) {
  const bool single = prefers_single(bound);
  if (single) {
    rows_ = Single(bound.dimension());
  }
  rows_per_flush_ =
      static_cast<std::size_t>(exact_rows(single ? kExactSingle : kExactDouble, bound));
}

std::size_t GramWorker::buffer_bytes(const RowBound& bound) {
  return prefers_single(bound) ? ProductBuffer<float>::bytes(bound.dimension())
                               : ProductBuffer<double>::bytes(bound.dimension());
}

std::size_t GramWorker::block_rows(const RowBound& bound) {
  // OpenBLAS is about as fast with a hundred rows as with the 384 it packs at a time. The block and
  // BLAS's copy of it should stay small beside the products: p / 4 rows are p^2 / 4 numbers.
  constexpr std::size_t kStep = 32;
  return std::clamp<std::size_t>(bound.dimension() / 4 / kStep * kStep, 3 * kStep, 12 * kStep);
}

void GramWorker::make_buffers() {
  if (sums_.empty()) {
    sums_.resize(bound_.dimension());
    std::visit(
        [&]<class Real>(ProductsOfRows<Real>& rows) {
          rows.block = OwnPages<Real>(block_rows(bound_) * bound_.dimension());
        },
        rows_);
  }
}

void GramWorker::add(const double* values, std::size_t rows) {
  // Clipped and copied while they are in the first cache.
  constexpr std::size_t kPieceBytes = std::size_t{1} << 16U;
  const std::size_t dimension = bound_.dimension();
  const std::size_t piece = std::max<std::size_t>(1, kPieceBytes / (sizeof(double) * dimension));
  const std::size_t most = block_rows(bound_);
  make_buffers();
  while (rows > 0) {
    const std::size_t now = std::min({rows, piece, most - waiting_, rows_per_flush_ - unflushed_});
    append(values, now);
    values += now * dimension;
    rows -= now;
    if (waiting_ == most) {
      multiply();
    }
    if (unflushed_ == rows_per_flush_) {
      flush();
    }
  }
}

void GramWorker::append(const double* values, std::size_t rows) {
  const std::size_t dimension = bound_.dimension();
  BoundedRows bounded = BoundedRows::clip(bound_, values, rows, std::move(memory_));
  const double* clipped = bounded.values().data();
  add_column_sums(clipped, rows, dimension, sums_.data());
  std::visit(
      [&](auto& own) { copy(clipped, rows * dimension, own.block.data() + waiting_ * dimension); },
      rows_);
  memory_ = std::move(bounded).take_memory();
  waiting_ += rows;
  unflushed_ += rows;
}

void GramWorker::multiply() {
  std::visit([&](auto& own) { own.products.add(own.block.data(), waiting_); }, rows_);
  waiting_ = 0;
}

void GramWorker::flush() {
  if (waiting_ > 0) {
    multiply();
  }
  totals_.add(number_, *this);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::visit([](auto& own) { own.products.clear(); }, rows_);
  unflushed_ = 0;
}

void GramWorker::settle() {
  if (waiting_ > 0) {
    multiply();
  }
  memory_ = {};
  std::visit([](auto& own) { own.block = {}; }, rows_);
}

void GramWorker::add_sums(GramTotals& totals) const {
  totals.count += unflushed_;
  for (std::size_t j = 0; j < sums_.size(); ++j) {
    totals.sums[j] += static_cast<std::int64_t>(sums_[j]);
  }
}

void GramWorker::add_column(std::size_t column, Int128* to) const {
  std::visit([&](const auto& own) { own.products.add_column(column, to); }, rows_);
}

}  // namespace eigenveil
