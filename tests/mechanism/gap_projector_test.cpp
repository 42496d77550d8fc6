// spiked-robust: the sensitivity lemmas under attack, NULL, and the split of the budget.
#include "mechanism/spiked/gap_projector.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/oja/oja.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"
#include "statistics/gram_support.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::gap_projector_test {
namespace {

constexpr double kRadius = 1.0;

Matrix top_projector(const Matrix& matrix, Eigen::Index count) {
  const Matrix frame = largest_eigenpairs(matrix, count).vectors;
  return frame * frame.transpose();
}

Vector random_row(RandomStream& stream, Eigen::Index dimension) {
  Vector row = haar_frame(stream, dimension, 1);
  return row * kRadius * (uniform(stream) < 0.7 ? 1.0 : std::sqrt(uniform(stream)));
}

/// A pair of neighbours: A and A plus or minus rows. A is kept positive semidefinite after removal.
struct Pair {
  Matrix first;
  Vector removed;
  Vector added;
  double distance(Eigen::Index count, Relation relation) const {
    Matrix second = first + added * added.transpose();
    if (relation == Relation::ReplaceOne) {
      second -= removed * removed.transpose();
    }
    return (top_projector(first, count) - top_projector(second, count)).norm();
  }
};

double gap_of(const Matrix& matrix, Eigen::Index count) {
  const Vector values = symmetric_eigen(matrix).values;
  return values[count - 1] - values[count];
}

/// A has the gap asked for exactly; rows are moved uphill from a random start.
double climb(RandomStream& stream, Eigen::Index p, Eigen::Index k, double gap, Relation relation) {
  Vector spectrum(p);
  for (Eigen::Index j = 0; j < p; ++j) {
    const double spread = uniform(stream) < 0.5 ? 0.0 : 3.0 * uniform(stream);
    spectrum[j] = 2.0 + (j < k ? gap : 0.0) + (j < k - 1 ? spread : 0.0) -
                  (j > k ? std::min(spread, 1.0) : 0.0);
  }
  const Matrix basis = haar_frame(stream, p, p);
  Pair pair{basis * spectrum.asDiagonal() * basis.transpose(), random_row(stream, p),
            random_row(stream, p)};
  double best = pair.distance(k, relation);
  double step = 0.5;
  for (int i = 0; i < 60; ++i) {
    Pair moved = pair;
    for (Vector* row : {&moved.added, &moved.removed}) {
      *row += step * random_row(stream, p);
      *row *= std::min(1.0, kRadius / row->norm());
    }
    const double distance = moved.distance(k, relation);
    if (distance > best) {
      best = distance;
      pair = moved;
    } else {
      step *= 0.95;
    }
  }
  return best;
}

TEST(ProjectorChange, NoNeighbourMovesFurther) {
  RandomStream stream = RandomStream::seeded(seed_for("gap.projector.search"));
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne}) {
    for (const double gap : {4.1, 6.0, 20.0}) {
      const double bound = projector_change(kRadius, gap, relation);
      for (int i = 0; i < 40; ++i) {
        const Eigen::Index p = 2 + i % 4;
        EXPECT_LE(climb(stream, p, 1 + i % (p - 1), gap, relation), bound) << p << " " << gap;
      }
    }
  }
}

/// Removing a row: the gap before the removal is what the lemma is given.
TEST(ProjectorChange, RemovalIsCoveredByTheGapBefore) {
  RandomStream stream = RandomStream::seeded(seed_for("gap.projector.removal"));
  double closest = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const Eigen::Index p = 2 + i % 3;
    const Vector row = random_row(stream, p);
    Vector spectrum = Vector::Ones(p);
    spectrum[0] += 3.0 + 4.0 * uniform(stream);
    const Matrix basis = haar_frame(stream, p, p);
    const Matrix after = basis * spectrum.asDiagonal() * basis.transpose();
    const Matrix before = after + row * row.transpose();
    const double bound = projector_change(kRadius, gap_of(before, 1), Relation::AddRemove);
    const double moved = (top_projector(before, 1) - top_projector(after, 1)).norm();
    if (std::isfinite(bound)) {
      EXPECT_LE(moved, bound);
      closest = std::max(closest, moved / bound);
    }
  }
  EXPECT_GT(closest, 0.6);  // the search is not idle
}

/// Two dimensions: a row at the worst angle turns the axis by asin(q)/2, within q of the bound.
TEST(ProjectorChange, IsNearlyAttained) {
  const double gap = 50.0;
  const double q = kRadius * kRadius / gap;
  const double angle = (M_PI / 2.0 + std::asin(q)) / 2.0;
  const Vector row = kRadius * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  Matrix first = Matrix::Zero(2, 2);
  first(0, 0) = gap;
  const Pair pair{first, Vector::Zero(2), row};
  const double moved = pair.distance(1, Relation::AddRemove);
  const double bound = projector_change(kRadius, gap, Relation::AddRemove);
  EXPECT_NEAR(moved, std::sqrt(2.0) * std::sin(std::asin(q) / 2.0), 1e-12);
  EXPECT_LE(moved, bound);
  EXPECT_GE(moved, (1.0 - 1.1 * q) * bound);
}

TEST(GapChange, WeylIsAttained) {
  Matrix matrix = Matrix::Zero(2, 2);
  matrix(0, 0) = 5.0;
  matrix(1, 1) = 2.0;
  const Matrix e1 = Eigen::Vector2d(1, 0) * Eigen::RowVector2d(1, 0);
  const Matrix e2 = Eigen::Vector2d(0, 1) * Eigen::RowVector2d(0, 1);
  EXPECT_NEAR(gap_of(matrix, 1) - gap_of(matrix - e1, 1), 1.0, 1e-12);
  EXPECT_NEAR(gap_of(matrix, 1) - gap_of(matrix - e1 + e2, 1), 2.0, 1e-12);
  EXPECT_GE(gap_change(1.0, Relation::AddRemove), 1.0);
  EXPECT_GE(gap_change(1.0, Relation::ReplaceOne), 2.0);
}

GapPlan plan_for(Relation relation, Eigen::Index k = 1) {
  return *GapPlan::make(
      {*RowBound::row_norm(3, 1.0), Units::Scaled, ApproxDp{1.0, 1e-3}, relation, k, 0.2});
}

TEST(GapPlan, PartsAndFailureStayWithinTheBudget) {
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
    const GapPlan plan = plan_for(relation);
    const double mu =
        std::sqrt(plan.mu_gap() * plan.mu_gap() + plan.mu_projector() * plan.mu_projector() +
                  plan.mu_inside() * plan.mu_inside());
    EXPECT_LE(delta_at(GaussianDp{mu}, 1.0) + plan.failure(), 1e-3);
    EXPECT_EQ(plan.guarantee().basis, Basis::ProvedRealArithmetic);
  }
}

TEST(GapPlan, AnswersNullWithoutAGapAndComponentsWithOne) {
  const GapPlan plan = plan_for(Relation::AddRemove);
  RandomStream stream = RandomStream::seeded(seed_for("gap.null"));
  const ExactGram empty = gram_of(*RowBound::row_norm(3, 1.0), {});
  EXPECT_FALSE(plan.run(empty, stream).value().frame.has_value());
  std::vector<double> rows;
  for (int i = 0; i < 3000; ++i) {
    rows.insert(rows.end(), {0.9, i % 2 == 0 ? 0.1 : -0.1, 0.05});
  }
  const ExactGram strong = gram_of(*RowBound::row_norm(3, 1.0), rows);
  const Release<GapResult> release = plan.run(strong, stream);
  ASSERT_TRUE(release.value().frame.has_value());
  EXPECT_GT(std::abs((*release.value().frame)(0, 0)), 0.99);
  EXPECT_EQ(release.guarantee().basis, Basis::NotPrivate);  // seeded
}

TEST(GapPlan, RefusesWhatItCannotPromise) {
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  EXPECT_FALSE(GapPlan::make({bound, Units::Scaled, GaussianDp{1.0}}));
  EXPECT_FALSE(GapPlan::make({bound, Units::Scaled, ApproxDp{1.0, 1e-3}, Relation::AddRemove, 3}));
  EXPECT_FALSE(
      GapPlan::make({bound, Units::Scaled, ApproxDp{1.0, 1e-3}, Relation::IndependentCopy, 1}));
}

/// x (x . w) lies in a ball of diameter R²: two rows at 45 degrees to w attain it.
TEST(OjaSensitivity, HoldsAndIsAttained) {
  RandomStream stream = RandomStream::seeded(seed_for("oja.sensitivity"));
  const double bound = oja_sensitivity(kRadius, {}, Relation::ReplaceOne);
  for (int i = 0; i < 20000; ++i) {
    const Eigen::Index p = 2 + i % 3;
    const Vector w = haar_frame(stream, p, 1);
    const Vector x = random_row(stream, p);
    const Vector y = random_row(stream, p);
    EXPECT_LE((x * x.dot(w) - y * y.dot(w)).norm(), bound);
  }
  const Eigen::Vector2d w(1, 0);
  const Eigen::Vector2d x(std::sqrt(0.5), std::sqrt(0.5));
  const Eigen::Vector2d y(std::sqrt(0.5), -std::sqrt(0.5));
  EXPECT_NEAR((x * x.dot(w) - y * y.dot(w)).norm(), 1.0, 1e-12);
  EXPECT_EQ(oja_sensitivity(2.0, 0.5, Relation::ReplaceOne), 1.0);
  EXPECT_EQ(oja_sensitivity(2.0, 0.5, Relation::ZeroRow), 0.5);
}

TEST(OjaPlan, RefusesRowsThatShiftBatches) {
  EXPECT_FALSE(OjaPlan::make({1.0, 3, 10, {}, GaussianDp{1.0}, Relation::AddRemove}));
}

TEST(OjaPass, FindsAStrongDirection) {
  const OjaPlan plan = *OjaPlan::make({1.0, 3, 500, {}, GaussianDp{1.0}, Relation::ReplaceOne});
  RandomStream stream = RandomStream::seeded(seed_for("oja.direction"));
  OjaPass pass(plan, stream);
  for (int i = 0; i < 5000; ++i) {
    pass.add(Eigen::Vector3d(0.1, i % 2 == 0 ? 0.9 : -0.9, 0.05));
  }
  EXPECT_GT(std::abs(pass.finish().value()[1]), 0.98);
}

TEST(GapPlan, GroupsAreChainsOfNeighbours) {
  const RowBound bound = *RowBound::row_norm(4, 2.0);
  GapRequest request{bound, Units::Scaled, ApproxDp{1.0, 1e-4}};
  const GapPlan one = *GapPlan::make(request);
  request.group_size = 3;
  const GapPlan three = *GapPlan::make(request);
  EXPECT_EQ(three.guarantee().group_size, 3);
  EXPECT_EQ(std::get<ApproxDp>(three.guarantee().loss).epsilon, 1.0);
  // What one row is given, and what three of them then have: never above the budget.
  const double row_delta = three.failure() / 0.05;
  const ApproxDp group = std::get<ApproxDp>(*group_loss(ApproxDp{1.0 / 3.0, row_delta}, 3));
  EXPECT_LE(group.delta, 1e-4 * (1.0 + 1e-12));
  EXPECT_GT(group.delta, 1e-4 * (1.0 - 1e-9));
  EXPECT_GT(three.gap_sd(), 3.0 * one.gap_sd());  // a third of epsilon, and less of delta
  request.group_size = 0;
  EXPECT_FALSE(GapPlan::make(request));
}

TEST(OjaPlan, RoomForRoundingIsThatOfTheRows) {
  const auto plan_of = [](std::size_t batch) {
    return *OjaPlan::make({1.0, 3, batch, {}, GaussianDp{1.0}, Relation::ReplaceOne});
  };
  const OjaPlan endless = plan_of(std::size_t{1} << 30U);
  EXPECT_GT(endless.noise_sd(), 100.0);
  EXPECT_EQ(endless.for_rows(500).noise_sd(), plan_of(500).noise_sd());
  EXPECT_EQ(endless.for_rows(500).sensitivity(), plan_of(500).sensitivity());
  EXPECT_EQ(endless.for_rows(0).noise_sd(), plan_of(1).noise_sd());
  EXPECT_EQ(plan_of(500).for_rows(501).noise_sd(), plan_of(500).noise_sd());
  // A pass over few rows draws what a batch of as many rows draws.
  const auto direction = [&](const OjaPlan& plan) {
    RandomStream stream = RandomStream::seeded(seed_for("oja rows"));
    OjaPass pass(plan, stream);
    for (int i = 0; i < 40; ++i) {
      pass.add(Vector::Unit(3, i % 3));
    }
    return pass.finish().value();
  };
  EXPECT_EQ(direction(endless), direction(plan_of(40)));
}

TEST(OjaPlan, GroupsCostTheirSize) {
  OjaRequest request{1.0, 3, 10, {}, GaussianDp{1.0}, Relation::ReplaceOne};
  const OjaPlan one = *OjaPlan::make(request);
  request.group_size = 4;
  const OjaPlan four = *OjaPlan::make(request);
  EXPECT_EQ(four.guarantee().group_size, 4);
  EXPECT_NEAR(four.noise_sd() / one.noise_sd(), 4.0, 1e-4);  // the grid's share grows a little
}

}  // namespace
}  // namespace eigenveil::test::gap_projector_test
