// A release inside a learned subspace: how the budget is split, and what becomes of a row.
#include "mechanism/subspace/within_subspace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/array_rows.hpp"

namespace eigenveil::test::within_subspace_test {
namespace {

RowBound unit_ranges(std::size_t dimension) {
  return *RowBound::ranges(std::vector<ColumnRange>(dimension, ColumnRange{0.0, 2.0}), std::nullopt,
                           1024);
}

TEST(WithinSubspace, BothStepsTogetherCostTheBudgetAtMost) {
  for (const double share : {0.1, 0.9}) {
    const Result<WithinPlan> plan =
        WithinPlan::make({unit_ranges(10), 20'000, 2, {2.0, 1e-4}, share, 1e-4});
    ASSERT_TRUE(plan) << plan.error().message;
    const auto& loss = std::get<ApproxDp>(plan->guarantee().loss);
    EXPECT_LE(loss.epsilon, 2.0);
    EXPECT_LE(loss.delta, 1e-4);
    EXPECT_GT(loss.epsilon, 1.999);  // and nothing is wasted
    EXPECT_EQ(plan->guarantee().relation, Relation::ReplaceOne);
    EXPECT_EQ(plan->moment().bound().dimension(), 2U);
    EXPECT_GE(plan->moment().bound().radius(), unit_ranges(10).radius() * (1.0 - 1e-9));
  }
}

TEST(WithinSubspace, MoreForTheSubspaceMeansMoreNoiseInside) {
  const auto noise = [](double share) {
    return WithinPlan::make({unit_ranges(10), 20'000, 2, {2.0, 1e-4}, share, 1e-4})
        ->moment()
        .product_sd();
  };
  EXPECT_LT(noise(0.2), noise(0.8));
}

TEST(WithinSubspace, ARowIsScaledClippedAndItsMissingCellsAreMidpoints) {
  const double row[] = {2.0, 9.0, std::numeric_limits<double>::quiet_NaN(), 1.0};
  Vector scaled(4);
  scale_row(unit_ranges(4), row, scaled);
  EXPECT_EQ(scaled, Vector((Vector(4) << 1.0, 1.0, 0.0, 0.0).finished()));
  scale_row(*RowBound::row_norm(4, 0.5, 1024), row, scaled);
  EXPECT_LE(scaled.norm(), 0.5 * (1.0 + 1e-15));
}

/// Rows of four cells through a frame of one direction.
std::vector<double> projections(const std::vector<double>& cells) {
  const RowBound bound = unit_ranges(4);
  ArrayView view;
  view.data = cells.data();
  view.rows = cells.size() / 4;
  view.columns = 4;
  view.item_bytes = sizeof(double);
  view.row_stride = 4 * sizeof(double);
  view.column_stride = sizeof(double);
  view.kind = ArrayView::Kind::Float;
  const auto rows =
      *read_array(view, Schema{{"a", "b", "c", "d"}}, BadCell::Refuse, MissingCell::Midpoint);
  const Matrix frame = Vector::Constant(4, 0.5);
  const auto inside = project_rows(*rows, bound, frame);
  EXPECT_EQ(inside->schema().columns, std::vector<std::string>{"S1"});
  RawRows block;
  EXPECT_TRUE(inside->read(block));
  return block.values;
}

TEST(WithinSubspace, ARowIsProjectedAloneAndWithinItsBound) {
  const std::vector<double> both = projections({2, 2, 2, 2, 0.3, 1.7, 0.1, 1.1});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NEAR(both[0], 2.0, 4.0 / 1024);  // (1, 1, 1, 1) on (1, 1, 1, 1) / 2
  EXPECT_EQ(both[1], projections({0.3, 1.7, 0.1, 1.1}).front());
  EXPECT_EQ(both[1], projections({9, 9, 9, 9, 0.3, 1.7, 0.1, 1.1})[1]);
}

}  // namespace
}  // namespace eigenveil::test::within_subspace_test
