#include "data/array_rows.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "data/parallel_rows.hpp"
#include "eigenveil/core/cancellation.hpp"

namespace eigenveil::test::array_rows_test {
namespace {

Schema three_columns() {
  return Schema{{"a", "b", "c"}};
}

std::vector<double> all_rows(RowReader& reader) {
  std::vector<double> values;
  for (RawRows block;;) {
    EXPECT_TRUE(reader.read(block));
    if (block.rows == 0) {
      return values;
    }
    values.insert(values.end(), block.values.begin(), block.values.end());
  }
}

Result<std::vector<double>> read_all(const ArrayView& view, BadCell bad = BadCell::Refuse,
                                     MissingCell missing = MissingCell::Midpoint) {
  return read_array(view, three_columns(), bad, missing)
      .map([](const std::unique_ptr<RowReader>& reader) { return all_rows(*reader); });
}

TEST(ArrayRows, BothOrdersAndTypesGiveTheSameRows) {
  // Enough rows for several blocks.
  constexpr std::size_t kRows = 200'000;
  std::vector<double> row_major(kRows * 3);
  std::vector<std::int16_t> column_major(kRows * 3);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const auto value = static_cast<std::int16_t>((i * 7 + j) % 1000);
      row_major[i * 3 + j] = value;
      column_major[j * kRows + i] = value;
    }
  }
  const auto by_rows = read_all({row_major.data(), kRows, 3, 24, 8});
  const auto by_columns = read_all(
      {column_major.data(), kRows, 3, 2, 2 * kRows, ArrayView::Kind::Signed, sizeof(std::int16_t)});
  ASSERT_TRUE(by_rows && by_columns);
  EXPECT_EQ(*by_rows, row_major);
  EXPECT_EQ(*by_columns, row_major);
}

TEST(ArrayRows, MissingAndBadCellsAreSettledWithoutTheirValue) {
  std::vector<float> cells = {1, 2, 3, 4, std::numeric_limits<float>::infinity(), 6};
  const ArrayView view{cells.data(), 2, 3, 12, 4, ArrayView::Kind::Float, 4};
  const auto refused = read_array(view, three_columns(), BadCell::Refuse, MissingCell::Midpoint);
  ASSERT_TRUE(refused);
  RawRows block;
  const Result<void> read = (*refused)->read(block);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("row 2, column b"), std::string::npos);
  const auto passed = read_all(view, BadCell::Midpoint);
  ASSERT_TRUE(passed);
  EXPECT_TRUE(std::isnan((*passed)[4]));
}

TEST(ArrayRows, RefusesWhatItCannotRead) {
  const double cell = 0.0;
  EXPECT_FALSE(read_all({&cell, 1, 2, 16, 8}));                                  // two columns
  EXPECT_FALSE(read_all({&cell, 1, 3, 6, 2, ArrayView::Kind::Float, 2}));        // half precision
  EXPECT_FALSE(read_all({&cell, 1, 3, 48, 16, ArrayView::Kind::Unsigned, 16}));  // wide integers
}

TEST(ArrayRows, ReadingThatIsCancelledIsAnError) {
  std::vector<double> cells(300);
  const auto reader = read_array({cells.data(), 100, 3, 24, 8}, three_columns(), BadCell::Refuse,
                                 MissingCell::Midpoint);
  ASSERT_TRUE(reader);
  std::atomic<bool> cancelled = true;
  Result<void> read;
  Result<void> read_by_many;
  run_cancellable(cancelled, [&] {
    RawRows block;
    read = (*reader)->read(block);
    read_by_many = for_each_block(**reader, 3, [](std::size_t, RawRows&) { FAIL(); });
  });
  EXPECT_FALSE(read);
  EXPECT_FALSE(read_by_many);
  std::size_t rows = 0;
  EXPECT_TRUE(
      for_each_block(**reader, 1, [&](std::size_t, RawRows& block) { rows += block.rows; }));
  EXPECT_EQ(rows, 100);
}

}  // namespace
}  // namespace eigenveil::test::array_rows_test
