#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "table_support.hpp"

namespace eigenveil::test::idx_test {
namespace {

template <class T>
std::string big_endian(const std::vector<T>& values) {
  std::string bytes;
  for (const T value : values) {
    const auto stored = std::bit_cast<std::array<char, sizeof(T)>>(value);
    bytes.append(stored.rbegin(), stored.rend());
  }
  return bytes;
}

std::string idx(int type, const std::vector<std::uint32_t>& shape, const std::string& data) {
  std::string bytes(2, '\0');
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(shape.size());
  return bytes + big_endian(shape) + data;
}

template <class T>
void expect_type(int type, const std::vector<T>& cells) {
  ASSERT_EQ(cells.size(), 12U);
  const std::string bytes = idx(type, {3, 2, 2}, big_endian(cells));
  for (const std::size_t chunk : {0, 1, 40, 70}) {
    ReadOptions options;
    options.chunk_bytes = chunk;
    for (const bool packed : {false, true}) {
      const std::string ending = packed ? "-idx3-ubyte.gz" : ".idx";
      const std::string file = packed ? gzip(bytes) : bytes;
      options.columns.clear();
      const Result<Table> table = read_text(file, options, ending);
      ASSERT_TRUE(table) << type << table.error().message;
      EXPECT_EQ(table->columns, (std::vector<std::string>{"c1", "c2", "c3", "c4"}));
      EXPECT_EQ(table->rows, 3U);
      EXPECT_EQ(table->values, std::vector<double>(cells.begin(), cells.end()));
      options.columns = {"c4", "c1"};
      const Result<Table> some = read_text(file, options, ending);
      ASSERT_TRUE(some);
      EXPECT_EQ(some->values, (std::vector<double>{
                                  static_cast<double>(cells[3]), static_cast<double>(cells[0]),
                                  static_cast<double>(cells[7]), static_cast<double>(cells[4]),
                                  static_cast<double>(cells[11]), static_cast<double>(cells[8])}));
    }
  }
}

template <class T>
std::vector<T> extremes() {
  return {std::numeric_limits<T>::lowest(),
          std::numeric_limits<T>::max(),
          0,
          1,
          2,
          3,
          4,
          5,
          6,
          7,
          8,
          100};
}

TEST(Idx, EveryTypePlainAndCompressed) {
  expect_type(0x08, extremes<std::uint8_t>());
  expect_type(0x09, extremes<std::int8_t>());
  expect_type(0x0B, extremes<std::int16_t>());
  expect_type(0x0C, extremes<std::int32_t>());
  expect_type(0x0D, extremes<float>());
  expect_type(0x0E, extremes<double>());
}

TEST(Idx, ShapesAndEndings) {
  const std::string labels = idx(0x08, {4}, std::string(4, '\7'));
  for (const char* ending : {".idx", "-labels-idx1-ubyte", ".idx1-ubyte", "-UBYTE"}) {
    const Result<Table> table = read_text(labels, {}, ending);
    ASSERT_TRUE(table) << ending << table.error().message;
    EXPECT_EQ(table->columns, std::vector<std::string>{"c1"});
    EXPECT_EQ(table->values, std::vector<double>(4, 7.0));
  }
  EXPECT_TRUE(read_text(gzip(labels), {}, ".idx.gz"));
  const Result<Table> none = read_text(idx(0x0E, {0, 5}, ""), {}, ".idx");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->rows, 0U);
  EXPECT_EQ(none->columns.size(), 5U);
}

TEST(Idx, MissingAndInfiniteCells) {
  const std::string bytes =
      idx(0x0E, {2, 2}, big_endian(std::vector<double>{1, std::nan(""), -HUGE_VAL, 4}));
  EXPECT_EQ(message_of(read_text(bytes, {}, ".idx")),
            "row 2, column c1: not a finite number (the value is not shown).");
  ReadOptions options;
  options.missing = MissingCell::Refuse;
  EXPECT_EQ(message_of(read_text(bytes, options, ".idx")),
            "row 1, column c2: the value is missing.");
  options.missing = MissingCell::Midpoint;
  options.bad_cell = BadCell::Midpoint;
  const Result<Table> table = read_text(bytes, options, ".idx");
  ASSERT_TRUE(table);
  EXPECT_TRUE(std::isnan(table->values[1]) && std::isnan(table->values[2]));
}

TEST(Idx, RefusalsAreClear) {
  const std::string good = idx(0x0B, {3, 2}, std::string(12, '\1'));
  const auto tail = [](const Result<Table>& table) {
    const std::string message = message_of(table);
    const std::size_t at = message.find(" is ");
    return at == std::string::npos ? message : message.substr(at + 1);
  };
  const std::string truncated = "is shorter than its header announces; is it truncated?";
  const std::string longer = "is longer than its header announces.";
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::string part = good.substr(0, length);
    const std::string expected = length < 12 ? "is not a valid IDX file." : truncated;
    EXPECT_EQ(tail(read_text(part, {}, ".idx")), expected) << length;
    EXPECT_EQ(tail(read_text(gzip(part), {}, ".idx.gz")), expected) << length;
  }
  EXPECT_EQ(tail(read_text(good + "x", {}, ".idx")), longer);
  EXPECT_EQ(tail(read_text(gzip(good + "x"), {}, ".idx.gz")), longer);
  std::string corrupt = gzip(good);
  corrupt[corrupt.size() - 6] ^= 1;  // the checksum after the last row
  EXPECT_EQ(tail(read_text(corrupt, {}, ".idx.gz")), "is not a valid gzip file.");
  const auto with = [&good](std::size_t at, char byte) {
    std::string bytes = good;
    bytes[at] = byte;
    return bytes;
  };
  for (const auto& [at, byte] : {std::pair<std::size_t, char>{0, 1}, {1, 1}, {2, 0x0A}, {3, 0}}) {
    EXPECT_EQ(tail(read_text(with(at, byte), {}, ".idx")), "is not a valid IDX file.") << at;
  }
  EXPECT_EQ(message_of(read_text(with(8, '\x10'), {}, ".idx")),
            "the array must have between 1 and 1048576 columns.");
  EXPECT_EQ(message_of(read_text(idx(0x08, {3, 0}, ""), {}, ".idx")),
            "the array must have between 1 and 1048576 columns.");
  const std::string huge = idx(0x0E, {0xFFFFFFFFU, 1U << 20U}, "");
  EXPECT_EQ(tail(read_text(huge, {}, ".idx")), truncated);
}

/// Sums computed with Python: sum(data[16::784]) and so on over the unpacked file.
TEST(Idx, MnistPixelSums) {
  const std::string path = "/work/shared/data/mnist/t10k-images-idx3-ubyte.gz";
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is not on this machine";
  }
  const Result<Table> table = read_table(path);
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->rows, 10000U);
  ASSERT_EQ(table->columns.size(), 784U);
  const auto sum_of = [&table](std::size_t pixel) {
    double sum = 0.0;
    for (std::size_t i = 0; i < table->rows; ++i) {
      sum += table->values[i * 784 + pixel];
    }
    return sum;
  };
  EXPECT_EQ(sum_of(0), 0);
  EXPECT_EQ(sum_of(100), 120629);
  EXPECT_EQ(sum_of(406), 1326752);
  EXPECT_EQ(sum_of(657), 1021583);
  EXPECT_EQ(std::accumulate(table->values.begin(), table->values.end(), 0.0), 264923200);
}

}  // namespace
}  // namespace eigenveil::test::idx_test
