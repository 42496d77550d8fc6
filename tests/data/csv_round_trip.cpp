#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "data/parallel_rows.hpp"
#include "support/seed.hpp"
#include "table_support.hpp"

namespace eigenveil::test::csv_round_trip_test {
namespace {

/// A random table as text, with the numbers that must come back.
struct WrittenTable {
  std::string text;
  std::string ending;
  std::vector<std::string> columns;  // the numeric ones
  std::vector<double> values;        // of the numeric ones
};

double random_double() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return static_cast<double>(*rc::gen::inRange(-1000, 1000));
    case 1:
      return static_cast<double>(*rc::gen::inRange(-1000000, 1000000)) / 1000.0;
    case 2: {  // any bit pattern that is finite
      const double any = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
      return std::isfinite(any) ? any : 0.5;
    }
    default:
      return std::ldexp(
          static_cast<double>(*rc::gen::inRange<std::int64_t>(-(1LL << 53), 1LL << 53)),
          *rc::gen::inRange(-80, 20));
  }
}

std::string printed(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    result += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  }
  return result + "\"";
}

std::string random_note() {
  const auto letters =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a7,\t\"\n\r ;.")));
  return quoted(letters);
}

std::string number_cell(double value) {
  const std::string plain = printed(value);
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return quoted(plain);
    case 1:
      return " " + plain;
    default:
      return plain;
  }
}

WrittenTable random_table() {
  WrittenTable table;
  const char delimiter = *rc::gen::element(',', '\t');
  table.ending = delimiter == ',' ? ".csv" : ".tsv";
  const std::string line_end = *rc::gen::element<std::string>("\n", "\r\n");
  const auto fields = *rc::gen::inRange<std::size_t>(2, 6);
  std::vector<bool> numeric(fields, true);
  for (std::size_t j = 1; j < fields; ++j) {
    numeric[j] = *rc::gen::inRange(0, 3) > 0;
  }
  const auto join = [&](const std::vector<std::string>& cells) {
    for (std::size_t j = 0; j < fields; ++j) {
      table.text += (j > 0 ? std::string(1, delimiter) : "") + cells[j];
    }
    table.text += line_end;
  };
  std::vector<std::string> cells(fields);
  for (std::size_t j = 0; j < fields; ++j) {
    cells[j] = (numeric[j] ? "x" : "note") + std::to_string(j);
    if (numeric[j]) {
      table.columns.push_back(cells[j]);
    }
  }
  join(cells);
  const auto rows = *rc::gen::inRange<std::size_t>(0, 12);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t j = 0; j < fields; ++j) {
      const double value = numeric[j] ? random_double() : 0.0;
      if (numeric[j]) {
        table.values.push_back(value);
      }
      cells[j] = numeric[j] ? number_cell(value) : random_note();
    }
    join(cells);
  }
  if (*rc::gen::arbitrary<bool>()) {
    table.text.resize(table.text.size() - line_end.size());
  }
  return table;
}

ReadOptions random_chunks(const WrittenTable& table) {
  ReadOptions options;
  options.columns = table.columns;
  options.chunk_bytes = *rc::gen::inRange<std::size_t>(1, table.text.size() + 2);
  return options;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

/// RapidCheck takes its seed from the environment, once, at the first check of this program.
const int kFixedSeed = [] {
  const std::string parameters = "seed=" + std::to_string(seed_for("data")) + " max_success=500";
  return ::setenv("RC_PARAMS", parameters.c_str(), 0);
}();

TEST(CsvRoundTrip, EveryBitComesBackAtEveryChunkSize) {
  ASSERT_EQ(kFixedSeed, 0);
  EXPECT_TRUE(rc::check([] {
    const WrittenTable written = random_table();
    const Result<Table> table = read_text(written.text, random_chunks(written), written.ending);
    RC_ASSERT(table.has_value());
    RC_ASSERT(table->columns == written.columns);
    RC_ASSERT(same_bits(table->values, written.values));
  }));
}

TEST(CsvRoundTrip, GzipIsTheSameTable) {
  EXPECT_TRUE(rc::check([] {
    const WrittenTable written = random_table();
    const std::size_t cut = *rc::gen::inRange<std::size_t>(0, written.text.size() + 1);
    const std::string packed =
        gzip(written.text.substr(0, cut)) + gzip(written.text.substr(cut));  // two members
    const Result<Table> table = read_text(packed, random_chunks(written), written.ending + ".gz");
    RC_ASSERT(table.has_value());
    RC_ASSERT(same_bits(table->values, written.values));
  }));
}

TEST(CsvRoundTrip, ErrorsNameTheLineOnWhichTheRowStarts) {
  EXPECT_TRUE(rc::check([] {
    WrittenTable written = random_table();
    ReadOptions options = random_chunks(written);
    if (written.text.back() != '\n') {
      written.text += '\n';
    }
    written.text += "oops\n";
    const auto line = std::count(written.text.begin(), written.text.end(), '\n');
    const Result<Table> table = read_text(written.text, options, written.ending);
    RC_ASSERT(message_of(table) ==
              "line " + std::to_string(line) +
                  ", column x0: not a number (the value is not shown). Leave the column out with "
                  "{columns} or {exclude}, or count such cells as missing with {bad_cell "
                  "midpoint}; {one_hot} "
                  "turns words into 0/1 columns, {decimal comma} reads decimal commas, {decimal "
                  "point} commas between thousands.");
  }));
}

/// Breaks some rows; the first broken one must be named whatever chunks and workers do.
TEST(CsvRoundTrip, FirstErrorInFileOrderWithManyWorkers) {
  EXPECT_TRUE(rc::check([] {
    const auto rows = *rc::gen::inRange<std::size_t>(1, 400);
    const auto broken =
        *rc::gen::unique<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, rows));
    std::string text = "a,b\n";
    for (std::size_t row = 0; row < rows; ++row) {
      const bool bad = std::ranges::find(broken, row) != broken.end();
      text += bad ? "1,oops\n" : "\"1\",2.5\n";
    }
    ReadOptions options;
    options.chunk_bytes = *rc::gen::inRange<std::size_t>(1, 200);
    const TemporaryFile file(text, ".csv");
    auto reader = open_rows(file.path(), options);
    RC_ASSERT(reader.has_value());
    std::mutex counting;
    std::size_t seen = 0;
    const Result<void> done =
        for_each_block(**reader, 4, [&](std::size_t worker, const RawRows& block) {
          const std::scoped_lock lock(counting);
          seen += worker < 4 ? block.rows : 0;
        });
    if (broken.empty()) {
      RC_ASSERT(done.has_value());
      RC_ASSERT(seen == rows);
    } else {
      RC_ASSERT(!done.has_value());
      RC_ASSERT(done.error().message ==
                "line " + std::to_string(2 + *std::ranges::min_element(broken)) +
                    ", column b: not a number (the value is not shown). Leave the column out with "
                    "{columns} or {exclude}, or count such cells as missing with {bad_cell "
                    "midpoint}; {one_hot} "
                    "turns words into 0/1 columns, {decimal comma} reads decimal commas, {decimal "
                    "point} commas between thousands.");
    }
  }));
}

/// Any bytes split into records in one way only: the outcome does not depend on the chunk size.
TEST(CsvRoundTrip, OutcomeOfAnyBytesDoesNotDependOnChunks) {
  EXPECT_TRUE(rc::check([] {
    const auto soup =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("11,,\n\n\"\"\r x.-")));
    ReadOptions options;
    options.header = ReadOptions::Header::Absent;
    options.bad_cell = *rc::gen::element(BadCell::Refuse, BadCell::Midpoint);
    options.width = options.bad_cell == BadCell::Midpoint ? 2 : 0;
    const Result<Table> whole = read_text(soup, options);
    options.chunk_bytes = *rc::gen::inRange<std::size_t>(1, soup.size() + 2);
    const Result<Table> pieces = read_text(soup, options);
    RC_CLASSIFY(whole.has_value(), "read");
    RC_ASSERT(whole.has_value() == pieces.has_value());
    RC_ASSERT(message_of(whole) == message_of(pieces));
    if (whole) {
      RC_ASSERT(same_bits(whole->values, pieces->values));
    }
  }));
}

/// Shape and number of rows of a total run are those of the lines, whatever a line holds.
TEST(CsvRoundTrip, NoRecordHasASayInTheShape) {
  EXPECT_TRUE(rc::check([] {
    const auto lines = *rc::gen::container<std::vector<std::string>>(
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("1,;\t\r x.-"))));
    std::string text;
    for (const std::string& line : lines) {
      text += line + '\n';
    }
    ReadOptions options;
    options.header = ReadOptions::Header::Absent;
    options.bad_cell = BadCell::Midpoint;
    options.width = *rc::gen::inRange<std::size_t>(1, 4);
    options.chunk_bytes = *rc::gen::inRange<std::size_t>(1, text.size() + 2);
    const Result<Table> table = read_text(text, options);
    RC_ASSERT(table.has_value());
    RC_ASSERT(table->columns.size() == options.width);
    RC_ASSERT(table->rows == lines.size());
    const Result<Table> packed = read_text(gzip(text), options, ".csv.gz");
    RC_ASSERT(packed.has_value() && packed->rows == lines.size());
  }));
}

}  // namespace
}  // namespace eigenveil::test::csv_round_trip_test
