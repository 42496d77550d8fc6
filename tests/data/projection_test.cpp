// Rows inside of a public basis: each is mapped alone, in a fixed order, whatever stands beside it.
#include "data/projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "data/array_rows.hpp"
#include "table_support.hpp"

namespace eigenveil::test::projection_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Made-up cells that round in every sum.
double cell(std::size_t i, std::size_t j) {
  return std::sin(1.0 + 3.7 * static_cast<double>(i) + 1.3 * static_cast<double>(j * j));
}

PublicBasis basis_of(Eigen::Index p, Eigen::Index k) {
  PublicBasis basis;
  basis.directions.resize(p, k);
  for (Eigen::Index j = 0; j < p; ++j) {
    for (Eigen::Index i = 0; i < k; ++i) {
      // Another frequency for every direction: sin(a_i + b_j) would have rank two.
      basis.directions(j, i) = std::sin(1.0 + 0.37 * static_cast<double>((i + 1) * (j + 1)));
    }
  }
  return *orthonormal(basis);
}

std::vector<double> projected(const std::vector<double>& cells, const RowBound& bound,
                              const PublicBasis& basis) {
  const std::size_t p = bound.dimension();
  Schema schema;
  for (std::size_t j = 0; j < p; ++j) {
    schema.columns.push_back("c" + std::to_string(j));
  }
  const auto reader = project_rows(*read_array({cells.data(), cells.size() / p, p, p * 8, 8},
                                               schema, BadCell::Midpoint, MissingCell::Midpoint),
                                   bound, false, basis);
  RawRows block;
  EXPECT_TRUE(reader->read(block));
  EXPECT_EQ(block.dimension, basis.dimension());
  return block.values;
}

TEST(Projection, CoordinatesOfDeviations) {
  const PublicBasis basis = basis_of(7, 3);
  const RowBound bound = *RowBound::ranges(std::vector<ColumnRange>(7, {0.0, 4.0}));
  std::vector<double> row = {1, 2, 3, 4, 9, -5, kNan};
  const std::vector<double> y = projected(row, bound, basis);
  Vector x(7);
  x << -1, 0, 1, 2, 2, -2, 0;  // about the midpoint 2, clipped to the range
  for (Eigen::Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(y[static_cast<std::size_t>(k)], basis.directions.col(k).dot(x), 1e-14);
  }
  row[2] = kInfinity;  // no number: as if missing
  const std::vector<double> without = projected(row, bound, basis);
  x[2] = 0.0;
  for (Eigen::Index k = 0; k < 3; ++k) {
    EXPECT_NEAR(without[static_cast<std::size_t>(k)], basis.directions.col(k).dot(x), 1e-14);
  }
}

// A sum whose order depended on the place of a row in its block would let one person move the last
// digits of all others, and after rounding their whole grid steps.
TEST(Projection, ARowDoesNotDependOnItsNeighbours) {
  constexpr std::size_t kColumns = 203;
  const PublicBasis basis = basis_of(kColumns, 13);
  const RowBound bound = *RowBound::row_norm(kColumns, 1.0);
  std::vector<double> cells;
  for (std::size_t i = 0; i < 21; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      cells.push_back(cell(i, j));
    }
  }
  const std::vector<double> together = projected(cells, bound, basis);
  for (std::size_t i = 0; i < 21; ++i) {
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(i * kColumns);
    const std::vector<double> alone =
        projected(std::vector<double>(first, first + kColumns), bound, basis);
    for (std::size_t k = 0; k < 13; ++k) {
      EXPECT_EQ(alone[k], together[i * 13 + k]) << i << " " << k;
    }
  }
}

TEST(Projection, ABasisIsMadeOrthonormalOrRefused) {
  const PublicBasis basis = basis_of(9, 4);
  const Matrix gram = basis.directions.transpose() * basis.directions;
  EXPECT_LT((gram - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ(orthonormal(basis)->directions, basis.directions);  // one that is stays
  PublicBasis twice = basis;
  twice.directions.col(1) = twice.directions.col(0);
  EXPECT_FALSE(orthonormal(twice));
  twice.directions(0, 0) = kNan;
  EXPECT_FALSE(orthonormal(twice));
  PublicBasis wide;
  wide.directions = Matrix::Identity(2, 3);
  EXPECT_FALSE(orthonormal(wide));
}

TEST(Projection, BasesAreReadAsReleasesWriteThem) {
  const TemporaryFile file("column,counted_allele,PC1,PC2\nrs1,A,1,0\n\"rs,2\",G,0,1\n", ".csv");
  const Result<PublicBasis> basis = read_basis(file.path());
  ASSERT_TRUE(basis);
  EXPECT_EQ(basis->columns, (std::vector<std::string>{"rs1", "rs,2"}));
  EXPECT_EQ(basis->counted_alleles, (std::vector<std::string>{"A", "G"}));
  EXPECT_EQ(basis->directions, Matrix::Identity(2, 2));
  for (const char* wrong : {"", "column\n", "name,PC1\na,1\n", "column,PC1\na,1,2\n",
                            "column,PC1\na,x\n", "column,PC1\na,\n"}) {
    EXPECT_FALSE(read_basis(TemporaryFile(wrong, ".csv").path())) << wrong;
  }
}

}  // namespace
}  // namespace eigenveil::test::projection_test
