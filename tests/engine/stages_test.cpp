// Releases of tables with stages: what comes out is about the columns, and counts never are exact.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "data/array_rows.hpp"
#include "data/parallel_rows.hpp"
#include "eigenveil/engine/release.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/private_bounds.hpp"
#include "engine/table/prepared_table.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::stages_test {
namespace {

struct MadeUp {
  std::vector<double> cells;
  std::size_t rows = 0;
  Schema schema;
  OpenRows open(const PreparedTable& table) const {
    return [this, &table] {
      const std::size_t p = schema.dimension();
      return table.rows(*read_array({cells.data(), rows, p, p * 8, 8}, schema, BadCell::Refuse,
                                    MissingCell::Midpoint));
    };
  }
};

/// Columns x, y, weight 1 to 3, person 0 to 9; rows of a person are alike.
MadeUp survey(std::size_t rows) {
  MadeUp table{{}, rows, {{"x", "y", "w", "who"}}};
  for (std::size_t i = 0; i < rows; ++i) {
    const auto t = static_cast<double>(i);
    const double person = std::fmod(t, 10.0);
    table.cells.insert(table.cells.end(), {std::sin(t), 0.5 * std::cos(2 * t) + 0.25,
                                           1.0 + std::fmod(t, 3.0), person});
  }
  return table;
}

Result<ReleaseDocument> released(const TableSpec& spec, const MadeUp& data, Request request,
                                 double mu) {
  const Result<PreparedTable> table = PreparedTable::make(spec, data.schema);
  if (!table) {
    return error_of(table);
  }
  request.budget = GaussianDp{mu};
  const Result<const Method*> method = choose_method(request);
  if (!method) {
    return error_of(method);
  }
  settle_center(**method, request);
  const Result<std::unique_ptr<Plan>> plan = make_plan(**method, request, table->facts());
  if (!plan) {
    return error_of(plan);
  }
  RandomStream stream = RandomStream::seeded(seed_for("stages"));
  return release(**plan, data.open(*table), stream, 2).map([&](ReleaseDocument document) {
    return table->finish(std::move(document));
  });
}

TEST(Stages, WeightsAreSumsOfWeightedRows) {
  const MadeUp data = survey(3000);
  TableSpec spec;
  spec.range = ColumnRange{-2, 2};
  spec.weights = "w";
  spec.weight_bound = 3.0;
  MadeUp without{{}, data.rows, {{"x", "y", "w"}}};
  double total = 0.0;
  Vector mean = Vector::Zero(2);
  Matrix square = Matrix::Zero(2, 2);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double* row = data.cells.data() + 4 * i;
    without.cells.insert(without.cells.end(), row, row + 3);
    const Eigen::Vector2d x(row[0], row[1]);
    total += row[2];
    mean += row[2] * x;
    square += row[2] * x * x.transpose();
  }
  mean /= total;
  const Matrix exact = square / total - mean * mean.transpose();
  Request request;
  request.task = Task::Covariance;
  const ReleaseDocument document = *released(spec, without, request, 1e5);
  EXPECT_NEAR(*field<double>(document.result, "noisy_rows") / total, 1.0, 1e-3);
  EXPECT_LT((document.tables.back().values - exact).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_EQ(field<double>(document.result, "rows"), nullptr);
  // Under replace-one the number of rows read would be public elsewhere: not here.
  request.relation = Relation::ReplaceOne;
  const ReleaseDocument replaced = *released(spec, without, request, 1.0);
  EXPECT_EQ(field<double>(replaced.result, "rows"), nullptr);
  EXPECT_NE(*field<double>(replaced.result, "noisy_rows"), static_cast<double>(data.rows));
  request.relation = Relation::ZeroRow;
  EXPECT_FALSE(released(spec, without, request, 1.0));
  request.relation = Relation::AddRemove;
  request.method = "exponential";
  request.task = Task::Components;
  EXPECT_FALSE(released(spec, without, request, 1.0));
}

TEST(Stages, PeopleNeedTheirGroup) {
  TableSpec spec;
  spec.range = ColumnRange{-3, 3};
  spec.exclude = {};
  spec.person = "who";
  spec.rows_per_person = 4;
  const MadeUp data = survey(100);
  Request request;
  request.task = Task::Covariance;
  EXPECT_FALSE(released(spec, data, request, 1.0));  // a group of one would be too little noise
  request.group_size = 4;
  const ReleaseDocument document = *released(spec, data, request, 1e5);
  EXPECT_EQ(document.guarantee.group_size, 4);
  EXPECT_NEAR(*field<double>(document.result, "noisy_rows"), 40.0, 0.1);  // 10 people, 4 rows each
  request.relation = Relation::ReplaceOne;
  EXPECT_FALSE(released(spec, data, request, 1.0));  // exact counts
  spec.noisy_count = true;
  const ReleaseDocument replaced = *released(spec, data, request, 1e5);
  EXPECT_EQ(field<double>(replaced.result, "rows"), nullptr);
  EXPECT_NEAR(*field<double>(replaced.result, "noisy_rows"), 40.0, 0.1);
}

/// Rows (c, x) that become (c, 0) change by more, in the norm that Laplace and Wishart noise go by,
/// than rows that become zero, which the sensitivity of a zeroed row is of.
TEST(Stages, ACountedRowThatIsZeroedIsNoZeroRow) {
  const double radius = 2.0;
  const double constant = 0.5 * radius;  // as PreparedTable chooses it
  const Eigen::Vector2d person(constant, radius);
  const Eigen::Vector2d nobody(constant, 0.0);
  const Eigen::Matrix2d change = person * person.transpose() - nobody * nobody.transpose();
  const double moved =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(change).eigenvalues().cwiseAbs().sum();
  EXPECT_GT(moved, 1.1 * person.squaredNorm());

  TableSpec spec;
  spec.row_norm = radius;
  spec.noisy_count = true;
  const MadeUp data = survey(100);
  for (const std::string method : {"gauss", "laplace", "wishart"}) {
    for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow}) {
      Request request;
      request.task = Task::Covariance;
      request.method = method;
      request.relation = relation;
      request.budget = PureDp{1.0};
      if (method == "gauss") {
        request.budget = Zcdp{0.5};
      }
      const PublicFacts facts = PreparedTable::make(spec, data.schema)->facts();
      ASSERT_TRUE(facts.counted);
      EXPECT_EQ(plan(request, facts).has_value(), relation != Relation::ZeroRow) << method;
    }
  }
}

TEST(Stages, LoadingsOfABasisAreThoseOfTheColumns) {
  MadeUp data{{}, 2000, {{"a", "b", "c"}}};
  for (std::size_t i = 0; i < data.rows; ++i) {
    const double t = std::sin(static_cast<double>(i));
    data.cells.insert(data.cells.end(), {0.0, 3 * t, 4 * t});
  }
  TableSpec spec;
  spec.projected_norm = 10.0;
  spec.project = PublicBasis{{"a", "b", "c"}, {}, Matrix::Identity(3, 2)};
  spec.project->directions.col(1) << 0, 0.6, 0.8;
  const ReleaseDocument document = *released(spec, data, {}, 1e4);
  const ReleasedTable& loadings = document.tables.front();
  EXPECT_EQ(loadings.row_names, data.schema.columns);
  EXPECT_NEAR(std::fabs(loadings.values(1, 0)), 0.6, 1e-3);
  EXPECT_NEAR(std::fabs(loadings.values(2, 0)), 0.8, 1e-3);
  EXPECT_FALSE(PreparedTable::make(spec, {{"a", "c", "b"}}));  // another order is another basis
  spec.projected_norm.reset();
  EXPECT_FALSE(PreparedTable::make(spec, data.schema));
}

Vector filled(std::size_t cells, std::size_t first, std::size_t last, double count) {
  Vector counts = Vector::Zero(static_cast<Eigen::Index>(cells));
  for (std::size_t i = first; i <= last; ++i) {
    counts[static_cast<Eigen::Index>(i)] = count;
  }
  return counts;
}

TEST(PrivateBounds, WindowsFindWhereRowsEnd) {
  const auto noise = [](std::size_t cells) { return 50.0 * std::sqrt(static_cast<double>(cells)); };
  const auto sharp = shown_cells(filled(801, 300, 320, 1000), 21000, 0.001, noise);
  ASSERT_TRUE(sharp);
  EXPECT_EQ(sharp->first, 300U);
  EXPECT_EQ(sharp->last, 320U);
  // 40 in each cell are below 5 deviations of a cell, and four of them are above those of four.
  const auto faint = shown_cells(filled(801, 300, 363, 40), 2560, 0.001, noise);
  ASSERT_TRUE(faint);
  EXPECT_GE(faint->first, 300U);
  EXPECT_LE(faint->last, 363U);
  EXPECT_LT(faint->first, 310U);
  EXPECT_GT(faint->last, 353U);
  // One such cell alone shows in no window; two would (80 against 5 sqrt(2) 10).
  EXPECT_FALSE(shown_cells(filled(801, 300, 300, 40), 40, 0.001, noise));
}

/// The exact tail of one Laplace variable is exp(-t) / 2, and of two exp(-t) (2 + t) / 4.
TEST(CountsPlan, TheNoiseOfLaplaceCountsHasItsOwnTail) {
  const auto plan = CountsPlan::make({1, PureDp{0.1}});
  ASSERT_TRUE(plan) << plan.error().message;
  for (const double alpha : {1e-2, 1e-6, 1e-9}) {
    const double one = (plan->exceeded(1, alpha) - 0.5) / plan->noise().diagonal;
    const double two = (plan->exceeded(2, alpha) - 1.0) / plan->noise().diagonal;
    EXPECT_LE(0.5 * std::exp(-one), alpha);
    EXPECT_LE(0.25 * (2.0 + two) * std::exp(-two), alpha);
    EXPECT_GT(two, one);
    // Not idle either: within log(1 / alpha) and the price of Chernoff's bound, e (t + 1) / 2.
    EXPECT_LE(one, -std::log(alpha) + 1.0 + std::log(0.5 * (one + 1.0)));
    // The broken twin: what a normal of the same deviation would allow is too little.
    const double normal = std::sqrt(2.0) * boost::math::quantile(boost::math::complement(
                                               boost::math::normal(), alpha));
    EXPECT_GT(0.5 * std::exp(-normal), alpha);
  }
}

TEST(PrivateBounds, EveryValueHasACell) {
  const MagnitudeGrid grid;
  for (const double value : {-std::numeric_limits<double>::infinity(), -1e300, -1.0, -1e-30, 0.0,
                             1e-30, 0.1, 1.0, 3.7, 1e25, std::numeric_limits<double>::infinity()}) {
    ASSERT_LT(grid.cell_of(value), grid.values());
    if (std::fabs(value) > 1e-12 && std::fabs(value) < 1e18) {
      EXPECT_LE(grid.low(grid.cell_of(value)), value);
      EXPECT_GT(grid.high(grid.cell_of(value)), value);
    }
  }
  EXPECT_EQ(grid.cell_of(NAN), grid.missing());
  EXPECT_EQ(grid.cell_of(-0.0), grid.cell_of(1e-20));
}

// All pairs of tables of two rows over three cells: the counts of two columns move by at most the
// sensitivity, and some pair attains it.
TEST(PrivateBounds, SensitivityOnTinyTables) {
  const auto counts = [](int a, int b, bool two) {  // cells of both columns of two rows
    Vector c = Vector::Zero(6);
    for (const int row : {a, b}) {
      c[row % 3] += 1;
      c[3 + row / 3] += 1;
      if (!two) {
        break;
      }
    }
    return c;
  };
  double removed = 0.0;
  double replaced = 0.0;
  double replaced_l1 = 0.0;
  for (int a = 0; a < 9; ++a) {
    for (int b = 0; b < 9; ++b) {
      removed = std::max(removed, (counts(a, b, true) - counts(a, b, false)).norm());
      for (int other = 0; other < 9; ++other) {
        const Vector moved = counts(a, b, true) - counts(a, other, true);
        replaced = std::max(replaced, moved.norm());
        replaced_l1 = std::max(replaced_l1, moved.lpNorm<1>());
      }
    }
  }
  EXPECT_NEAR(removed, *counts_l2_sensitivity(2, Relation::AddRemove), 1e-12);
  EXPECT_NEAR(replaced, *counts_l2_sensitivity(2, Relation::ReplaceOne), 1e-12);
  EXPECT_NEAR(replaced_l1, *counts_l1_sensitivity(2, Relation::ReplaceOne), 1e-12);
  EXPECT_GE(*counts_l2_sensitivity(2, Relation::ReplaceOne), replaced);
  EXPECT_FALSE(counts_l2_sensitivity(2, Relation::IndependentCopy));
}

// All tables of four rows of two people over three cells: the histogram of the first two rows of
// everybody moves by at most twice a row's sensitivity when a person goes, and by sqrt(2) times
// that when a person becomes another with any rows; some pair attains both. Without the limit (the
// broken twin) a person moves more.
TEST(PrivateBounds, PeopleOnTinyTables) {
  using Cells = std::vector<double>;
  const Schema schema{{"x", "who"}};
  const auto counts = [&](const Cells& cells, std::uint32_t most) {
    Vector c = Vector::Zero(3);
    const auto rows =
        rows_of_people({"who", most}, *read_array({cells.data(), cells.size() / 2, 2, 16, 8},
                                                  schema, BadCell::Refuse, MissingCell::Midpoint));
    const Result<void> read = for_each_block(**rows, 1, [&](std::size_t, RawRows& block) {
      for (std::size_t i = 0; i < block.rows; ++i) {
        c[static_cast<Eigen::Index>(block.values[i])] += 1;
      }
    });
    EXPECT_TRUE(read);
    return c;
  };
  double removed = 0.0;
  double replaced = 0.0;
  double unlimited = 0.0;
  for (int code = 0; code < 6 * 6 * 6 * 6; ++code) {
    Cells table;
    Cells without;
    Cells other;  // person 1 has rows in the next cell, and one less
    bool fewer = true;
    for (int row = 0, rest = code; row < 4; ++row, rest /= 6) {
      const double cell = rest % 3;
      const double who = (rest / 3) % 2;
      table.insert(table.end(), {cell, who});
      if (who == 0.0) {
        without.insert(without.end(), {cell, who});
        other.insert(other.end(), {cell, who});
      } else if (!fewer || code % 2 == 0) {
        other.insert(other.end(), {std::fmod(cell + 1.0, 3.0), who});
      } else {
        fewer = false;
      }
    }
    removed = std::max(removed, (counts(table, 2) - counts(without, 2)).norm());
    replaced = std::max(replaced, (counts(table, 2) - counts(other, 2)).norm());
    unlimited = std::max(unlimited, (counts(table, 4) - counts(without, 4)).norm());
  }
  EXPECT_NEAR(removed, 2.0 * *counts_l2_sensitivity(1, Relation::AddRemove), 1e-12);
  EXPECT_NEAR(replaced, 2.0 * *counts_l2_sensitivity(1, Relation::ReplaceOne), 1e-12);
  EXPECT_GT(unlimited, 2.0 * *counts_l2_sensitivity(1, Relation::AddRemove));
  const auto plan = [](int group, const CountedPeople& people) {
    PrivateBoundsRequest request{GaussianDp{1.0}, Relation::ReplaceOne, group, 0.001};
    request.people = people;
    return PrivateBounds::make(request, {{"x", "y", "who"}});
  };
  EXPECT_NEAR(plan(1, {"who", 5})->count_sd(), 5.0 * std::sqrt(2.0 * 2.0), 1e-9);
  EXPECT_EQ(plan(1, {"who", 5})->guarantee().person, "who");
  EXPECT_FALSE(plan(2, {"who", 5}));
  EXPECT_FALSE(plan(1, {"who", 0}));
  EXPECT_FALSE(plan(1, {"whom", 5}));
}

TEST(PrivateBounds, ARangeHoldsTheColumn) {
  MadeUp data{{}, 20000, {{"income", "gap"}}};
  for (std::size_t i = 0; i < data.rows; ++i) {
    data.cells.insert(data.cells.end(),
                      {1000.0 + 9000.0 * std::fabs(std::sin(static_cast<double>(i))), NAN});
  }
  const PrivateBounds plan =
      *PrivateBounds::make({GaussianDp{1.0}, Relation::AddRemove, 1, 0.001, {}}, data.schema);
  const auto rows = *read_array({data.cells.data(), data.rows, 2, 16, 8}, data.schema,
                                BadCell::Refuse, MissingCell::Midpoint);
  RandomStream stream = RandomStream::seeded(seed_for("private bounds"));
  const ReleaseDocument document = *plan.release(*rows, stream, 2);
  const Matrix& range = document.tables.front().values;
  EXPECT_LE(range(0, 0), 1000.0 * 1.19);
  EXPECT_GE(range(0, 0), 1000.0 / 1.42);
  EXPECT_GE(range(0, 1), 10000.0 / 1.19);
  EXPECT_LE(range(0, 1), 10000.0 * 1.42);
  EXPECT_TRUE(std::isnan(range(1, 0)));  // all missing: hidden, not guessed
  EXPECT_EQ(*field<std::vector<std::string>>(document.result, "hidden_by_noise"),
            std::vector<std::string>{"gap"});
  EXPECT_FALSE(PrivateBounds::make({GaussianDp{1.0}, Relation::ZeroRow}, data.schema));
}

}  // namespace
}  // namespace eigenveil::test::stages_test
