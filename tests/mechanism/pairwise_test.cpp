// Missing cells left out pair by pair: how far one row can move the sums, what is computed from
// them, and whether its intervals cover what the available cases would have given.
#include "mechanism/pairwise/pairwise.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "data/array_rows.hpp"
#include "data/counted_rows.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/moment/second_moment.hpp"
#include "statistics/gram_support.hpp"
#include "support/alpha_ledger.hpp"
#include "support/normals.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::pairwise_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Row = std::vector<double>;

/// A table whose rows are counted: bound of the cells, constants, grid of the longer rows.
struct Counted {
  RowBound cells;
  CountedBound made;
  std::size_t width;  ///< of rows as they are read, weights among them

  ExactGram gram(const Row& table) const {
    const Schema schema = numbered_columns(width);
    auto reader =
        count_rows_inside(*read_array({table.data(), table.size() / width, width, width * 8, 8},
                                      schema, BadCell::Midpoint, MissingCell::Midpoint),
                          cells, made.rows);
    GramAccumulator totals(reader->schema(), made.bound, 1);
    EXPECT_TRUE(totals.add(*reader));
    return *totals.finish();
  }
  CountedColumns columns() const {
    Schema schema = numbered_columns(width);
    schema.columns.resize(cells.dimension());
    return {schema,
            cells,
            made.rows.constant,
            made.rows.weight_bound,
            made.rows.square_constant,
            made.rows.indicated};
  }
};

Counted counted(const RowBound& cells, CountedRows asked) {
  const std::size_t width = cells.dimension() + (asked.weighted ? 1 : 0);
  return {cells, *counted_bound(cells, std::move(asked), RowBound::kDefaultMaxAbs), width};
}

Matrix in_full(const ExactGram& gram) {
  const GramTotals& totals = trusted::totals(gram);
  const auto p = static_cast<Eigen::Index>(gram.dimension());
  Matrix full(p, p);
  for (Eigen::Index j = 0; j < p; ++j) {
    for (Eigen::Index i = 0; i <= j; ++i) {
      full(i, j) = full(j, i) = static_cast<double>(totals.products[triangle_index(
          static_cast<std::size_t>(i), static_cast<std::size_t>(j))]);
    }
  }
  return full;
}

/// The moment as if no noise had been drawn.
NoisyMoment exact_moment(const Counted& table, const ExactGram& gram) {
  NoisyMoment moment{gram.schema(), gram.bound(), 0.0, false, {}, {}};
  moment.products = in_full(gram) * (table.made.bound.unit() * table.made.bound.unit());
  return moment;
}

/// Every row of two cells out of these values, missing ones among them.
std::vector<Row> tiny_rows() {
  const Row values = {-1.0, -0.5, 0.0, 1.0, kNan};
  std::vector<Row> rows;
  for (const double a : values) {
    for (const double b : values) {
      rows.push_back({a, b});
    }
  }
  return rows;
}

double largest_move(const Counted& table, Relation relation) {
  const std::vector<Row> rows = tiny_rows();
  const Matrix nothing = in_full(table.gram({}));
  double largest = 0.0;
  for (const Row& x : rows) {
    const Matrix with = in_full(table.gram(x));
    if (relation == Relation::AddRemove) {
      largest = std::max(largest, (with - nothing).norm());
      continue;
    }
    // A zero row is at the midpoints, whether its cells are called present or missing.
    const std::vector<Row> zeros = {{0.0, 0.0}, {kNan, kNan}};
    for (const Row& y : relation == Relation::ReplaceOne ? rows : zeros) {
      largest = std::max(largest, (with - in_full(table.gram(y))).norm());
    }
  }
  return largest;
}

// All 25 rows against all others: nothing passes the sensitivity, and some row attains it. The twin
// that calls a zero row nothing is passed: its constants and indicators stay.
TEST(Pairwise, NoRowMovesMoreThanTheSensitivity) {
  for (const double c : {0.1, 0.5, 2.0}) {
    const Counted table =
        counted(*RowBound::ranges({{-1, 1}, {-1, 1}}), {.constant = c, .indicated = {0, 1}});
    for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
      MomentShape shape = moment_shape(table.made.bound, Extension::Indicators, relation, 0.5);
      const double allowed = *frobenius_sensitivity(shape);
      const double moved = largest_move(table, relation);
      EXPECT_LE(moved, allowed) << name_of(relation) << " " << c;
      if (relation == Relation::AddRemove) {
        EXPECT_GT(moved, 0.999 * allowed);  // (1, 1) with both cells present
      }
      if (relation == Relation::ZeroRow) {
        EXPECT_EQ(allowed,
                  *frobenius_sensitivity(moment_shape(table.made.bound, Extension::Indicators,
                                                      Relation::ReplaceOne, 0.5)));
      }
    }
  }
}

// c = 0.5, q = 20, R = 1: the zero-row formula of a constant beside the row gives 3.3, but a row
// whose cells all go missing moves 5 (docs/proofs/pairwise.md).
TEST(Pairwise, AZeroRowIsAnotherRow) {
  constexpr std::size_t kColumns = 20;
  CountedRows asked{.constant = 0.5};
  for (std::size_t j = 0; j < kColumns; ++j) {
    asked.indicated.push_back(j);
  }
  const Counted table = counted(*RowBound::row_norm(kColumns, 1.0), asked);
  const double unit2 = table.made.bound.unit() * table.made.bound.unit();
  const Matrix present = in_full(table.gram(Row(kColumns, 0.0)));
  const Matrix missing = in_full(table.gram(Row(kColumns, kNan)));
  const double moved = (present - missing).norm() * unit2;
  const double c2q = 0.25 * kColumns;
  const double as_a_constant = std::sqrt(1.0 + 2.0 * c2q);
  EXPECT_GT(moved, as_a_constant);  // the broken twin
  const MomentShape shape =
      moment_shape(table.made.bound, Extension::Indicators, Relation::ZeroRow, 0.5);
  EXPECT_LE(moved, *frobenius_sensitivity(shape) * unit2);
  for (const auto sensitivity :
       {frobenius_sensitivity, upper_triangle_l1_sensitivity, nuclear_sensitivity}) {
    MomentShape replaced = shape;
    replaced.relation = Relation::ReplaceOne;
    EXPECT_EQ(*sensitivity(shape), *sensitivity(replaced));
  }
}

// Constants are whole steps of the grid: counts come back as they are, in integers.
TEST(Pairwise, CountsAreExactOnTheGrid) {
  const Counted table = counted(*RowBound::ranges({{-1, 1}, {-1, 1}, {-1, 1}}),
                                {.constant = 0.7, .indicated = {0, 2}});
  Row cells;
  for (int i = 0; i < 1000; ++i) {
    cells.insert(cells.end(), {i % 3 == 0 ? kNan : 1.0, 1.0, i % 5 == 0 ? kNan : -1.0});
  }
  const Matrix gram = in_full(table.gram(cells));
  const double k = std::round(table.made.rows.constant / table.made.rows.step);
  EXPECT_EQ(gram(0, 0), 1000.0 * k * k);
  EXPECT_EQ(gram(1, 1), 666.0 * k * k);
  EXPECT_EQ(gram(2, 2), 800.0 * k * k);
  EXPECT_EQ(gram(1, 2), 533.0 * k * k);  // neither i % 3 nor i % 5
}

/// Rows of three columns that hang together, a share of whose cells is missing at random.
Row gappy_rows(std::size_t rows, const Row& shares, std::uint64_t seed) {
  RandomStream stream = RandomStream::seeded(seed);
  Row cells;
  const Matrix drawn = normals(stream, 4, static_cast<Eigen::Index>(rows));
  for (Eigen::Index i = 0; i < drawn.cols(); ++i) {
    const double common = drawn(0, i);
    Row row = {20.0 + 4.0 * common + 3.0 * drawn(1, i), 5.0 + common + 1.5 * drawn(2, i),
               -1.0 + 0.5 * drawn(3, i)};
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = uniform(stream) < shares[j] ? kNan : row[j];
    }
    cells.insert(cells.end(), row.begin(), row.end());
  }
  return cells;
}

struct Setting {
  std::vector<std::size_t> indicated;
  Row shares;
  double mu;
  Relation relation;
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {{{0, 1, 2}, {0.1, 0.1, 0.1}, 1.0, Relation::AddRemove},
                                           {{1}, {0.0, 0.3, 0.0}, 0.7, Relation::ReplaceOne},
                                           {{0, 1}, {0.5, 0.2, 0.0}, 2.0, Relation::ZeroRow}};
  return all;
}

Counted table_of(const Setting& setting) {
  return counted(*RowBound::ranges({{0, 40}, {-5, 15}, {-4, 4}}),
                 {.constant = 0.7, .indicated = setting.indicated});
}

// What is computed from exact sums is what the definition gives, over the rows that have both.
TEST(Pairwise, MatchesAvailableCases) {
  const Setting& setting = settings()[0];
  const Counted table = table_of(setting);
  const Row cells = gappy_rows(500, setting.shares, seed_for("pairwise.available"));
  const PairwiseGram gram =
      pairwise_gram(exact_moment(table, table.gram(cells)), table.columns(), Units::Original);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      double n = 0.0;
      double sum_a = 0.0;
      double sum_b = 0.0;
      double product = 0.0;
      for (std::size_t i = 0; i < cells.size(); i += 3) {
        if (!std::isnan(cells[i + a]) && !std::isnan(cells[i + b])) {
          n += 1.0;
          sum_a += cells[i + a];
          sum_b += cells[i + b];
          product += cells[i + a] * cells[i + b];
        }
      }
      const double covariance = product / n - sum_a * sum_b / (n * n);
      const auto i = static_cast<Eigen::Index>(a);
      const auto j = static_cast<Eigen::Index>(b);
      EXPECT_NEAR(gram.count(i, j).value, n, 1e-6 * n);
      // Cells are rounded to 2^-18 of a range of 40, twice.
      const double rounding = 2.0 * 40.0 * 0x1p-17;
      EXPECT_NEAR(gram.covariance(i, j).value, covariance, 2.0 * 40.0 * rounding);
      if (a == b) {
        EXPECT_NEAR(gram.mean(i).value + gram.midpoints[i], sum_a / n, rounding);
      }
    }
  }
}

/// How many of `runs` releases cover what exact sums give: variance, correlation, slope. Standard
/// errors are multiplied by `factor`, 1 for what ships.
std::array<int, 3> covered(const Setting& setting, int runs, double factor, std::uint64_t seed) {
  const Counted table = table_of(setting);
  const ExactGram gram = table.gram(gappy_rows(4000, setting.shares, seed));
  const CountedColumns columns = table.columns();
  const PairwiseGram truth = pairwise_gram(exact_moment(table, gram), columns, Units::Original);
  const RegressionRequest slope{"c2", {"c1"}, 0.0, 0.95, CoefficientTarget::RawData};
  const double true_slope = truth.covariance(0, 1).value / truth.covariance(0, 0).value;
  const double true_r = truth.covariance(0, 1).value /
                        std::sqrt(truth.covariance(0, 0).value * truth.covariance(1, 1).value);
  const MomentPlan plan = *plan_gauss(
      {table.made.bound, GaussianDp{setting.mu}, setting.relation, Extension::Indicators});
  RandomStream stream = RandomStream::seeded(seed + 1);
  std::array<int, 3> hits{};
  for (int run = 0; run < runs; ++run) {
    const PairwiseGram noisy =
        pairwise_gram(plan.run(gram, stream)->value(), columns, Units::Original);
    const MomentEstimate moments = covariance(noisy);
    const CorrelationEstimate correlations = correlation(noisy, moments);
    const Result<Regression> fit = regress(noisy, slope);
    const auto near = [&](double value, double sd, double target) {
      return std::fabs(value - target) <= 1.959964 * factor * sd ? 1 : 0;
    };
    hits[0] +=
        near(moments.value(1, 1), moments.standard_error(1, 1), truth.covariance(1, 1).value);
    hits[1] += near(correlations.value(0, 1), correlations.standard_error(0, 1), true_r);
    hits[2] += fit ? near(fit->coefficients[0], fit->standard_errors[0], true_slope) : 0;
  }
  return hits;
}

/// Exact binomial limits of 95%, both sides, over three settings and three statistics.
void expect_coverage(int runs, const std::string& name) {
  constexpr double kAlpha = alpha_of("mechanism: pairwise coverage") / (9.0 * 2.0);
  const boost::math::binomial law(runs, 0.95);
  const double fewest = quantile(law, kAlpha);
  const double most = quantile(complement(law, kAlpha));
  for (std::size_t s = 0; s < settings().size(); ++s) {
    const std::uint64_t seed = seed_for(name) + 10 * s;
    for (const int hits : covered(settings()[s], runs, 1.0, seed)) {
      EXPECT_GE(hits, fewest) << "setting " << s;
      EXPECT_LE(hits, most) << "setting " << s;
    }
    // The twin with standard errors of half the size covers 67%: it must fail.
    for (const int hits : covered(settings()[s], runs, 0.5, seed)) {
      EXPECT_LT(hits, fewest) << "setting " << s;
    }
  }
}

TEST(Pairwise, IntervalsCoverAvailableCases) {
  expect_coverage(400, "pairwise.coverage");
}

TEST(Pairwise, SoakIntervalsCoverAvailableCases) {
  expect_coverage(4000, "pairwise.coverage soak");
}

// Rows that have both columns within the noise on their number: refused, and nothing fails.
TEST(Pairwise, PairsThatNoiseHidesAreRefused) {
  const Counted table = counted(*RowBound::ranges({{-1, 1}, {-1, 1}, {-1, 1}}),
                                {.constant = 0.7, .indicated = {0, 1}});
  Row cells;
  for (int i = 0; i < 3000; ++i) {  // never both
    cells.insert(cells.end(), {i % 2 == 0 ? kNan : 0.5, i % 2 == 0 ? 0.5 : kNan, 0.1});
  }
  const MomentPlan plan =
      *plan_gauss({table.made.bound, GaussianDp{1.0}, Relation::AddRemove, Extension::Indicators});
  RandomStream stream = RandomStream::seeded(seed_for("pairwise.hidden"));
  const PairwiseGram gram =
      pairwise_gram(plan.run(table.gram(cells), stream)->value(), table.columns(), Units::Original);
  EXPECT_FALSE(gram.has_pair(0, 1));
  EXPECT_TRUE(gram.has_pair(0, 2));
  EXPECT_TRUE(std::isnan(covariance(gram).value(0, 1)));
  EXPECT_FALSE(regress(gram, {"c1", {"c2"}}));
  EXPECT_FALSE(components_of(gram, covariance(gram), 1));  // limits would leave a pair out
  const PairwiseCovariance released = noisy_covariance(gram, Vector::Ones(3), NoiseLaw::Gaussian);
  EXPECT_EQ(released.refused, std::vector<std::string>{"c1, c2"});
  EXPECT_EQ(released.covariance.raw(0, 1), 0.0);
  const PairwiseGram empty =
      pairwise_gram(plan.run(table.gram({}), stream)->value(), table.columns(), Units::Original);
  EXPECT_TRUE(
      noisy_covariance(empty, Vector::Ones(3), NoiseLaw::Gaussian).covariance.raw.allFinite());
}

// Weights 1, 2, 3 in equal parts: Kish's number of rows is (sum w)^2 / sum w^2 = 6/7 of them.
TEST(Pairwise, EffectiveRowsOfWeights) {
  const Counted table =
      counted(*RowBound::ranges({{-1, 1}}),
              {.constant = 0.5, .weight_bound = 3.0, .weighted = true, .square_constant = 0.25});
  Row cells;
  for (int i = 0; i < 3000; ++i) {
    cells.insert(cells.end(), {0.3, 1.0 + i % 3});
  }
  const EffectiveRows kish =
      effective_rows(exact_moment(table, table.gram(cells)), table.columns());
  // Constants times shares are rounded to the grid: half a step of some 2^16.
  EXPECT_NEAR(kish.rows, 3000.0 * 6.0 / 7.0, 3000.0 * 4.0 * 0x1p-16);
}

}  // namespace
}  // namespace eigenveil::test::pairwise_test
