// Private ranges say what they may cut off, and show nothing where that is most of the rows.
#include "engine/private_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "data/array_rows.hpp"
#include "eigenveil/report/fields.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::private_bounds_test {
namespace {

std::string line_of(const std::vector<FactLine>& lines, const std::string& label) {
  for (const FactLine& line : lines) {
    if (line.label == label) {
      return line.text;
    }
  }
  return "";
}

/// Five columns, uniform between 1 and 9.
struct Uniform {
  std::vector<double> cells;
  std::size_t rows;
  Schema schema{{"a", "b", "c", "d", "e"}};

  explicit Uniform(std::size_t n) : rows(n) {
    std::mt19937_64 draw(seed_for("uniform between 1 and 9"));
    for (std::size_t i = 0; i < 5 * n; ++i) {
      cells.push_back(1.0 + 8.0 * std::ldexp(static_cast<double>(draw() >> 11U), -53));
    }
  }
  ReleaseDocument ranges(const PrivateBounds& plan) const {
    const auto reader = *read_array({cells.data(), rows, 5, 5 * 8, 8}, schema, BadCell::Refuse,
                                    MissingCell::Midpoint);
    RandomStream stream = RandomStream::seeded(seed_for("private ranges"));
    return *plan.release(*reader, stream, 1);
  }
};

PrivateBounds plan_with(double mu, std::optional<ColumnRange> outer = {}) {
  const Uniform table(0);
  PrivateBoundsRequest request{GaussianDp{mu}, Relation::AddRemove, 1, 0.001};
  request.outer = outer;
  return *PrivateBounds::make(request, table.schema);
}

// Two neighbouring cells that only together pass the noise say that rows are in one or the other;
// sixteen that only together pass say no more. What was taken for a range was the whole window.
TEST(PrivateBounds, EndsThatCrossAreHidden) {
  const auto noise = [](std::size_t cells) { return 50.0 * std::sqrt(static_cast<double>(cells)); };
  for (const auto& [cells, count] : {std::pair{2, 49.0}, std::pair{16, 13.0}}) {
    Vector counts = Vector::Zero(801);
    counts.segment(300, cells).setConstant(count);
    EXPECT_FALSE(shown_cells(counts, 0.0, 0.001, noise)) << cells;
    counts[300] = counts[300 + cells - 1] = 60.0;  // now both ends show by themselves
    const auto shown = shown_cells(counts, 0.0, 0.001, noise);
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->first, 300U);
    EXPECT_EQ(shown->last, 300U + static_cast<unsigned>(cells) - 1U);
  }
}

TEST(PrivateBounds, MostRowsOutsideIsNoRange) {
  const Uniform table(1000);
  const ReleaseDocument drowned = table.ranges(plan_with(0.1));
  EXPECT_TRUE(drowned.tables.front().values.array().isNaN().all());
  EXPECT_EQ(field<std::vector<std::string>>(drowned.result, "hidden_by_noise")->size(), 5U);
  EXPECT_EQ(line_of(drowned.remarks, "next"), "");
  EXPECT_NE(line_of(drowned.remarks, "warning").find("more than half"), std::string::npos);

  const ReleaseDocument told = table.ranges(plan_with(0.3));
  EXPECT_FALSE(told.tables.front().values.array().isNaN().any());
  EXPECT_NE(line_of(told.remarks, "warning").find("may cut off"), std::string::npos);
  ASSERT_NE(field<std::string>(told.result, kCutOffWarning), nullptr);
  EXPECT_NE(line_of(told.remarks, "next"), "");
  // What it says holds: no more rows lie outside of an end than half of the share.
  const double share = *field<double>(told.result, "share_noise_may_cut_off");
  EXPECT_GT(share, 0.1);
  EXPECT_LT(share, 0.5);
  for (Eigen::Index j = 0; j < 5; ++j) {
    double below = 0.0;
    double above = 0.0;
    for (std::size_t i = 0; i < table.rows; ++i) {
      const double cell = table.cells[5 * i + static_cast<std::size_t>(j)];
      below += cell < told.tables.front().values(j, 0) ? 1.0 : 0.0;
      above += cell > told.tables.front().values(j, 1) ? 1.0 : 0.0;
    }
    EXPECT_LE(std::max(below, above), 0.5 * share * 1000.0);
  }

  const ReleaseDocument clear = Uniform(20000).ranges(plan_with(1.0));
  EXPECT_EQ(line_of(clear.remarks, "warning"), "");
  EXPECT_EQ(field<std::string>(clear.result, kCutOffWarning), nullptr);
}

// One rule: what the plan of so many rows says, the release of such a table says.
TEST(PrivateBounds, PlansSayWhatReleasesSay) {
  for (const double mu : {0.1, 0.3, 3.0}) {
    const PrivateBounds plan = plan_with(mu);
    const PlanFacts facts = plan.outlook(1000);
    const ReleaseDocument document = Uniform(1000).ranges(plan);
    const double share = nlohmann::json::parse(facts.json)["share_noise_may_cut_off"];
    EXPECT_NEAR(share, *field<double>(document.result, "share_noise_may_cut_off"), 0.25 * share);
    EXPECT_EQ(line_of(facts.lines, "warning").empty(),
              line_of(document.remarks, "warning").empty());
    EXPECT_EQ(line_of(facts.lines, "pays").empty(), mu == 0.1);  // nothing is found, nothing pays
  }
}

TEST(PrivateBounds, AnOuterRangeStandsForWhatIsHidden) {
  const ReleaseDocument document = Uniform(1000).ranges(plan_with(0.1, ColumnRange{0.0, 20.0}));
  EXPECT_EQ(document.tables.front().values(4, 1), 20.0);
  EXPECT_NE(line_of(document.remarks, "next"), "");
  EXPECT_NE(line_of(document.remarks, "hidden").find("outer"), std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::private_bounds_test
