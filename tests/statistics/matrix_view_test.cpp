// A matrix in memory is counted by what it says, not by how it lies there.
#include "eigenveil/data/matrix_view.hpp"

#include <gtest/gtest.h>

#include "eigenveil/core/matrix.hpp"
#include "statistics/gram_support.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::matrix_view_test {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

const RowBound kBound = *RowBound::row_norm(7, 2.0);

Matrix table() {
  std::mt19937_64 engine(seed_for("matrix_view.table"));
  std::normal_distribution<double> normal;
  return Matrix::NullaryExpr(500, 7, [&] { return normal(engine); });
}

ExactGram counted(const MatrixView& rows, int threads = 2) {
  GramAccumulator accumulator(Schema::numbered(7), kBound, threads);
  EXPECT_TRUE(accumulator.add(rows));
  return *accumulator.finish();
}

ExactGram counted_by_reader(const MatrixView& rows) {
  GramAccumulator accumulator(Schema::numbered(7), kBound, 2);
  const auto reader = read_matrix(rows, Schema::numbered(7));
  EXPECT_TRUE(reader && accumulator.add(**reader));
  return *accumulator.finish();
}

/// Sums that a file could not hold are refused before a row is counted.
TEST(MatrixView, NamesAndWidthAreCheckedFirst) {
  const auto refusal = [](Schema schema, const Matrix& rows) {
    GramAccumulator accumulator(std::move(schema), kBound, 1);
    const Result<void> added = accumulator.add(rows);
    return added ? "" : added.error().message;
  };
  Schema schema = Schema::numbered(7);
  EXPECT_EQ(refusal(schema, Matrix::Zero(3, 7)), "");
  EXPECT_EQ(refusal(schema, Matrix::Zero(3, 2000)),
            "the matrix has 2000 columns, but the sums are of 7");
  schema.columns[6] = "a\nb";
  EXPECT_EQ(refusal(schema, Matrix::Zero(3, 7)),
            "the name of column 7 is not one line of plain UTF-8 text");
  schema.columns[6] = "c1";
  EXPECT_EQ(refusal(schema, Matrix::Zero(3, 7)), "there are several columns called c1");
}

TEST(MatrixView, EveryStorageOrderGivesTheSameTotals) {
  const Matrix columns = table();
  const RowMajor rows = columns;
  const ExactGram expected = counted(MatrixView::row_major(rows.data(), 500, 7));
  EXPECT_EQ(counted(columns), expected);
  EXPECT_EQ(counted(rows), expected);
  EXPECT_EQ(counted(columns, 1), expected);
  const Matrix across = columns.transpose();
  EXPECT_EQ(counted(across.transpose()), expected);
  Matrix padded = Matrix::Constant(600, 9, 0.25);
  padded.block(50, 1, 500, 7) = columns;
  EXPECT_EQ(counted(padded.block(50, 1, 500, 7)), expected);
  EXPECT_EQ(counted_by_reader(padded.block(50, 1, 500, 7)), expected);
  EXPECT_EQ(counted_by_reader(rows), expected);
  // The broken twin: the same memory, read in the other order.
  EXPECT_FALSE(counted(MatrixView::row_major(columns.data(), 500, 7)) == expected);
}

TEST(MatrixView, BackwardsIsCountedOrRefused) {
  const Matrix columns = table();
  const Eigen::Map<const Matrix, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> backwards(
      columns.data() + 499, 500, 7, {500, -1});
  EXPECT_EQ(counted(backwards), counted(columns));
  EXPECT_FALSE(read_matrix(backwards, Schema::numbered(7)));
}

TEST(MatrixView, OtherColumnsAreRefused) {
  GramAccumulator accumulator(Schema::numbered(7), kBound, 1);
  EXPECT_FALSE(accumulator.add(Matrix::Zero(3, 6).eval()));
  EXPECT_FALSE(read_matrix(Matrix::Zero(3, 6).eval(), Schema::numbered(7)));
}

TEST(MatrixView, AnEmptyTableIsATable) {
  EXPECT_EQ(counted(Matrix(0, 7)), ExactGram(Schema::numbered(7), kBound));
}

}  // namespace
}  // namespace eigenveil::test::matrix_view_test
