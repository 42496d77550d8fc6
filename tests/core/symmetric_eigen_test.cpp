#include "core/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "support/seed.hpp"

namespace eigenveil::test::symmetric_eigen_test {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Matrix random_symmetric(Eigen::Index size) {
  std::mt19937_64 generator(test::seed_for("core: symmetric eigen"));
  std::normal_distribution<double> normal;
  Matrix matrix(size, size);
  for (Eigen::Index column = 0; column < size; ++column) {
    for (Eigen::Index row = 0; row <= column; ++row) {
      matrix(row, column) = matrix(column, row) = normal(generator);
    }
  }
  return matrix;
}

/// LAPACK's solvers are backward stable: the computed pairs are exact for A + E with
/// |E| <= c(p) eps |A|, c(p) a modest multiple of p (LAPACK Users' Guide, section 4.7: "in practice
/// p(n) = n or smaller"). Twice that in Frobenius norm covers the residual computed here, whose own
/// rounding is at most p eps |A|_F |V| per column.
double backward_error(const Matrix& matrix) {
  return 3.0 * static_cast<double>(matrix.rows()) * kEpsilon * matrix.norm();
}

bool is_decomposition(const Matrix& matrix, const SymmetricEigen& eigen) {
  const Matrix residual = matrix * eigen.vectors - eigen.vectors * eigen.values.asDiagonal();
  const Matrix gram = eigen.vectors.transpose() * eigen.vectors;
  const Eigen::Index count = eigen.values.size();
  const double orthogonality = (gram - Matrix::Identity(count, count)).norm();
  return residual.norm() <= backward_error(matrix) &&
         orthogonality <= 3.0 * static_cast<double>(matrix.rows()) * kEpsilon *
                              std::sqrt(static_cast<double>(count)) &&
         std::is_sorted(eigen.values.data(), eigen.values.data() + count, std::greater<>());
}

TEST(SymmetricEigen, ResidualsAreBackwardStable) {
  for (const Eigen::Index size : {1, 2, 10, 300}) {
    const Matrix matrix = random_symmetric(size);
    const SymmetricEigen all = symmetric_eigen(matrix);
    EXPECT_EQ(all.values.size(), size);
    EXPECT_TRUE(is_decomposition(matrix, all)) << size;
    EXPECT_NEAR(all.values.sum(), matrix.trace(),
                std::sqrt(static_cast<double>(size)) * backward_error(matrix));
    for (const Eigen::Index count : {Eigen::Index{1}, (size + 1) / 2, size}) {
      const SymmetricEigen top = largest_eigenpairs(matrix, count);
      ASSERT_EQ(top.vectors.cols(), count);
      EXPECT_TRUE(is_decomposition(matrix, top)) << size << ' ' << count;
      EXPECT_LE((top.values - all.values.head(count)).cwiseAbs().maxCoeff(),
                2.0 * backward_error(matrix));
      SymmetricEigen leading = leading_eigenvectors(matrix, count);
      ASSERT_EQ(leading.values.size(), size);
      ASSERT_EQ(leading.vectors.cols(), count);
      EXPECT_LE((leading.values - all.values).cwiseAbs().maxCoeff(), 2.0 * backward_error(matrix));
      leading.values.conservativeResize(count);
      EXPECT_TRUE(is_decomposition(matrix, leading)) << size << ' ' << count;
    }
  }
}

TEST(SymmetricEigen, LeadingVectorsOfRepeatedEigenvalues) {
  for (const Eigen::Index size : {1, 5, 40}) {
    Matrix matrix = Matrix::Identity(size, size);
    matrix.topLeftCorner(1, 1) *= 2.0;
    for (const Eigen::Index count : {Eigen::Index{1}, size}) {
      SymmetricEigen leading = leading_eigenvectors(matrix, count);
      leading.values.conservativeResize(count);
      EXPECT_TRUE(is_decomposition(matrix, leading)) << size << ' ' << count;
    }
  }
}

TEST(SymmetricEigen, TheCheckRejectsBrokenTwins) {
  const Matrix matrix = random_symmetric(10);
  const SymmetricEigen good = symmetric_eigen(matrix);
  ASSERT_TRUE(is_decomposition(matrix, good));
  SymmetricEigen ascending{good.values.reverse(), good.vectors.rowwise().reverse()};
  EXPECT_FALSE(is_decomposition(matrix, ascending));
  SymmetricEigen inaccurate = good;
  inaccurate.values[3] += 1e-11;
  EXPECT_FALSE(is_decomposition(matrix, inaccurate));
  SymmetricEigen swapped = good;
  swapped.vectors.col(0).swap(swapped.vectors.col(1));
  EXPECT_FALSE(is_decomposition(matrix, swapped));
}

TEST(SymmetricEigen, OnlyTheUpperTriangleIsRead) {
  const Matrix matrix = random_symmetric(10);
  Matrix upper = matrix;
  upper.triangularView<Eigen::StrictlyLower>().setConstant(1e9);
  // Not bit by bit: an array that lies elsewhere may be summed in another order.
  EXPECT_TRUE(is_decomposition(matrix, symmetric_eigen(upper)));
  const Vector all = symmetric_eigen(matrix).values;
  EXPECT_LE((largest_eigenpairs(upper, 3).values - all.head(3)).cwiseAbs().maxCoeff(),
            2.0 * backward_error(matrix));
}

TEST(SymmetricEigen, NothingToDo) {
  EXPECT_EQ(symmetric_eigen(Matrix(0, 0)).values.size(), 0);
  EXPECT_EQ(largest_eigenpairs(Matrix::Identity(3, 3), 0).vectors.cols(), 0);
}

}  // namespace
}  // namespace eigenveil::test::symmetric_eigen_test
