#include "core/blas.hpp"

#include <cblas.h>

#include "core/blas_kernels.hpp"
#include "core/lapacke.hpp"

namespace eigenveil {
namespace {

/// Before `main`, while no other thread can be inside OpenBLAS.
[[maybe_unused]] const bool kernels_corrected = correct_blas_kernels();

}  // namespace

BlasThreads::BlasThreads(int threads) : before_(openblas_get_num_threads()) {
  openblas_set_num_threads(threads);
}

BlasThreads::~BlasThreads() {
  openblas_set_num_threads(before_);
}

void add_outer_products(const double* columns, std::size_t dimension, std::size_t count,
                        double* totals) {
  add_outer_products(Triangle::Upper, columns, dimension, count, totals, dimension);
}

void add_outer_products(Triangle triangle, const double* columns, std::size_t dimension,
                        std::size_t count, double* totals, std::size_t stride) {
  const auto p = static_cast<blasint>(dimension);
  cblas_dsyrk(CblasColMajor, triangle == Triangle::Upper ? CblasUpper : CblasLower, CblasNoTrans, p,
              static_cast<blasint>(count), 1.0, columns, p, 1.0, totals,
              static_cast<blasint>(stride));
}

void add_outer_products(const float* columns, std::size_t dimension, std::size_t count,
                        float* totals) {
  const auto p = static_cast<blasint>(dimension);
  cblas_ssyrk(CblasColMajor, CblasUpper, CblasNoTrans, p, static_cast<blasint>(count), 1.0F,
              columns, p, 1.0F, totals, p);
}

void add_outer_products_packed(const double* columns, std::size_t dimension, std::size_t count,
                               double* totals) {
  const auto p = static_cast<lapack_int>(dimension);
  LAPACKE_dsfrk_work(LAPACK_COL_MAJOR, 'N', 'U', 'N', p, static_cast<lapack_int>(count), 1.0,
                     columns, p, 1.0, totals);
}

void add_outer_products_packed(const float* columns, std::size_t dimension, std::size_t count,
                               float* totals) {
  const auto p = static_cast<lapack_int>(dimension);
  LAPACKE_ssfrk_work(LAPACK_COL_MAJOR, 'N', 'U', 'N', p, static_cast<lapack_int>(count), 1.0F,
                     columns, p, 1.0F, totals);
}

void add_inner_products(const double* columns, std::size_t dimension, std::size_t count,
                        double* totals) {
  const auto n = static_cast<blasint>(count);
  const auto p = static_cast<blasint>(dimension);
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, n, p, 1.0, columns, p, 1.0, totals, n);
}

void multiply(const MatrixInMemory& a, const MatrixInMemory& b, double* result,
              std::size_t result_stride, bool add) {
  cblas_dgemm(CblasColMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans,
              static_cast<blasint>(a.transposed ? a.columns : a.rows),
              static_cast<blasint>(b.transposed ? b.rows : b.columns),
              static_cast<blasint>(a.transposed ? a.rows : a.columns), 1.0, a.entries,
              static_cast<blasint>(a.stride), b.entries, static_cast<blasint>(b.stride),
              add ? 1.0 : 0.0, result, static_cast<blasint>(result_stride));
}

Matrix transposed_product(const Matrix& a, const Matrix& b) {
  Matrix result(a.cols(), b.cols());
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(a.cols()),
              static_cast<blasint>(b.cols()), static_cast<blasint>(a.rows()), 1.0, a.data(),
              static_cast<blasint>(a.rows()), b.data(), static_cast<blasint>(b.rows()), 0.0,
              result.data(), static_cast<blasint>(result.rows()));
  return result;
}

}  // namespace eigenveil
