#include "statistics/product_buffer.hpp"

#include <algorithm>

#include "core/blas.hpp"

namespace eigenveil {
namespace {

// Three BLAS calls in place of one cost up to a tenth of the speed.
constexpr std::size_t kPackedFrom = 256;
constexpr std::size_t kSquareFrom = 1792;  // columns of three pages and more

template <class Real>
void add_strided(const Real* from, std::size_t stride, std::size_t count, Int128* to) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] += static_cast<std::int64_t>(from[i * stride]);
  }
}

}  // namespace

template <class Real>
bool ProductBuffer<Real>::is_packed(std::size_t dimension) {
  return dimension >= kPackedFrom && dimension < kSquareFrom;
}

template <class Real>
std::size_t ProductBuffer<Real>::entries(std::size_t dimension) {
  return is_packed(dimension) ? triangle_size(dimension) : dimension * dimension;
}

template <class Real>
std::size_t ProductBuffer<Real>::bytes(std::size_t dimension) {
  return entries(dimension) * sizeof(Real);
}

template <class Real>
ProductBuffer<Real>::ProductBuffer(std::size_t dimension) : dimension_(dimension) {}

template <class Real>
void ProductBuffer<Real>::add(const Real* rows, std::size_t count) {
  if (entries_.empty()) {
    entries_ = OwnPages<Real>(entries(dimension_));
    // Read before they are written, as BLAS does, pages would first be shared ones and then be
    // replaced one by one, which stops every other thread each time.
    clear();
  }
  if (is_packed(dimension_)) {
    add_outer_products_packed(rows, dimension_, count, entries_.data());
  } else {
    add_outer_products(rows, dimension_, count, entries_.data());
  }
}

template <class Real>
void ProductBuffer<Real>::add_column(std::size_t column, Int128* to) const {
  if (entries_.empty()) {
    return;
  }
  const std::size_t rows = column + 1;
  if (!is_packed(dimension_)) {
    add_strided(entries_.data() + column * dimension_, 1, rows, to);
    return;
  }
  const std::size_t half = dimension_ / 2;
  const std::size_t height = dimension_ + (dimension_ % 2 == 0 ? 1 : 0);
  if (column >= half) {
    add_strided(entries_.data() + (column - half) * height, 1, rows, to);
  } else {
    add_strided(entries_.data() + half + 1 + column, height, rows, to);
  }
}

template <class Real>
void ProductBuffer<Real>::clear() {
  if (is_packed(dimension_)) {
    std::fill_n(entries_.data(), entries_.size(), Real{0});
    return;
  }
  for (std::size_t j = 0; j < dimension_; ++j) {
    std::fill_n(entries_.data() + j * dimension_, j + 1, Real{0});
  }
}

template class ProductBuffer<float>;
template class ProductBuffer<double>;

}  // namespace eigenveil
