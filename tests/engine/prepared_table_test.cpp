// How rows become bounded rows stands once: specs, the bound they give, the stages in front of
// rows.
#include "engine/table/prepared_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "data/array_rows.hpp"

namespace eigenveil::test::prepared_table_test {
namespace {

const Schema kColumns{{"age", "sex", "income"}};

TableSpec survey() {
  TableSpec spec;
  spec.one_hot = {{"sex", {"1", "2"}}};
  spec.bounds = {{{"age", {0, 100}}, {"income", {0, 2000}}}};
  return spec;
}

std::string message(const TableSpec& spec, const Schema& schema = kColumns) {
  const Result<PreparedTable> made = PreparedTable::make(spec, schema);
  return made ? "" : made.error().message;
}

TEST(PreparedTable, LevelsNeedNoRangeOfTheirOwn) {
  const PreparedTable table = *PreparedTable::make(survey(), kColumns);
  EXPECT_EQ(table.schema().columns, (std::vector<std::string>{"age", "sex=1", "sex=2", "income"}));
  EXPECT_EQ(table.bound().midpoint(0), 50);
  EXPECT_EQ(table.bound().midpoint(1), 0.5);
  EXPECT_EQ(table.bound().half_width(3), 1000);
}

TEST(PreparedTable, RowsGoThroughTheStages) {
  const PreparedTable table = *PreparedTable::make(survey(), kColumns);
  const std::vector<double> cells = {40, 2, 500, 30, 7, 100};
  const ArrayView view{cells.data(), 2, 3, 24, 8};
  const auto reader =
      *table.rows(*read_array(view, kColumns, BadCell::Refuse, MissingCell::Midpoint));
  EXPECT_EQ(reader->schema(), table.schema());
  RawRows block;
  ASSERT_TRUE(reader->read(block));
  EXPECT_EQ(block.values, (std::vector<double>{40, 0, 1, 500, 30, 0, 0, 100}));
}

TEST(PreparedTable, APublicCentreMovesRangesAndSurvivesLevels) {
  TableSpec spec = survey();
  spec.center = {{{"age", 40}, {"income", 0}, {"sex=2", 0.25}}};
  const PreparedTable ranged = *PreparedTable::make(spec, kColumns);
  EXPECT_EQ(ranged.bound().midpoint(0), 40);
  EXPECT_EQ(ranged.bound().half_width(0), 60);  // symmetric about the centre
  EXPECT_EQ(ranged.bound().midpoint(1), 0.5);
  EXPECT_EQ(ranged.bound().midpoint(2), 0.25);
  spec.bounds.reset();
  spec.row_norm = 3.0;
  const PreparedTable normed = *PreparedTable::make(spec, kColumns);
  EXPECT_EQ(normed.bound().midpoint(0), 40);
  EXPECT_EQ(normed.bound().midpoint(1), 0);
}

TEST(PreparedTable, RefusalsNameTheParameter) {
  EXPECT_NE(message({}).find("{row_norm R}"), std::string::npos);
  TableSpec spec = survey();
  spec.range = ColumnRange{0, 1};
  EXPECT_EQ(message(spec), "give {range} or {bounds}, not both");
  spec = survey();
  spec.bounds->pop_back();
  EXPECT_NE(message(spec).find("{bounds} says nothing of column 'income'"), std::string::npos);
  spec = survey();
  spec.bounds->push_back({"age", {0, 1}});
  EXPECT_NE(message(spec).find("names column 'age' twice"), std::string::npos);
  spec = survey();
  spec.one_hot = {{"gender", {"1"}}};
  EXPECT_NE(message(spec).find("'gender'"), std::string::npos);
  spec = {};
  spec.range = ColumnRange{0, 2};
  spec.allele_frequencies = {
      {{"age", 0.5, "A", "G"}, {"sex", 0.5, "A", "G"}, {"income", NAN, "A", "G"}}};
  EXPECT_NE(message(spec).find("does not say which allele"), std::string::npos);
  EXPECT_NE(message(spec, {{"age", "sex", "income"}, {"A", "G", "A"}}).find("no frequency of"),
            std::string::npos);
}

TEST(PreparedTable, AModelGivesTheRadiusWhereNothingElseDoes) {
  EXPECT_EQ(PreparedTable::make({}, kColumns, 5.0)->bound().radius(), 5.0);
  TableSpec spec;
  spec.row_norm = 2.0;
  EXPECT_EQ(PreparedTable::make(spec, kColumns, 5.0)->bound().radius(), 2.0);
}

TEST(TableSpec, JsonGoesThereAndBack) {
  TableSpec spec = survey();
  spec.columns = {"age", "sex", "income"};
  spec.exclude = {"id"};
  spec.missing = MissingCell::Refuse;
  spec.bad_cell = BadCell::Midpoint;
  spec.row_norm = 1.5;
  spec.grid = 1000;
  spec.center = {{{"age", 40.5}}};
  spec.allele_frequencies = {{{"rs1", 0.25, "A", "G"}, {"rs2", 0.5}}};
  spec.rank_transform = true;
  const std::string text = table_json(spec);
  const Result<TableSpec> back = table_from_json(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(table_json(*back), text);
  EXPECT_NE(table_json(survey()), text);
  EXPECT_FALSE(table_from_json("{\"rangee\": [0, 1]}"));  // not passed over
  EXPECT_FALSE(table_from_json("[1"));
  EXPECT_FALSE(table_from_json("{\"range\": \"0:1\"}"));
}

}  // namespace
}  // namespace eigenveil::test::prepared_table_test
