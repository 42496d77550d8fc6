#include "core/blas_kernels.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/blas.hpp"

namespace eigenveil::test::blas_kernels_test {
namespace {

TEST(BlasKernels, AProcessorWithVectorsIsNotGivenTheKernelsOf2004) {
  if (best_blas_kernels().empty() || std::getenv("OPENBLAS_CORETYPE") != nullptr) {
    GTEST_SKIP() << "OpenBLAS decides here";
  }
  const BlasThreads one(1);  // links the file whose start corrects the choice
  EXPECT_STRNE(openblas_get_corename(), "Prescott");
  EXPECT_FALSE(correct_blas_kernels()) << "the correction must have run before main";
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr) << "children must decide for themselves";
}

/// Sums of integers are exact with every kernel, at sizes that are no multiple of any block.
TEST(BlasKernels, SumsOfIntegersAreExact) {
  constexpr std::size_t kColumns = 67;
  constexpr std::size_t kRows = 301;
  std::vector<double> rows(kColumns * kRows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<double>((i * 7919) % 2048) - 1024;
  }
  std::vector<double> totals(kColumns * kColumns);
  add_outer_products(rows.data(), kColumns, kRows, totals.data());
  for (std::size_t a = 0; a < kColumns; ++a) {
    for (std::size_t b = a; b < kColumns; ++b) {
      double exact = 0;
      for (std::size_t r = 0; r < kRows; ++r) {
        exact += rows[r * kColumns + a] * rows[r * kColumns + b];
      }
      ASSERT_EQ(totals[a + b * kColumns], exact) << a << ", " << b;
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::blas_kernels_test
