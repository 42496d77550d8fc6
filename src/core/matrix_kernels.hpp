#pragma once

#include <Eigen/Core>
#include <complex>

/// The inner loops behind Eigen's matrix products, compiled in one file (matrix_kernels.cpp): every
/// folder that multiplies matrices would compile them again. This header belongs to the precompiled
/// ones; a build without it only takes longer, and no number changes.
#define EIGENVEIL_MATRIX_KERNELS(declare)                                                       \
  declare EIGENVEIL_PANEL_KERNEL(double, false, false);                                         \
  declare EIGENVEIL_PANEL_KERNEL(std::complex<double>, false, false);                           \
  declare EIGENVEIL_PANEL_KERNEL(std::complex<double>, true, false);                            \
  declare EIGENVEIL_PANEL_KERNEL(std::complex<double>, false, true);                            \
  declare EIGENVEIL_PACKED_LEFT(double, Eigen::ColMajor);                                       \
  declare EIGENVEIL_PACKED_LEFT(double, Eigen::RowMajor);                                       \
  declare EIGENVEIL_PACKED_RIGHT(double);                                                       \
  declare EIGENVEIL_PACKED_LEFT(std::complex<double>, Eigen::ColMajor);                         \
  declare EIGENVEIL_PACKED_LEFT(std::complex<double>, Eigen::RowMajor);                         \
  declare EIGENVEIL_PACKED_RIGHT(std::complex<double>);                                         \
  declare EIGENVEIL_TIMES_VECTOR(double, Eigen::ColMajor, false, Eigen::RowMajor, false);       \
  declare EIGENVEIL_TIMES_VECTOR(double, Eigen::RowMajor, false, Eigen::ColMajor, false);       \
  declare EIGENVEIL_TIMES_VECTOR(std::complex<double>, Eigen::ColMajor, false, Eigen::RowMajor, \
                                 false);                                                        \
  declare EIGENVEIL_TIMES_VECTOR(std::complex<double>, Eigen::ColMajor, true, Eigen::RowMajor,  \
                                 false);                                                        \
  declare EIGENVEIL_TIMES_VECTOR(std::complex<double>, Eigen::RowMajor, false, Eigen::ColMajor, \
                                 false);                                                        \
  declare EIGENVEIL_TIMES_VECTOR(std::complex<double>, Eigen::RowMajor, true, Eigen::ColMajor,  \
                                 false)

#define EIGENVEIL_PANEL_KERNEL(Number, conjugate_left, conjugate_right)               \
  struct Eigen::internal::gebp_kernel<                                                \
      Number, Number, Eigen::Index,                                                   \
      Eigen::internal::blas_data_mapper<Number, Eigen::Index, Eigen::ColMajor, 0, 1>, \
      Eigen::internal::gebp_traits<Number, Number>::mr,                               \
      Eigen::internal::gebp_traits<Number, Number>::nr, conjugate_left, conjugate_right>
#define EIGENVEIL_PACKED_LEFT(Number, order)                                                      \
  struct Eigen::internal::gemm_pack_lhs<                                                          \
      Number, Eigen::Index, Eigen::internal::const_blas_data_mapper<Number, Eigen::Index, order>, \
      Eigen::internal::gebp_traits<Number, Number>::mr,                                           \
      Eigen::internal::gebp_traits<Number, Number>::LhsProgress,                                  \
      Eigen::internal::gebp_traits<Number, Number>::LhsPacket4Packing, order>
#define EIGENVEIL_PACKED_RIGHT(Number)                                                \
  struct Eigen::internal::gemm_pack_rhs<                                              \
      Number, Eigen::Index,                                                           \
      Eigen::internal::const_blas_data_mapper<Number, Eigen::Index, Eigen::ColMajor>, \
      Eigen::internal::gebp_traits<Number, Number>::nr, Eigen::ColMajor>
#define EIGENVEIL_TIMES_VECTOR(Number, order, conjugate, vector_order, conjugate_vector)          \
  struct Eigen::internal::general_matrix_vector_product<                                          \
      Eigen::Index, Number, Eigen::internal::const_blas_data_mapper<Number, Eigen::Index, order>, \
      order, conjugate, Number,                                                                   \
      Eigen::internal::const_blas_data_mapper<Number, Eigen::Index, vector_order>,                \
      conjugate_vector, 0>

EIGENVEIL_MATRIX_KERNELS(extern template);
