#include "data/exact_rows.hpp"

#include <gtest/gtest.h>

#include "table_support.hpp"

namespace eigenveil::test {
namespace {

using Points = std::vector<std::vector<std::int64_t>>;
using Header = ReadOptions::Header;

ReadOptions total(Header header, std::size_t width) {
  ReadOptions options;
  options.header = header;
  options.width = width;
  options.bad_cell = BadCell::Midpoint;
  return options;
}

void expect_points(std::string_view text, const Points& points, ReadOptions options = {}) {
  for (std::size_t chunk = 0; chunk <= text.size() + 1; ++chunk) {
    options.chunk_bytes = chunk;
    const Result<ExactRows> plain =
        read_exact_rows(TemporaryFile(text, ".csv").path(), options, false);
    ASSERT_TRUE(plain) << plain.error().message;
    EXPECT_EQ(plain->points, points) << text << "\nchunk " << chunk;
    const Result<ExactRows> packed =
        read_exact_rows(TemporaryFile(gzip(text), ".csv.gz").path(), options, false);
    ASSERT_TRUE(packed) << packed.error().message;
    EXPECT_EQ(packed->points, points);
  }
}

std::string refusal(std::string_view text, const ReadOptions& options = {}) {
  const Result<ExactRows> rows =
      read_exact_rows(TemporaryFile(text, ".csv").path(), options, false);
  return rows ? std::string() : rows.error().message;
}

TEST(ExactRows, FractionsAndNames) {
  expect_points("1/2,1/3\n2,0.5\n", {{3, 2}, {20, 5}});
  expect_points("a,b\n1/2,1/3\n", {{3, 2}});
  expect_points("a,b\n", {});
  EXPECT_NE(refusal("1/2,x\n1,2\n").find("mixes names and numbers"), std::string::npos);
}

/// An empty point is a row that counts as zero: no content of a line changes how many there are.
TEST(ExactRows, EveryLineIsARowWhateverItHolds) {
  expect_points("5\n\n7\n", {{5}, {}, {7}});
  expect_points("\n3\n7", {{}, {3}, {7}});
  expect_points("1,2\n\n3\n4,5,6\nx,1\n", {{1, 2}, {}, {}, {4, 5}, {}}, total(Header::Absent, 2));
  expect_points("1\n3,4\n", {{}, {3, 4}}, total(Header::Absent, 2));
  expect_points("a,b\n\n3,4\n", {{}, {3, 4}}, total(Header::Present, 0));
  expect_points("", {}, total(Header::Absent, 2));
  expect_points("\"1\n\",2\n", {{}}, total(Header::Absent, 2));  // a record may have two lines
  EXPECT_EQ(refusal("1,2\n\n3,4\n"), "line 2 has 1 fields instead of 2");
  EXPECT_NE(refusal("1,2\n", total(Header::Absent, 0)).find("{width"), std::string::npos);
  EXPECT_NE(refusal("1,2\n", total(Header::Auto, 0)).find("{header"), std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test
