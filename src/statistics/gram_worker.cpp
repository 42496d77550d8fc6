#include "gram_worker.hpp"

#include <algorithm>
#include <cmath>

#include "eigenveil/core/blas.hpp"
#include "eigenveil/core/multiversion.hpp"

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

template <class Real>
void move_into(Real* from, std::size_t count, Int128* to) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] += static_cast<std::int64_t>(from[i]);
  }
  std::fill_n(from, count, Real{0});
}

}  // namespace

SharedTotals::SharedTotals(std::size_t dimension) : dimension_(dimension) {}

void SharedTotals::allocate() {
  std::call_once(allocated_, [this] {
    totals_.sums.resize(dimension_);
    totals_.products.resize(triangle_size(dimension_));
  });
}

GramTotals SharedTotals::take() && {
  allocate();
  return std::move(totals_);
}

/// Stripes of about equal area in the triangle.
std::size_t SharedTotals::first_column(std::size_t stripe) const {
  const double share = static_cast<double>(stripe) / static_cast<double>(kStripes);
  return static_cast<std::size_t>(std::sqrt(share) * static_cast<double>(dimension_));
}

template <class Real>
void SharedTotals::add(std::size_t worker, std::uint64_t count, std::vector<double>& sums,
                       Real* products) {
  allocate();
  {
    const std::scoped_lock lock(sums_lock_);
    totals_.count += count;
    move_into(sums.data(), dimension_, totals_.sums.data());
  }
  for (std::size_t turn = 0; turn < kStripes; ++turn) {
    const std::size_t stripe = (5 * worker + turn) % kStripes;
    const std::scoped_lock lock(locks_[stripe]);
    for (std::size_t j = first_column(stripe); j < first_column(stripe + 1); ++j) {
      move_into(products + j * dimension_, j + 1, totals_.products.data() + triangle_index(0, j));
    }
  }
}

GramWorker::GramWorker(const RowBound& bound, SharedTotals& totals, std::size_t number)
    : bound_(bound), totals_(totals), number_(number), single_(prefers_single(bound)) {
  const std::int64_t exact = single_ ? kExactSingle : kExactDouble;
  rows_per_flush_ = static_cast<std::size_t>(exact_rows(exact, bound));
}

std::size_t GramWorker::buffer_bytes(const RowBound& bound) {
  return bound.dimension() * bound.dimension() *
         (prefers_single(bound) ? sizeof(float) : sizeof(double));
}

std::size_t GramWorker::block_rows(const RowBound& bound) {
  // OpenBLAS packs 384 rows at a time; more of them are only worth it while they fit a cache.
  constexpr std::size_t kPack = 384;
  constexpr std::size_t kBlockBytes = std::size_t{3} << 19U;
  const std::size_t packs = kBlockBytes / (kPack * sizeof(double) * bound.dimension());
  return kPack * std::clamp<std::size_t>(packs, 1, 10);
}

void GramWorker::make_buffers() {
  if (!sums_.empty()) {
    return;
  }
  const std::size_t dimension = bound_.dimension();
  const std::size_t cells = block_rows(bound_) * dimension;
  sums_.resize(dimension);
  if (single_) {
    single_block_ = ZeroPages<float>(cells);
    single_products_ = ZeroPages<float>(dimension * dimension);
  } else {
    block_ = ZeroPages<double>(cells);
    products_ = ZeroPages<double>(dimension * dimension);
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
  if (single_) {
    to_single(clipped, rows * dimension, single_block_.data() + waiting_ * dimension);
  } else {
    std::copy_n(clipped, rows * dimension, block_.data() + waiting_ * dimension);
  }
  memory_ = std::move(bounded).take_memory();
  waiting_ += rows;
  unflushed_ += rows;
}

void GramWorker::multiply() {
  if (single_) {
    add_outer_products(single_block_.data(), bound_.dimension(), waiting_, single_products_.data());
  } else {
    add_outer_products(block_.data(), bound_.dimension(), waiting_, products_.data());
  }
  waiting_ = 0;
}

void GramWorker::flush() {
  if (waiting_ > 0) {
    multiply();
  }
  if (unflushed_ == 0) {
    return;
  }
  if (single_) {
    totals_.add(number_, unflushed_, sums_, single_products_.data());
  } else {
    totals_.add(number_, unflushed_, sums_, products_.data());
  }
  unflushed_ = 0;
}

void GramWorker::finish() {
  if (waiting_ > 0) {
    multiply();
  }
  memory_ = {};
  block_ = ZeroPages<double>();
  single_block_ = ZeroPages<float>();
  flush();
  sums_ = {};
  products_ = ZeroPages<double>();
  single_products_ = ZeroPages<float>();
}

}  // namespace eigenveil
