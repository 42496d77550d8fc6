#pragma once

#include <cstddef>
#include <cstdint>

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// Sets the number of OpenBLAS threads for a scope: our own workers call one-thread kernels side by
/// side, decompositions use every core.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

/// upper(totals) += columns * columnsᵀ, with `columns` a dimension x count column-major matrix
/// (that is: `count` rows of data, stored row by row). Integer-valued input below 2^53 in every
/// partial sum makes it exact whatever order BLAS adds in.
void add_outer_products(const double* columns, std::size_t dimension, std::size_t count,
                        double* totals);
/// The same into either triangle of a matrix with `stride` numbers to a column, the other triangle
/// untouched.
enum class Triangle : std::uint8_t { Upper, Lower };
void add_outer_products(Triangle triangle, const double* columns, std::size_t dimension,
                        std::size_t count, double* totals, std::size_t stride);
/// The same in single precision: exact while partial sums stay below 2^24.
void add_outer_products(const float* columns, std::size_t dimension, std::size_t count,
                        float* totals);

/// The same into LAPACK's rectangular full packed format (not transposed, upper): dimension
/// (dimension + 1) / 2 numbers.
void add_outer_products_packed(const double* columns, std::size_t dimension, std::size_t count,
                               double* totals);
void add_outer_products_packed(const float* columns, std::size_t dimension, std::size_t count,
                               float* totals);

/// upper(totals) += columnsᵀ * columns for a dimension x count column-major matrix: the inner
/// products of `count` rows of data stored row by row.
void add_inner_products(const double* columns, std::size_t dimension, std::size_t count,
                        double* totals);

/// A column-major matrix in memory, or its transpose.
struct MatrixInMemory {
  const double* entries = nullptr;
  std::size_t rows = 0;  ///< as it lies there
  std::size_t columns = 0;
  std::size_t stride = 0;  ///< from a column to the next
  bool transposed = false;
};

/// result = a b, or result += a b. Whole numbers whose products' moduli sum to less than 2^53 in
/// every entry are multiplied exactly, whatever order BLAS adds in.
void multiply(const MatrixInMemory& a, const MatrixInMemory& b, double* result,
              std::size_t result_stride, bool add);

/// aᵀ b.
Matrix transposed_product(const Matrix& a, const Matrix& b);

}  // namespace eigenveil
