#include "report/table_format.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <regex>

namespace eigenveil::test::table_format_test {
namespace {

ReleasedTable example() {
  Matrix values(2, 3);
  values << 0.1, -2.5e-300, 1.0 / 3.0,  //
      std::numeric_limits<double>::denorm_min(), 1e308, -0.0;
  return {"loadings", "text", "column", {"plain", "a,b"}, {"x", "say \"y\"", "z"}, values};
}

TEST(CsvField, IsQuotedWhereRfc4180NeedsIt) {
  EXPECT_EQ(csv_field("plain name"), "plain name");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"y\""), "\"say \"\"y\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("\r"), "\"\r\"");
  EXPECT_EQ(csv_field("größe"), "größe");
}

TEST(TableCsv, NumbersReadBackToTheSameDouble) {
  const ReleasedTable table = example();
  const std::string text = table_csv(table);
  ASSERT_TRUE(text.starts_with("column,x,\"say \"\"y\"\"\",z\nplain,"));
  std::string body = text.substr(text.find("plain,") + 6);
  const std::size_t second = body.find("\n\"a,b\",");
  ASSERT_NE(second, std::string::npos);
  body[second] = ',';
  body.erase(second + 1, 6);
  const char* cursor = body.c_str();
  for (Eigen::Index row = 0; row < 2; ++row) {
    for (Eigen::Index column = 0; column < 3; ++column) {
      char* end = nullptr;
      const double value = std::strtod(cursor, &end);
      const double expected = table.values(row, column);
      EXPECT_EQ(std::memcmp(&value, &expected, sizeof value), 0) << row << ' ' << column;
      cursor = end + 1;
    }
  }
}

/// The published layout: magic, version 1.0, little-endian header length, a Python dict literal
/// padded so that the data start at a multiple of 64.
TEST(TableNpy, FollowsTheFormat) {
  for (const Eigen::Index rows : {1, 2, 1000000}) {
    ReleasedTable table = example();
    table.values = Matrix::Constant(rows, rows == 2 ? 3 : 1, 0.25);
    table.values(rows - 1, 0) = -7.5;
    const std::string bytes = table_npy(table);
    ASSERT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t length =
        static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ((10 + length) % 64, 0U);
    const std::string header = bytes.substr(10, length);
    std::smatch found;
    const std::regex layout(
        R"(\{'descr': '<f8', 'fortran_order': True, 'shape': \((\d+), (\d+)\), \} *\n)");
    ASSERT_TRUE(std::regex_match(header, found, layout)) << header;
    EXPECT_EQ(std::stol(found[1]), table.values.rows());
    EXPECT_EQ(std::stol(found[2]), table.values.cols());
    const auto size = static_cast<std::size_t>(table.values.size());
    ASSERT_EQ(bytes.size(), 10 + length + size * sizeof(double));
    EXPECT_EQ(std::memcmp(bytes.data() + 10 + length, table.values.data(), size * sizeof(double)),
              0);
  }
}

TEST(TableCsv, GenotypesNameTheCountedAllele) {
  ReleasedTable table = example();
  table.counted_alleles = {"A", "C,T"};
  const std::string text = table_csv(table);
  EXPECT_TRUE(text.starts_with("column,counted_allele,x,"));
  EXPECT_NE(text.find("\nplain,A,0.1,"), std::string::npos);
  EXPECT_NE(text.find("\n\"a,b\",\"C,T\","), std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::table_format_test
