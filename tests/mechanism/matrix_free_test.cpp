// The release without a matrix against the explicit one: the same integers, the same components.
#include "mechanism/matrix_free/matrix_free.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::matrix_free_test {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows in [-1, 1] with three strong directions about a mean that is not the midpoint.
Rows some_rows(Eigen::Index n, Eigen::Index p) {
  std::mt19937_64 engine(seed_for("matrix_free.rows"));
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(engine); };
  const Matrix directions = Matrix::NullaryExpr(3, p, draw);
  Matrix scores = Matrix::NullaryExpr(n, 3, draw);
  scores.col(0) *= 4.0;
  scores.col(1) *= 2.0;
  Rows rows = scores * directions + Matrix::NullaryExpr(n, p, draw);
  rows.array() += 1.0;
  return (rows / 8.0).cwiseMin(1.0).cwiseMax(-1.0);
}

RowBound bound_of(Eigen::Index p, std::int64_t max_abs, bool mixed_units = false) {
  std::vector<ColumnRange> ranges(static_cast<std::size_t>(p), ColumnRange{-1.0, 1.0});
  if (mixed_units) {
    for (std::size_t j = 0; j < ranges.size(); j += 3) {
      ranges[j] = {-1.5, 2.5};
    }
  }
  return *RowBound::ranges(std::move(ranges), {}, max_abs);
}

/// A budget at which three directions stand out of the noise for all sizes here.
MatrixFreeRequest request_of(RowBound bound, Center center, Relation relation) {
  return {{std::move(bound), GaussianDp{50.0}, relation,
           center == Center::PrivateMean ? Extension::Full : Extension::Count, 1},
          center,
          Units::Original,
          3,
          200};
}

std::unique_ptr<RowReader> reader_of(const Rows& rows) {
  return *read_matrix(rows, Schema::numbered(static_cast<std::size_t>(rows.cols())));
}

ExactGram gram_of(const Rows& rows, const RowBound& bound) {
  GramAccumulator accumulator(Schema::numbered(bound.dimension()), bound, 2);
  EXPECT_TRUE(accumulator.add(rows));
  return *accumulator.finish();
}

Result<Release<MatrixFreeComponents>> run(const MatrixFreePlan& plan, const Rows& rows,
                                          std::uint64_t seed, int threads) {
  RandomStream stream = RandomStream::seeded(seed);
  MatrixFreeRun passes(plan, stream, threads);
  for (bool again = true; again;) {
    const auto reader = reader_of(rows);
    if (const Result<void> added = passes.add(*reader); !added) {
      return error_of(added);
    }
    const Result<bool> more = passes.end_pass();
    if (!more) {
      return error_of(more);
    }
    again = *more;
  }
  return passes.finish();
}

Matrix some_integers(Eigen::Index rows, Eigen::Index columns) {
  std::mt19937_64 engine(seed_for("matrix_free.vectors"));
  std::uniform_int_distribution<int> uniform(-(1 << kVectorBits), 1 << kVectorBits);
  return Matrix::NullaryExpr(rows, columns, [&] { return static_cast<double>(uniform(engine)); });
}

struct Case {
  Eigen::Index columns;
  std::int64_t grid;
  Center center;
  Relation relation;
};

class MatrixFreeSizes : public testing::TestWithParam<Case> {};

// Every integer of A V is that of the explicit A: no tolerance. 40 columns draw from one stream,
// 600 in tiles, of which the last is not full.
TEST_P(MatrixFreeSizes, ProductsAreThoseOfTheExplicitMatrix) {
  const auto [p, grid, center, relation] = GetParam();
  const auto plan = MatrixFreePlan::make(request_of(bound_of(p, grid), center, relation));
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->bound().max_abs(), grid);
  const int exponent = plan->grid_exponent();
  ASSERT_EQ(exponent, *noise_grid_exponent(plan->moment().noise())) << "the explicit grid";
  const Rows rows = some_rows(300, p);
  const ExactGram gram = gram_of(rows, plan->bound());
  RandomStream explicit_stream = RandomStream::seeded(5);
  const NoisyTotals noisy = add_rounded_noise(SecondMoment(gram, plan->moment().shape()),
                                              plan->moment().noise(), exponent, explicit_stream);

  const Matrix vectors = some_integers(p, 7);
  ProductPass pass(plan->bound(), vectors, HashKey{}, 2);
  ASSERT_TRUE(pass.add(*reader_of(rows)));
  const RowProducts exact = pass.finish();
  RandomStream stream = RandomStream::seeded(5);
  const RegeneratedNoise noise(plan->moment().shape(), plan->moment().noise(), exponent, stream);
  std::vector<Int128> totals = exact.products;
  for (Int128& total : totals) {
    total *= Int128{1} << -exponent;
  }
  noise.add_product(vectors, 2, totals);
  std::size_t wrong = 0;
  for (Eigen::Index j = 0; j < vectors.cols(); ++j) {
    for (Eigen::Index i = 0; i < p; ++i) {
      Int128 expected = 0;
      for (Eigen::Index l = 0; l < p; ++l) {
        expected += static_cast<Int128>(std::ldexp(noisy.products(i, l), -exponent)) *
                    static_cast<Int128>(vectors(l, j));
      }
      wrong += expected == totals[static_cast<std::size_t>(j * p + i)] ? 0U : 1U;
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(exact.count, 300U);
  EXPECT_EQ(exact.sums, trusted::totals(gram).sums);
  // A second product is one with the same noise, and the streams go on alike.
  std::vector<Int128> again(totals.size());
  std::vector<Int128> once(totals.size());
  noise.add_product(vectors, 1, once);
  noise.add_product(vectors, 3, again);
  EXPECT_EQ(once, again);
  EXPECT_EQ(stream.bits64(), explicit_stream.bits64());
}

TEST_P(MatrixFreeSizes, ComponentsAreThoseOfTheExplicitRelease) {
  const auto [p, grid, center, relation] = GetParam();
  const auto plan = MatrixFreePlan::make(request_of(bound_of(p, grid, true), center, relation));
  ASSERT_TRUE(plan) << plan.error().message;
  const Rows rows = some_rows(2000, p);
  const auto found = run(*plan, rows, 11, 2);
  ASSERT_TRUE(found) << found.error().message;
  RandomStream stream = RandomStream::seeded(11);
  const NoisyMoment moment = plan->moment().run(gram_of(rows, plan->bound()), stream)->value();
  const NoisyCovariance covariance = raw_covariance(moment, center, Units::Original);
  const PrincipalComponents expected = principal_components(covariance, 3);
  const MatrixFreeComponents& value = found->value();
  EXPECT_EQ(value.count, moment.count);
  EXPECT_EQ(value.mean, covariance.mean);
  // The residual bounds the distance to an eigenvalue, and over the gap that to its vector; what
  // the residual itself is off by is rounding in doubles, p of them.
  const double largest = expected.explained_variance[0];
  const double rounding = 64.0 * static_cast<double>(p) * 0x1p-53 * largest;
  for (Eigen::Index j = 0; j < 3; ++j) {
    const Vector u = value.components.loadings.col(j);
    const double lambda = value.components.explained_variance[j];
    const double residual = value.relative_residuals[j] * largest + rounding;
    EXPECT_LE((covariance.raw * u - lambda * u).norm(), residual);
    EXPECT_LE(residual, 2e-7 * largest) << "it converged";
    EXPECT_NEAR(lambda, expected.explained_variance[j], residual);
    const double gap = expected.explained_variance[j] -
                       (j < 2 ? expected.explained_variance[j + 1] : expected.noise_edge[j]);
    EXPECT_GT(gap, 0.0);
    EXPECT_LE((u - expected.loadings.col(j)).norm(), 3.0 * residual / gap);
  }
  const double trace_rounding = rounding * std::sqrt(static_cast<double>(p));
  EXPECT_NEAR(value.components.total_variance, expected.total_variance, trace_rounding);
  EXPECT_NEAR(value.components.noise_floor, expected.noise_floor, rounding);
  EXPECT_TRUE(value.not_converged.empty());
  EXPECT_TRUE((value.components.noise_edge.array() + rounding >= expected.noise_edge.array()).all())
      << "estimated on the safe side: nothing is told from noise here that is not told there";
  // Another seed is another release: what a wrong key would look like.
  const auto other = run(*plan, rows, 12, 2);
  EXPECT_GT((other->value().components.loadings.col(2) - expected.loadings.col(2)).norm(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixFreeSizes,
                         testing::Values(Case{40, 4, Center::PublicMidpoint, Relation::AddRemove},
                                         Case{40, 4, Center::PrivateMean, Relation::AddRemove},
                                         Case{600, 4, Center::PrivateMean, Relation::AddRemove},
                                         Case{600, 16, Center::PublicMidpoint,
                                              Relation::ReplaceOne}));

// What one pass has not found yet must not be called found.
TEST(MatrixFree, ComponentsThatStillMoveAreNamedAndNotToldFromNoise) {
  MatrixFreeRequest request =
      request_of(bound_of(600, 4, true), Center::PublicMidpoint, Relation::AddRemove);
  const Rows rows = some_rows(2000, 600);
  const auto whole = run(*MatrixFreePlan::make(request), rows, 11, 2);
  request.passes = 1;
  const auto first = run(*MatrixFreePlan::make(request), rows, 11, 2);
  ASSERT_TRUE(whole && first);
  EXPECT_EQ(first->value().not_converged, (std::vector<Eigen::Index>{0, 1, 2}));
  const PrincipalComponents& moving = first->value().components;
  EXPECT_TRUE((moving.explained_variance.array() < moving.noise_edge.array()).all());
  EXPECT_TRUE((moving.noise_edge.array() > whole->value().components.noise_edge.array()).all());
}

TEST(MatrixFree, ThreadsDoNotMatter) {
  const RowBound bound = bound_of(50, 1000);
  const Rows rows = some_rows(5000, 50);
  const Matrix vectors = some_integers(50, 4);
  const auto pass = [&](int threads) {
    ProductPass products(bound, vectors, HashKey{}, threads);
    EXPECT_TRUE(products.add(*reader_of(rows)));
    return products.finish();
  };
  const RowProducts one = pass(1);
  const RowProducts four = pass(4);
  EXPECT_EQ(one.products, four.products);
  EXPECT_EQ(one.squares, four.squares);
  EXPECT_TRUE(one.fingerprint == four.fingerprint);
}

// Noise of 2^30 steps takes two digits: N V of a unit vector is a column, columns are symmetric,
// and every other product is a sum of them.
TEST(MatrixFree, WideNoiseIsMultipliedExactly) {
  MomentShape shape;
  shape.dimension = 300;
  const NoiseScale scale{NoiseLaw::Gaussian, 0x1p36, 0x1.6p35};
  RandomStream stream = RandomStream::seeded(9);
  const RegeneratedNoise noise(shape, scale, 0, stream);
  std::vector<Int128> columns(300 * 300);
  noise.add_product(Matrix::Identity(300, 300), 2, columns);
  const Matrix vectors = some_integers(300, 3);
  std::vector<Int128> product(300 * 3);
  noise.add_product(vectors, 2, product);
  bool beyond_one_digit = false;
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t j = 0; j < 300; ++j) {
      ASSERT_EQ(columns[i * 300 + j], columns[j * 300 + i]);
      beyond_one_digit = beyond_one_digit || columns[i * 300 + j] >> kNoiseDigitBits != 0;
    }
  }
  EXPECT_TRUE(beyond_one_digit);
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 300; ++i) {
      Int128 expected = 0;
      for (std::size_t l = 0; l < 300; ++l) {
        expected +=
            columns[l * 300 + i] * static_cast<Int128>(vectors(static_cast<Eigen::Index>(l),
                                                               static_cast<Eigen::Index>(j)));
      }
      ASSERT_EQ(product[j * 300 + i], expected);
    }
  }
}

// Cells of 2^18 steps cut x . v into digits; the Gram matrix says what the product is.
TEST(MatrixFree, FineGridsAreMultipliedExactly) {
  const RowBound bound = bound_of(50, std::int64_t{1} << 18U);
  const Rows rows = some_rows(500, 50);
  const Matrix vectors = some_integers(50, 4);
  ProductPass pass(bound, vectors, HashKey{}, 2);
  ASSERT_TRUE(pass.add(*reader_of(rows)));
  const RowProducts exact = pass.finish();
  const ExactGram gram = gram_of(rows, bound);
  const GramTotals& totals = trusted::totals(gram);
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < 50; ++i) {
      Int128 expected = 0;
      for (std::size_t l = 0; l < 50; ++l) {
        expected += totals.products[triangle_index(std::min(i, l), std::max(i, l))] *
                    static_cast<Int128>(
                        vectors(static_cast<Eigen::Index>(l), static_cast<Eigen::Index>(j)));
      }
      ASSERT_EQ(exact.products[j * 50 + i], expected);
    }
  }
}

TEST(MatrixFree, OtherRowsInALaterPassStopTheRelease) {
  const auto plan = MatrixFreePlan::make(
      request_of(bound_of(40, 4), Center::PublicMidpoint, Relation::AddRemove));
  const Rows rows = some_rows(100, 40);
  const auto second_pass = [&](const Rows& later) {
    RandomStream stream = RandomStream::seeded(1);
    MatrixFreeRun passes(*plan, stream, 2);
    EXPECT_TRUE(passes.add(*reader_of(rows)));
    EXPECT_TRUE(*passes.end_pass());
    EXPECT_TRUE(passes.add(*reader_of(later)));
    return passes.end_pass().has_value();
  };
  EXPECT_TRUE(second_pass(rows));
  EXPECT_TRUE(second_pass(rows.colwise().reverse())) << "another order is the same table";
  Rows changed = rows;
  changed(70, 3) = changed(70, 3) > 0.0 ? -1.0 : 1.0;
  EXPECT_FALSE(second_pass(changed));
  EXPECT_FALSE(second_pass(rows.topRows(99)));
  Rows twice(101, 40);
  twice << rows, rows.row(5);
  EXPECT_FALSE(second_pass(twice));
}

TEST(MatrixFree, ThePlanMakesTheGridCoarserAndRefusesWhatItCannotHold) {
  auto request =
      request_of(bound_of(20, std::int64_t{1} << 18U), Center::PublicMidpoint, Relation::AddRemove);
  request.moment.budget = GaussianDp{0.2};  // 2^42.6 steps on the grid asked for
  const auto plan = MatrixFreePlan::make(request);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_LE(plan->moment().noise().diagonal, MatrixFreePlan::kWantedSteps);
  EXPECT_GT(4.0 * plan->moment().noise().diagonal, MatrixFreePlan::kWantedSteps) << "no coarser";
  EXPECT_LT(plan->bound().max_abs(), std::int64_t{1} << 18U);
  EXPECT_EQ(plan->grid_exponent(), 0);
  request.moment.budget = GaussianDp{1e-9};
  EXPECT_FALSE(MatrixFreePlan::make(request));

  std::vector<ColumnRange> ranges(20, ColumnRange{-1.0, 1.0});
  ranges[7] = {-1e4, 1e4};
  request =
      request_of(*RowBound::ranges(ranges, {}, 16), Center::PublicMidpoint, Relation::AddRemove);
  EXPECT_FALSE(MatrixFreePlan::make(request));
  request.units = Units::Scaled;
  EXPECT_TRUE(MatrixFreePlan::make(request));
}

// Restarts and a block that runs out of new directions.
TEST(BlockKrylov, FindsTheLargestEigenpairsOfADiagonal) {
  for (const Eigen::Index p : {5, 30, 100}) {
    const Vector diagonal = Vector::LinSpaced(p, 1.0, static_cast<double>(p));
    const Eigen::Index block = std::min<Eigen::Index>(p, 5);
    BlockKrylov solver(p, block, 20);
    std::mt19937_64 engine(seed_for("matrix_free.krylov"));
    std::normal_distribution<double> normal;
    Matrix next = Matrix::NullaryExpr(p, block, [&] { return normal(engine); });
    for (int pass = 0; pass < 200 && next.cols() > 0; ++pass) {
      const Matrix image = diagonal.asDiagonal() * next;
      solver.add(next, image);
      if (solver.residuals().head(2).maxCoeff() < 1e-9 * static_cast<double>(p)) {
        break;
      }
      next = solver.next();
    }
    EXPECT_LT(solver.residuals().head(2).maxCoeff(), 1e-9 * static_cast<double>(p)) << p;
    EXPECT_NEAR(solver.values()[0], static_cast<double>(p), 1e-8 * static_cast<double>(p));
    EXPECT_NEAR(solver.values()[1], static_cast<double>(p - 1), 1e-8 * static_cast<double>(p));
  }
}

}  // namespace
}  // namespace eigenveil::test::matrix_free_test
