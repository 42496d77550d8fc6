#include "data/column_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace eigenveil::test::column_rows_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int32_t kNone = INT32_MIN;

/// Four rows: numbers, whole numbers, words.
struct Frame {
  std::array<double, 4> number = {1.5, kNan, -2.0, 4.0};
  std::array<std::int32_t, 4> whole = {7, 8, kNone, -9};
  std::array<std::int32_t, 4> word = {1, 2, 3, kNone};
  ColumnTable table() const {
    return {{{"number", std::span<const double>(number)},
             {"whole", WholeCells{whole, kNone}},
             {"word", WordCells{word, {"f", "m", "x"}}}},
            4};
  }
};

/// All rows, blocks of one row after the other.
Result<std::vector<double>> read_all(const ColumnTable& table, ReadOptions options) {
  options.chunk_bytes = 1;
  Result<std::unique_ptr<RowReader>> reader = read_columns(table, options);
  if (!reader) {
    return error_of(reader);
  }
  std::vector<double> all;
  RawRows block;
  for (;;) {
    if (const Result<void> read = (*reader)->read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      return all;
    }
    all.insert(all.end(), block.values.begin(), block.values.end());
  }
}

void expect_cells(const std::vector<double>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i]))) << i;
  }
}

TEST(ColumnRows, CellsOfEveryKindInRowOrder) {
  const Frame frame;
  ReadOptions options;
  options.words = {{"word", {"m", "f"}}};
  const auto found = read_all(frame.table(), options);
  ASSERT_TRUE(found) << found.error().message;
  // A word outside of the public list is 0, a place outside of the words is missing.
  expect_cells(*found, {1.5, 7, 2, kNan, 8, 1, -2, kNan, 0, 4, -9, kNan});
}

TEST(ColumnRows, SelectsByNameAsFilesDo) {
  const Frame frame;
  ReadOptions options;
  options.columns = {"whole", "number"};
  const auto found = read_all(frame.table(), options);
  ASSERT_TRUE(found) << found.error().message;
  expect_cells(*found, {7, 1.5, 8, kNan, kNan, -2, -9, 4});
  options.columns = {"wohle"};
  EXPECT_NE(read_all(frame.table(), options).error().message.find("did you mean whole"),
            std::string::npos);
}

TEST(ColumnRows, WordsWithoutAListMustBeNumbers) {
  Frame frame;
  ReadOptions options;
  options.columns = {"word"};
  const auto refused = read_all(frame.table(), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "row 1, column word: not a finite number (the value is not shown).");
  options.bad_cell = BadCell::Midpoint;
  const auto passed = read_all(frame.table(), options);
  ASSERT_TRUE(passed);
  expect_cells(*passed, {kNan, kNan, kNan, kNan});
  const ColumnTable codes = {{{"word", WordCells{frame.word, {"3", "NA", "-1.5"}}}}, 4};
  expect_cells(*read_all(codes, {}), {3, kNan, -1.5, kNan});
}

// The words of a list are found by value in columns of numbers, and people by name in every kind.
TEST(ColumnRows, WordsAndPeopleInEveryKindOfColumn) {
  const std::vector<std::int32_t> whole = {1, 2, INT32_MIN, 5};
  const std::vector<double> numbers = {1, 2, kNan, 5};
  const std::vector<std::int32_t> places = {1, 2, 0, 3};
  const ColumnTable all = {{{"a", WholeCells{whole}},
                            {"b", std::span<const double>(numbers)},
                            {"c", WordCells{places, {"01", "2.0", "5"}}}},
                           4};
  ReadOptions options;
  for (const char* name : {"a", "b", "c"}) {
    options.words.push_back({name, {"2", "1", "*"}});
  }
  expect_cells(*read_all(all, options), {2, 2, 2, 1, 1, 1, kNan, kNan, kNan, 0, 0, 0});
  std::vector<std::vector<double>> people;
  for (const char* name : {"a", "b", "c"}) {
    ReadOptions asked;
    asked.person = name;
    asked.columns = {name == std::string("a") ? "b" : "a"};
    people.push_back(*read_all(all, asked));
  }
  for (std::size_t i = 0; i < people[0].size(); ++i) {
    if (i % 4 != 0) {  // after the column that was asked for
      EXPECT_EQ(std::isnan(people[0][i]), i / 4 == 2);
      for (const auto& other : people) {
        EXPECT_TRUE(other[i] == people[0][i] || i / 4 == 2) << i;
      }
    }
  }
  EXPECT_NE(people[0][1], people[0][5]);
}

TEST(ColumnRows, RefusesWhatIsNoTable) {
  Frame frame;
  ColumnTable table = frame.table();
  table.rows = 3;
  EXPECT_FALSE(read_columns(table, {}));
  EXPECT_FALSE(read_columns({}, {}));
  ReadOptions strict;
  strict.missing = MissingCell::Refuse;
  strict.columns = {"number"};
  EXPECT_EQ(read_all(frame.table(), strict).error().message,
            "row 2, column number: the value is missing.");
}

}  // namespace
}  // namespace eigenveil::test::column_rows_test
