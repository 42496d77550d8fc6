// The second moment inside a released subspace: its value, and how far one row can move it.
#include "mechanism/moment/projected_moment.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "random/haar.hpp"
#include "random/normal.hpp"
#include "support/alpha_ledger.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::projected_moment_test {
namespace {

constexpr std::size_t kColumns = 7;
constexpr Eigen::Index kFrame = 3;

RowBound unequal_ranges() {
  std::vector<ColumnRange> ranges;
  for (std::size_t j = 0; j < kColumns; ++j) {
    ranges.push_back({-1.0, 1.0 + 10.0 * static_cast<double>(j)});
  }
  return *RowBound::ranges(ranges);
}

ExactGram gram_of(const RowBound& bound, const Matrix& rows) {
  Schema schema;
  for (std::size_t j = 0; j < kColumns; ++j) {
    schema.columns.push_back(std::string(1, static_cast<char>('a' + j)));
  }
  GramAccumulator accumulator(schema, bound, 1);
  EXPECT_TRUE(accumulator.add(rows));
  return *accumulator.finish();
}

Matrix random_rows(RandomStream& stream, Eigen::Index count, double size) {
  Matrix rows(count, kColumns);
  for (Eigen::Index i = 0; i < rows.size(); ++i) {
    rows.data()[i] = size * (2.0 * uniform(stream) - 1.0);
  }
  return rows;
}

ProjectionRequest request_for(const RowBound& bound, PerRowLoss per_row) {
  return {bound, column_scales(bound, Units::Original), kFrame, Relation::AddRemove, per_row};
}

/// Limit in standard deviations for seven Gaussian numbers together: P(|Z| > x) <= exp(-x²/2).
double far_tail() {
  return std::sqrt(-2.0 * std::log(alpha_of("mechanism: projected moment") / 7.0));
}

TEST(ProjectedMoment, IsTheMomentOfTheProjectedRows) {
  RandomStream stream = RandomStream::seeded(seed_for("projected moment"));
  const RowBound bound = unequal_ranges();
  const ExactGram gram = gram_of(bound, random_rows(stream, 50, 4.0));
  const Matrix frame = round_frame(haar_frame(stream, kColumns, kFrame));
  // So large a budget that noise is small beside the error of a wrong scale or a dropped column.
  const ProjectionPlan plan = *ProjectionPlan::make(request_for(bound, GaussianDp{1e6}));
  const NoisyProjection noisy = plan.run(gram, frame, stream)->value();
  const Matrix exact =
      frame.transpose() * scaled_moment(gram, column_scales(bound, Units::Original)) * frame;
  // Frame entries are rounded to 2^-13 of the largest scale or finer.
  const double rounding = 2.0 * 0x1p-13 * std::sqrt(1.0 * kColumns * kFrame) * exact.trace() * 8.0;
  const double limit = far_tail() * plan.product_sd() + rounding;
  EXPECT_LE((noisy.products - exact).cwiseAbs().maxCoeff(), limit);
  // The twin: one column forgotten.
  Matrix wrong = frame;
  wrong.row(kColumns - 1).setZero();
  const Matrix dropped =
      wrong.transpose() * scaled_moment(gram, column_scales(bound, Units::Original)) * wrong;
  EXPECT_GT((noisy.products - dropped).cwiseAbs().maxCoeff(), limit);
  EXPECT_NEAR(noisy.count, 50.0, far_tail() * plan.count_sd());
}

/// The same seed gives the same noise, so the difference of two releases is the difference of the
/// statistics, rounded to the noise grid.
Matrix difference(const ProjectionPlan& plan, const ExactGram& first, const ExactGram& second,
                  const Matrix& frame) {
  RandomStream one = RandomStream::seeded(seed_for("projected neighbours"));
  RandomStream other = RandomStream::seeded(seed_for("projected neighbours"));
  return plan.run(first, frame, one)->value().products -
         plan.run(second, frame, other)->value().products;
}

TEST(ProjectedMoment, OneRowMovesItByAtMostTheBoundItIsCalibratedTo) {
  RandomStream stream = RandomStream::seeded(seed_for("projected sensitivity"));
  const RowBound bound = unequal_ranges();
  const ProjectionPlan plan = *ProjectionPlan::make(request_for(bound, GaussianDp{1.0}));
  // sd = sqrt(r4 + t4) / mu with t = R / 2: what the plan believes one row can do.
  const double believed = plan.product_sd() / std::hypot(1.0, 0.25);
  const double grid = plan.product_sd() * 0x1p-19;
  double largest = 0.0;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix rows = random_rows(stream, 4, 4.0);
    const Matrix frame = round_frame(haar_frame(stream, kColumns, kFrame));
    Matrix more(5, kColumns);
    more.topRows(4) = rows;
    more.row(4) = random_rows(stream, 1, 1e3).array().sign() * 1e3;  // clipped to a corner
    const double moved = difference(plan, gram_of(bound, more), gram_of(bound, rows), frame).norm();
    largest = std::max(largest, moved);
    EXPECT_LE(moved, believed + 6.0 * grid);
  }
  EXPECT_GT(largest, believed / 10.0);  // the bound is for the worst frame, and not absurdly far
}

TEST(ProjectedMoment, ACornerInsideTheSubspaceAttainsTheBound) {
  const RowBound bound = unequal_ranges();
  const Vector scales = column_scales(bound, Units::Original);
  const ProjectionPlan plan = *ProjectionPlan::make(request_for(bound, GaussianDp{1.0}));
  RandomStream stream = RandomStream::seeded(seed_for("projected corner"));
  Matrix basis = haar_frame(stream, kColumns, kColumns);
  basis.col(0) = scales.normalized();  // D v for v the corner (1, ..., 1)
  const Matrix orthonormal = basis.householderQr().householderQ();
  Matrix rows(1, kColumns);
  for (std::size_t j = 0; j < kColumns; ++j) {
    rows(0, static_cast<Eigen::Index>(j)) = 1e3;
  }
  const Matrix none(0, kColumns);
  const double moved = difference(plan, gram_of(bound, rows), gram_of(bound, none),
                                  round_frame(orthonormal.leftCols(kFrame)))
                           .norm();
  const double believed = plan.product_sd() / std::hypot(1.0, 0.25);
  EXPECT_LE(moved, believed);
  EXPECT_GE(moved, 0.99 * believed);  // rounding the frame costs less than a percent
}

TEST(ProjectedMoment, RefusesFramesItWasNotPlannedFor) {
  const RowBound bound = unequal_ranges();
  const ProjectionPlan plan = *ProjectionPlan::make(request_for(bound, PureDp{1.0}));
  RandomStream stream = RandomStream::seeded(seed_for("projected refusal"));
  const ExactGram gram = gram_of(bound, random_rows(stream, 3, 1.0));
  const Matrix frame = haar_frame(stream, kColumns, kFrame);
  EXPECT_TRUE(plan.run(gram, frame, stream));
  EXPECT_FALSE(plan.run(gram, 2.0 * frame, stream));
  EXPECT_FALSE(plan.run(gram, frame.leftCols(2), stream));
}

TEST(ProjectedMoment, ComponentsAreOrderedAndRotated) {
  const Matrix frame = Matrix::Identity(4, 2);
  NoisyProjection projection;
  projection.products = (Matrix(2, 2) << 1.0, 2.0, 2.0, 1.0).finished();  // 3 and -1
  projection.count = 0.3;                                                 // taken as 1
  const PrincipalComponents components = components_in_subspace(frame, projection);
  EXPECT_NEAR(components.loadings(0, 0), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(components.loadings(1, 0), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(components.explained_variance[0], 3.0, 1e-14);
  EXPECT_EQ(components.explained_variance[1], 0.0);
}

}  // namespace
}  // namespace eigenveil::test::projected_moment_test
