// People on released axes are placed about the point that the axes are about, in the columns of the
// table that the axes were made of.
#include "engine/scores.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/array_rows.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/table/prepared_table.hpp"
#include "report/report_figures.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::scores_test {
namespace {

using Numbers = std::vector<double>;
using Names = std::vector<std::string>;

/// Axes along the first two columns, of variance 1 and 0.25.
ReadRelease axes_of(const Names& columns) {
  ReadRelease on;
  on.checksum = std::string(64, 'a');
  ReleaseDocument& document = on.document;
  document.task = "pca";
  document.parameters = {{"columns", columns}, {"units", std::string("original")}};
  document.result = {{"noisy_explained_variance", Numbers{1.0, 0.25}},
                     {"noisy_explained_share", Numbers{0.8, 0.2}}};
  const auto p = static_cast<Eigen::Index>(columns.size());
  document.tables.push_back(
      {"loadings", "", "column", columns, {"PC1", "PC2"}, Matrix::Identity(p, 2)});
  return on;
}

Result<ReleaseDocument> drawn(const ReadRelease& on, const Numbers& cells, std::size_t columns) {
  ScoresRequest asked;
  asked.cells = 4;
  asked.budget = GaussianDp{1e4};
  const Result<Scores> plan = Scores::make(asked, on);
  if (!plan) {
    return error_of(plan);
  }
  Schema schema{plan->table().columns};
  EXPECT_EQ(schema.dimension(), columns);
  auto rows = *read_array({cells.data(), cells.size() / columns, columns, columns * 8, 8}, schema,
                          BadCell::Refuse, MissingCell::Midpoint);
  RandomStream stream = RandomStream::seeded(seed_for("scores"));
  return plan->release(std::move(rows), stream, 1);
}

/// The noisy count of a cell: `right` cells across, `up` cells up, of four.
double count(const ReleaseDocument& document, Eigen::Index right, Eigen::Index up) {
  return document.tables.front().values(3 - up, right);
}

TEST(Scores, GenotypesAboutAPrivateMeanAreCentredThere) {
  ReadRelease on = axes_of({"a", "b"});
  set_field(on.document.parameters, "units", std::string("standardised by public frequencies"));
  set_field(on.document.parameters, "allele_frequencies", Numbers{0.5, 0.5});
  // Two copies are (2 - 1) / sqrt(0.5) = 1.41 standardised.
  Numbers cells;
  for (int i = 0; i < 50; ++i) {
    cells.insert(cells.end(), {2.0, 0.0});
  }
  const double one = std::sqrt(2.0);
  const ReleaseDocument about_frequencies = *drawn(on, cells, 2);
  // 1.41 of 4 deviations to the right: the third of four cells; -1.41 of 2 down: the first.
  EXPECT_NEAR(count(about_frequencies, 2, 0), 50.0, 1.0);
  on.document.result.emplace_back("noisy_mean", Numbers{one - 0.1, -one - 0.1});
  const ReleaseDocument about_mean = *drawn(on, cells, 2);
  EXPECT_NEAR(count(about_mean, 2, 2), 50.0, 1.0);
}

TEST(Scores, SharesOfAxesInABasisAreOfWhatIsInside) {
  ReadRelease on = axes_of({"a", "b"});
  const ReleaseDocument all = *drawn(on, {0.0, 0.0}, 2);
  EXPECT_NE(field<Numbers>(all.parameters, "axis_shares"), nullptr);
  EXPECT_NE(scores_figure(all)->panels.front().x.label.find("80% of the variance)"),
            std::string::npos);
  set_field(on.document.parameters, "projected_on", std::string("a public basis"));
  const ReleaseDocument inside = *drawn(on, {0.0, 0.0}, 2);
  EXPECT_EQ(field<Numbers>(inside.parameters, "axis_shares"), nullptr);
  EXPECT_NE(scores_figure(inside)->panels.front().x.label.find("80% of the variance inside"),
            std::string::npos);
}

TEST(Scores, LevelsOfAReleaseAreReadBackFromTheirColumn) {
  TableSpec spec;
  spec.range = ColumnRange{-1.0, 1.0};
  spec.one_hot = {{"sex", {"m", "f=x"}}, {"grade", {"1", "2"}}};
  const PreparedTable table = *PreparedTable::make(spec, {{"grade", "sex", "age"}});
  ReadRelease on = axes_of(table.schema().columns);
  on.document = table.finish(std::move(on.document));
  on.document.result.emplace_back("noisy_mean", Numbers{0.0, 0.1, 0.0, 0.0, 0.0});
  ScoresRequest asked;
  asked.budget = GaussianDp{1.0};
  const Scores plan = *Scores::make(asked, on);
  EXPECT_EQ(plan.table().columns, (Names{"grade", "sex", "age"}));
  ASSERT_EQ(plan.table().one_hot.size(), 2U);
  EXPECT_EQ(plan.table().one_hot[1].words, (Names{"m", "f=x"}));
  // grade=1 and grade=2 are the axes.
  const ReleaseDocument document = *drawn(on, {1.0, 1.0, 0.3, 1.0, 2.0, 0.3, 2.0, 0.0, 0.3}, 3);
  EXPECT_NEAR(count(document, 2, 1), 2.0, 0.2);
  EXPECT_NEAR(count(document, 2, 3) + count(document, 2, 2), 1.0, 0.2);
  asked.label = {"sex", {"m"}};
  EXPECT_NE(Scores::make(asked, on).error().message.find("{label} is a column"), std::string::npos);
  asked.label = {};
  set_field(on.document.parameters, kLevelsOf, Names{"sex", "sex", "age", "age"});
  EXPECT_NE(Scores::make(asked, on).error().message.find("contradicts itself"), std::string::npos);
}

TEST(Scores, AReleaseWithoutAxesForPeopleSaysSo) {
  TableSpec spec;
  spec.normalise_rows = true;
  const PreparedTable table = *PreparedTable::make(spec, {{"a", "b"}});
  ReadRelease on = axes_of({"a", "b"});
  on.document = table.finish(std::move(on.document));
  EXPECT_EQ(on.document.remarks.back().label, "scores");
  ScoresRequest asked;
  asked.budget = GaussianDp{1.0};
  EXPECT_NE(Scores::make(asked, on).error().message.find("{normalise_rows}"), std::string::npos);
  // Without a range the centre of the rows is zero, and that is said.
  EXPECT_NE(table.remarks().front().text.find("about zero"), std::string::npos);
  spec.range = ColumnRange{0.0, 10.0};
  EXPECT_NE(PreparedTable::make(spec, {{"a", "b"}})->remarks().front().text.find("public centre"),
            std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::scores_test
