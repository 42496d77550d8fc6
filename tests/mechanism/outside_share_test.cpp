// What a public basis leaves out, as one more column: every row of a tiny domain, and what is read
// off the Gram matrix afterwards.
#include "mechanism/moment/outside_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/array_rows.hpp"
#include "data/projection.hpp"
#include "mechanism/gauss/gauss.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kColumns = 3;  // two directions and one outside of them
constexpr double kInside = 2.0;
constexpr double kOutside = 1.0;

/// All rows with cells -2..2: longer than both norms, shorter, zero.
std::vector<double> all_rows() {
  std::vector<double> cells;
  for (int code = 0; code < 125; ++code) {
    for (const int cell : {code % 5, code / 5 % 5, code / 25}) {
      cells.push_back(cell - 2.0);
    }
  }
  return cells;
}

PublicBasis first_two() {
  PublicBasis basis;
  basis.directions = Matrix::Identity(kColumns, 2);
  return basis;
}

OutsideColumn outside_of(double norm) {
  return {kInside, norm, kInside * std::sqrt(kOutsideShare) / kOutside};
}

RowBound longer() {
  return *RowBound::row_norm(kColumns, kInside * std::sqrt(1.0 + kOutsideShare));
}

/// Rows as they enter the exact pass, in grid steps.
std::vector<double> bounded(const RowBound& bound, const std::optional<OutsideColumn>& outside) {
  const std::vector<double> cells = all_rows();
  const RowBound plain = *RowBound::row_norm(kColumns, 1.0);
  const auto reader =
      project_rows(*read_array({cells.data(), cells.size() / kColumns, kColumns, kColumns * 8, 8},
                               Schema::numbered(kColumns), BadCell::Refuse, MissingCell::Midpoint),
                   plain, false, first_two(), outside);
  RawRows block;
  std::vector<double> steps;
  while (reader->read(block) && block.rows > 0) {
    const BoundedRows part = BoundedRows::clip(bound, block.values.data(), block.rows);
    steps.insert(steps.end(), part.values().begin(),
                 part.values().begin() + static_cast<std::ptrdiff_t>(block.values.size()));
  }
  return steps;
}

/// The square of |a a' - b b'|_F for extended rows: |a|^4 + |b|^4 - 2 (a b)^2.
double moved2(double a2, double b2, double ab) {
  return a2 * a2 + b2 * b2 - 2.0 * ab * ab;
}

/// The farthest that the statistic moves between tables of the domain, with the plan's constant.
double farthest(const std::vector<double>& rows, const MomentPlan& plan, Relation relation) {
  const auto t2 = static_cast<double>(plan.shape().constant * plan.shape().constant);
  const auto product = [&](std::size_t a, std::size_t b) {
    double sum = t2;
    for (std::size_t j = 0; j < kColumns; ++j) {
      sum += rows[a * kColumns + j] * rows[b * kColumns + j];
    }
    return sum;
  };
  double most = 0.0;
  const std::size_t count = rows.size() / kColumns;
  for (std::size_t a = 0; a < count; ++a) {
    const double a2 = product(a, a);
    if (relation == Relation::AddRemove) {
      most = std::max(most, a2);
      continue;
    }
    const std::size_t first = relation == Relation::ZeroRow ? count / 2 : 0;  // the zero row
    const std::size_t last = relation == Relation::ZeroRow ? first + 1 : count;
    for (std::size_t b = first; b < last; ++b) {
      const double both = moved2(a2, product(b, b), product(a, b));
      most = std::max(most, std::sqrt(std::max(0.0, both)));
    }
  }
  return most;
}

// The noise of a plan for the longer rows covers every pair of the domain; that of a plan for the
// coordinates alone (the broken twin) does not.
TEST(OutsideShare, EveryPairOfATinyDomain) {
  const std::vector<double> rows = bounded(longer(), outside_of(kOutside));
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
    const MomentPlan plan = *plan_gauss({longer(), GaussianDp{1.0}, relation, Extension::Full});
    EXPECT_LE(farthest(rows, plan, relation), plan.sensitivity()) << name_of(relation);
    const RowBound alone = *RowBound::row_norm(kColumns, kInside);
    const MomentPlan twin = *plan_gauss({alone, GaussianDp{1.0}, relation, Extension::Full});
    const double unit = alone.unit() / longer().unit();
    EXPECT_GT(farthest(rows, plan, relation), twin.sensitivity() * unit * unit)
        << name_of(relation);
  }
}

/// Whether coordinates are what they are without the last column, up to a step of either grid.
bool keeps_coordinates(double outside_norm) {
  const RowBound inside = *RowBound::row_norm(2, kInside);
  const std::vector<double> with = bounded(longer(), outside_of(outside_norm));
  const std::vector<double> without = bounded(inside, {});
  for (std::size_t row = 0; row < with.size() / kColumns; ++row) {
    for (std::size_t k = 0; k < 2; ++k) {
      const double moved =
          with[row * kColumns + k] * longer().unit() - without[row * 2 + k] * inside.unit();
      if (std::abs(moved) > longer().unit() + inside.unit()) {
        return false;
      }
    }
  }
  return true;
}

// Both lengths are clipped by themselves, so the bound on the whole row moves no coordinate; where
// what lies outside is let in longer (the twin), it does.
TEST(OutsideShare, CoordinatesStayAsTheyWere) {
  EXPECT_TRUE(keeps_coordinates(kOutside));
  EXPECT_FALSE(keeps_coordinates(2.0 * kOutside));
}

NoisyMoment moment_of(double inside, double outside, double constant, double sd) {
  Matrix products = Matrix::Zero(3, 3);
  products(0, 0) = 0.75 * inside;
  products(1, 1) = 0.25 * inside;
  products(2, 2) = constant * constant * outside;
  NoisyMoment moment{Schema::numbered(3), longer(), 0.0, false, {}, products};
  moment.product_sd = sd;
  return moment;
}

TEST(OutsideShare, IsTheShareOfTheSquaredLength) {
  EXPECT_DOUBLE_EQ(share_inside(moment_of(3.0, 5.0, 0.5, 0.0), 0.5).share, 3.0 / 8.0);
  EXPECT_DOUBLE_EQ(share_inside(moment_of(8.0, -0.5, 0.5, 0.0), 0.5).share, 1.0);  // noise below 0
  EXPECT_TRUE(std::isnan(share_inside(moment_of(3.0, 5.0, 0.5, 8.0), 0.5).share));
  const NoisyMoment inside =
      inside_moment(moment_of(3.0, 5.0, 0.5, 0.1), Schema::numbered(2), longer());
  EXPECT_EQ(inside.products.rows(), 2);
  EXPECT_DOUBLE_EQ(inside.products.trace(), 3.0);
}

// The slope of S = I / (I + O) times the deviation of each noise; the second order is below
// (deviation / (I + O))^2 of either.
TEST(OutsideShare, DeviationIsThatOfTheSlope) {
  const double c = 0.5;
  const double h = 0x1p-20;
  const double inside_sd = h * std::sqrt(2.0);
  const double outside_sd = h / (c * c);
  const auto share = [&](double inside, double outside) {
    return share_inside(moment_of(inside, outside, c, h), c);
  };
  const double by_inside = share(3.0 + inside_sd, 5.0).share - share(3.0, 5.0).share;
  const double by_outside = share(3.0, 5.0 + outside_sd).share - share(3.0, 5.0).share;
  const double second = std::pow(outside_sd / 8.0, 2);
  EXPECT_NEAR(share(3.0, 5.0).sd, std::hypot(by_inside, by_outside), 2.0 * second);
}

}  // namespace
}  // namespace eigenveil
