#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "table_support.hpp"

namespace eigenveil::test::npy_test {
namespace {

std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string header = dictionary + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>((header.size() >> (8 * i)) & 0xFFU);
  }
  return bytes + header + data;
}

std::string dictionary(const std::string& type, bool fortran, const std::string& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type,
                     fortran ? "True" : "False", shape);
}

/// Bytes of 3 x 2 numbers given row by row.
template <class T>
std::string stored(const std::vector<T>& row_major, bool fortran, bool swap) {
  std::string data;
  for (std::size_t i = 0; i < 6; ++i) {
    const T value = row_major[fortran ? (i % 3) * 2 + i / 3 : i];
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if (swap) {
      std::reverse(bytes, bytes + sizeof(T));
    }
    data.append(bytes, sizeof(T));
  }
  return data;
}

template <class T>
void expect_type(const std::string& type, const std::vector<T>& row_major) {
  for (const bool fortran : {false, true}) {
    for (const bool big : {false, true}) {
      for (const int version : {1, 2, 3}) {
        const std::string order = big ? ">" : (sizeof(T) == 1 ? "|" : "<");
        const std::string bytes = npy(dictionary(order + type, fortran, "(3, 2)"),
                                      stored(row_major, fortran, big), version);
        for (const std::size_t chunk : {0, 1, 16, 40}) {
          ReadOptions options;
          options.chunk_bytes = chunk;
          const Result<Table> table = read_text(bytes, options, ".npy");
          ASSERT_TRUE(table) << type << table.error().message;
          EXPECT_EQ(table->columns, (std::vector<std::string>{"c1", "c2"}));
          EXPECT_EQ(table->values, std::vector<double>(row_major.begin(), row_major.end()));
          options.columns = {"c2"};
          const Result<Table> second = read_text(bytes, options, ".npy");
          ASSERT_TRUE(second);
          EXPECT_EQ(second->values, (std::vector<double>{static_cast<double>(row_major[1]),
                                                         static_cast<double>(row_major[3]),
                                                         static_cast<double>(row_major[5])}));
        }
      }
    }
  }
}

template <class T>
std::vector<T> extremes() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0, 1, 2, 77};
}

TEST(Npy, EveryTypeOrderAndVersion) {
  static_assert(std::endian::native == std::endian::little);
  expect_type<double>("f8", {1.5, -0.1, 1e300, 5e-324, 0, 7});
  expect_type<float>("f4", {1.5F, -0.1F, 1e30F, 1e-45F, 0, 7});
  expect_type<std::int8_t>("i1", extremes<std::int8_t>());
  expect_type<std::int16_t>("i2", extremes<std::int16_t>());
  expect_type<std::int32_t>("i4", extremes<std::int32_t>());
  expect_type<std::int64_t>("i8", extremes<std::int64_t>());
  expect_type<std::uint8_t>("u1", extremes<std::uint8_t>());
  expect_type<std::uint16_t>("u2", extremes<std::uint16_t>());
  expect_type<std::uint32_t>("u4", extremes<std::uint32_t>());
  expect_type<std::uint64_t>("u8", extremes<std::uint64_t>());
  expect_type<std::uint8_t>("b1", {0, 1, 1, 0, 0, 1});
}

TEST(Npy, ShapesAndSpelling) {
  const std::string data(24, '\0');
  EXPECT_EQ(read_text(npy(dictionary("<f8", false, "(3,)"), data), {}, ".npy")->columns,
            std::vector<std::string>{"c1"});
  EXPECT_EQ(read_text(npy(dictionary("<f8", false, "(1, 3)"), data), {}, ".npy")->rows, 1U);
  const Result<Table> none = read_text(npy(dictionary("<f8", false, "(0, 3)"), ""), {}, ".npy");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->rows, 0U);
  EXPECT_EQ(none->columns.size(), 3U);
  const std::string spelled = "{\"shape\":(3,1),\"descr\":\"<f8\",\"fortran_order\":True}   ";
  EXPECT_EQ(read_text(npy(spelled, data), {}, ".npy")->rows, 3U);
}

TEST(Npy, MissingAndInfiniteCells) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> cells = {1, 2, 3, std::nan(""), -kInfinity, 6};
  for (const bool fortran : {false, true}) {
    const std::string bytes =
        npy(dictionary("<f8", fortran, "(3, 2)"), stored(cells, fortran, false));
    for (const std::size_t chunk : {1, 0}) {
      ReadOptions options;
      options.chunk_bytes = chunk;
      EXPECT_EQ(message_of(read_text(bytes, options, ".npy")),
                "row 3, column c1: not a finite number (the value is not shown).");
      options.bad_cell = BadCell::Midpoint;
      const Result<Table> table = read_text(bytes, options, ".npy");
      ASSERT_TRUE(table);
      EXPECT_TRUE(std::isnan(table->values[3]) && std::isnan(table->values[4]));
      EXPECT_EQ(table->values[5], 6);
      options.missing = MissingCell::Refuse;
      EXPECT_EQ(message_of(read_text(bytes, options, ".npy")),
                "row 2, column c2: the value is missing.");
    }
  }
}

TEST(Npy, ComplexNumbersArePairsOfColumns) {
  std::string data(32, '\0');
  const std::array<double, 4> parts = {1.0, -2.0, 3.0, 4.5};
  std::memcpy(data.data(), parts.data(), data.size());
  const Result<Table> table = read_text(npy(dictionary("<c16", false, "(1, 2)"), data), {}, ".npy");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->columns, (std::vector<std::string>{"c1.re", "c1.im", "c2.re", "c2.im"}));
  EXPECT_EQ(table->values, (std::vector<double>{1.0, -2.0, 3.0, 4.5}));
}

TEST(Npy, ComplexColumnsInFortranOrder) {
  const std::array<double, 12> parts = {1.0, -2.0, 5.0, 6.0, 9.0,  10.0,
                                        3.0, 4.5,  7.0, 8.0, 11.0, 12.0};
  std::string data(sizeof(parts), '\0');
  std::memcpy(data.data(), parts.data(), data.size());
  const std::string bytes = npy(dictionary("<c16", true, "(3, 2)"), data);
  for (const std::size_t chunk : {std::size_t{0}, std::size_t{64}}) {
    ReadOptions options;
    options.chunk_bytes = chunk;
    const Result<Table> table = read_text(bytes, options, ".npy");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->columns, (std::vector<std::string>{"c1.re", "c1.im", "c2.re", "c2.im"}));
    EXPECT_EQ(table->values, (std::vector<double>{1.0, -2.0, 3.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0,
                                                  10.0, 11.0, 12.0}));
    options.columns = {"c2.im", "c1.re"};
    const Result<Table> some = read_text(bytes, options, ".npy");
    ASSERT_TRUE(some);
    EXPECT_EQ(some->values, (std::vector<double>{4.5, 1.0, 8.0, 5.0, 12.0, 9.0}));
  }
}

TEST(Npy, RefusalsAreClear) {
  const std::string data(16, '\0');
  const auto refusal = [&data](const std::string& type, const std::string& shape) {
    return message_of(read_text(npy(dictionary(type, false, shape), data), {}, ".npy"));
  };
  const std::string wrong_type =
      "the array does not hold float32, float64, integers or booleans; save it with "
      "astype('float64').";
  for (const char* type : {"<f2", "<f16", "|O", "<U4", "", "<", "f8", "=f8", "|f8", "<f80"}) {
    EXPECT_EQ(refusal(type, "(2,)"), wrong_type) << type;
  }
  EXPECT_EQ(refusal("<f8", "()").substr(0, 28), "the array has 0 dimensions; ");
  EXPECT_EQ(refusal("<f8", "(1, 2, 1)").substr(0, 28), "the array has 3 dimensions; ");
  for (const char* shape : {"(2, 0)", "(0, 1048577)"}) {
    EXPECT_EQ(refusal("<f8", shape), "the array must have between 1 and 1048576 columns.");
  }
  const std::string fields = "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}";
  EXPECT_EQ(message_of(read_text(npy(fields, data), {}, ".npy")),
            "the array has named fields; save a plain two-dimensional array.");
}

TEST(Npy, SizeMustMatchTheHeader) {
  const auto ending_of = [](const std::string& shape, std::size_t bytes) {
    const TemporaryFile file(npy(dictionary("<f8", false, shape), std::string(bytes, 'x')), ".npy");
    const std::string message = message_of(read_table(file.path()));
    return message.starts_with(file.path()) ? message.substr(file.path().size()) : message;
  };
  EXPECT_EQ(ending_of("(2, 2)", 32), "");
  const std::string truncated = " is shorter than its header announces; is it truncated?";
  EXPECT_EQ(ending_of("(2, 2)", 31), truncated);
  EXPECT_EQ(ending_of("(2, 2)", 0), truncated);
  EXPECT_EQ(ending_of("(2, 2)", 33), " is longer than its header announces.");
  // 2^61 cells of 8 bytes, and 2^63 x 2 cells, would wrap to zero bytes.
  EXPECT_EQ(ending_of("(2305843009213693952, 1)", 0), truncated);
  EXPECT_EQ(ending_of("(9223372036854775808, 2)", 0), truncated);
  EXPECT_EQ(ending_of("(18446744073709551616, 1)", 0), " is not a valid .npy file.");
}

TEST(Npy, MalformedHeaders) {
  const std::string good = dictionary("<f8", false, "(1,)");
  const std::string data(8, '\0');
  ASSERT_TRUE(read_text(npy(good, data), {}, ".npy"));
  const std::vector<std::string> headers = {
      "",
      "{}",
      good.substr(0, good.size() - 1),
      good + "x",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1)}",
      "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
      "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f8', 'fortran_order': False}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
      "{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}"};
  std::vector<std::string> files = {"", "\x93NUMPY", npy(good, data, 4),
                                    "\x93NUMPX" + npy(good, data).substr(6)};
  for (const std::string& header : headers) {
    files.push_back(npy(header, data));
  }
  std::string long_header = npy(good, data, 2);
  long_header[11] = '\x7F';  // announces 2 GB of header
  files.push_back(long_header);
  for (const std::string& bytes : files) {
    const TemporaryFile file(bytes, ".npy");
    const Result<Table> table = read_table(file.path());
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().message, file.path() + " is not a valid .npy file.") << bytes;
    EXPECT_EQ(table.error().code, ErrorCode::BadRequest);
  }
}

TEST(Npy, FileThatShrinksIsAnError) {
  for (const bool fortran : {false, true}) {
    const TemporaryFile file(npy(dictionary("<f8", fortran, "(100, 2)"), std::string(1600, '\0')),
                             ".npy");
    ReadOptions options;
    options.chunk_bytes = 64;
    auto reader = open_rows(file.path(), options);
    ASSERT_TRUE(reader);
    RawRows block;
    ASSERT_TRUE((*reader)->read(block));
    std::filesystem::resize_file(file.path(), 200);
    Result<void> got;
    while (got && block.rows > 0) {
      got = (*reader)->read(block);
    }
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::InputOutput);
    EXPECT_EQ(got.error().message, file.path() + " became shorter while it was read.");
  }
}

TEST(Npy, OrdersAgreeAtEveryChunkSize) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::inRange<std::size_t>(0, 200);
    const auto columns = *rc::gen::inRange<std::size_t>(1, 9);
    std::vector<double> expected(rows * columns);
    std::string by_rows;
    std::string by_columns(expected.size() * sizeof(std::int32_t), '\0');
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto cell = static_cast<std::int32_t>(i * 2654435761U);
      expected[i] = cell;
      by_rows.append(reinterpret_cast<const char*>(&cell), sizeof(cell));
      std::memcpy(by_columns.data() + ((i % columns) * rows + i / columns) * sizeof(cell), &cell,
                  sizeof(cell));
    }
    const std::string shape = fmt::format("({}, {})", rows, columns);
    ReadOptions options;
    options.chunk_bytes = *rc::gen::inRange<std::size_t>(0, 4000);
    const Result<Table> c =
        read_text(npy(dictionary("<i4", false, shape), by_rows), options, ".npy");
    const Result<Table> f =
        read_text(npy(dictionary("<i4", true, shape), by_columns), options, ".npy");
    RC_ASSERT(c.has_value() && f.has_value());
    RC_ASSERT(c->values == expected);
    RC_ASSERT(f->values == expected);
  }));
}

}  // namespace
}  // namespace eigenveil::test::npy_test
