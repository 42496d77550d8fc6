#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "table_support.hpp"

namespace eigenveil::test::csv_grammar_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Names = std::vector<std::string>;
using Values = std::vector<double>;
using Header = ReadOptions::Header;

/// Reads `text` with chunks of every size that can move a boundary, and expects the same each time.
void expect_table(std::string_view text, const Names& columns, const Values& values,
                  ReadOptions options = {}, const std::string& ending = ".csv") {
  for (std::size_t chunk = 0; chunk <= text.size() + 1; ++chunk) {
    options.chunk_bytes = chunk;
    const Result<Table> table = read_text(text, options, ending);
    ASSERT_TRUE(table) << text << "\nchunk " << chunk << ": " << table.error().message;
    ASSERT_EQ(table->columns, columns) << text;
    ASSERT_EQ(table->values.size(), values.size()) << text << "\nchunk " << chunk;
    EXPECT_EQ(table->rows * columns.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) {
        EXPECT_TRUE(std::isnan(table->values[i])) << text << "\ncell " << i;
      } else {
        EXPECT_EQ(table->values[i], values[i]) << text << "\ncell " << i;
        EXPECT_EQ(std::signbit(table->values[i]), std::signbit(values[i]));
      }
    }
  }
}

void expect_refused(std::string_view text, const std::string& message, ReadOptions options = {},
                    const std::string& ending = ".csv") {
  for (std::size_t chunk = 0; chunk <= text.size() + 1; ++chunk) {
    options.chunk_bytes = chunk;
    const Result<Table> table = read_text(text, options, ending);
    ASSERT_FALSE(table) << text;
    EXPECT_EQ(table.error().message, message) << text << "\nchunk " << chunk;
    EXPECT_EQ(table.error().code, ErrorCode::BadRequest);
  }
}

ReadOptions with(Header header) {
  ReadOptions options;
  options.header = header;
  return options;
}

ReadOptions selecting(Names columns) {
  ReadOptions options;
  options.columns = std::move(columns);
  return options;
}

ReadOptions midpoint_for_bad_cells() {
  ReadOptions options = with(Header::Present);
  options.bad_cell = BadCell::Midpoint;
  return options;
}

/// A run that no row stops and no row shapes.
ReadOptions total(std::size_t width) {
  ReadOptions options = with(Header::Absent);
  options.bad_cell = BadCell::Midpoint;
  options.width = width;
  return options;
}

TEST(CsvGrammar, LineEndingsAndByteOrderMark) {
  const Names names = {"a", "b"};
  const Values values = {1, 2, 3, 4};
  expect_table("a,b\n1,2\n3,4\n", names, values);
  expect_table("a,b\n1,2\n3,4", names, values);
  expect_table("a,b\r\n1,2\r\n3,4\r\n", names, values);
  expect_table("a,b\r\n1,2\r\n3,4", names, values);
  expect_table(
      "\xEF\xBB\xBF"
      "a,b\n1,2\n3,4\n",
      names, values);
  expect_table("a\tb\n1\t2\n3\t4\n", names, values, {}, ".tsv");
  expect_table("a,b\n1,2\n3,4\n", names, values, {}, ".CSV");
}

TEST(CsvGrammar, EveryLineIsARow) {
  for (const std::string end : {"\n", "\r\n"}) {
    const auto text = [&](std::initializer_list<const char*> lines) {
      std::string joined;
      for (const char* line : lines) {
        joined += line + end;
      }
      return joined;
    };
    // One column: `5 3 7` and `_ 3 7` are neighbours under replace-one, and so have three rows.
    for (const ReadOptions& options : {with(Header::Absent), with(Header::Auto), total(1)}) {
      expect_table(text({"5", "3", "7"}), {"c1"}, {5, 3, 7}, options);
      expect_table(text({"", "3", "7"}), {"c1"}, {kNaN, 3, 7}, options);
      expect_table(text({"5", "3", ""}), {"c1"}, {5, 3, kNaN}, options);
      expect_table(text({"", "", ""}), {"c1"}, {kNaN, kNaN, kNaN}, options);
      expect_table("5" + end + "3", {"c1"}, {5, 3}, options);
    }
    expect_table(text({"x", "", "3", ""}), {"x"}, {kNaN, 3, kNaN}, with(Header::Present));
    // Several columns: an empty line counts as a short one does.
    const Values rows = {1, 2, kNaN, kNaN, 3, kNaN, kNaN, kNaN};
    expect_table(text({"1,2", "", "3", " "}), {"c1", "c2"}, rows, total(2));
    expect_table(text({"a,b", "1,2", "", "3", ","}), {"a", "b"}, rows, midpoint_for_bad_cells());
    expect_refused(text({"a,b", "1,2", "", "3,4"}),
                   "line 3 is empty, and every line is a row: remove it, or count its cells as "
                   "missing with {bad_cell midpoint}.");
  }
  expect_table("n,x\n\"\n\n\",1\n\n", {"x"}, {1, kNaN}, [] {
    ReadOptions options = midpoint_for_bad_cells();
    options.columns = {"x"};
    return options;
  }());
  expect_refused("\na,b\n1,2\n",
                 "the first line is empty, and {header present} says it holds the names.",
                 with(Header::Present));
}

TEST(CsvGrammar, NoRowShapesATotalRun) {
  const Values rows = {1, kNaN, 3, 4, 5, 6};
  expect_table("1\n3,4\n5,6\n", {"c1", "c2"}, rows, total(2));
  expect_table("1,,9,9\n3,4\n5,6\n", {"c1", "c2"}, rows, total(2));
  expect_table("1;2\n3,4\n", {"c1", "c2"}, {kNaN, kNaN, 3, 4}, total(2));
  ReadOptions named = total(0);
  named.columns = {"c2", "c1"};
  expect_table("1\n3,4\n", {"c2", "c1"}, {kNaN, 1, 4, 3}, named);
  named.columns = {};
  named.bounded_columns = {"c1", "c2"};
  expect_table("1\n3,4\n5,6\n", {"c1", "c2"}, rows, named);
  // Without a public width the refusal is the same for every table, also for one without rows.
  for (const char* text : {"1,2\n3,4\n", "1\n3,4\n", ""}) {
    expect_refused(text,
                   "with {bad_cell midpoint} the first row may be damaged and cannot say how many "
                   "columns there are; give the number of fields with {width P}, or name the "
                   "columns c1, c2, ... with {columns} or in a bounds file.",
                   total(0));
    ReadOptions undecided = total(0);
    undecided.header = Header::Auto;
    expect_refused(text,
                   "with {bad_cell midpoint} the first line could be a damaged row; say "
                   "{header present} or {header absent}.",
                   undecided);
  }
  ReadOptions exact = with(Header::Absent);
  exact.width = 2;
  expect_refused("1\n3,4\n", "line 1: the record has too few fields (1 instead of 2).", exact);
  exact.header = Header::Present;
  expect_refused("a,b\n3,4\n",
                 "{width} is for text tables without column names; give {header absent} with it.",
                 exact);
}

TEST(CsvGrammar, ATableWithoutRowsIsATable) {
  for (const std::string_view text : {"", "\xEF\xBB\xBF"}) {
    expect_table(text, {"c1", "c2"}, {}, total(2));
    ReadOptions refusing = with(Header::Absent);
    refusing.columns = {"c2"};
    expect_table(text, {"c2"}, {}, refusing);
    refusing.columns = {};
    refusing.bounded_columns = {"c1", "c2", "c3"};
    expect_table(text, {"c1", "c2", "c3"}, {}, refusing);
    expect_table("1,2\n", {"c1", "c2"}, {1, 2}, refusing);  // rows say it themselves
  }
}

TEST(CsvGrammar, QuotedFields) {
  expect_table("\"a\",\"b,c\"\n\"1\",2\n3,\" 4 \"\n", {"a", "b,c"}, {1, 2, 3, 4});
  expect_table("\"say \"\"hi\"\"\",b\n1,2\n", {"say \"hi\"", "b"}, {1, 2});
  // Delimiters, line feeds and doubled quotes inside a column that is not selected.
  expect_table("note,x\n\"one\ntwo, \"\"three\"\"\r\n\",5\n\"\",6\nplain,7\n", {"x"}, {5, 6, 7},
               selecting({"x"}));
  expect_table("x,note\n5,\"\n\n\n\"\n6,\"\"\"\"", {"x"}, {5, 6}, selecting({"x"}));
}

TEST(CsvGrammar, Numbers) {
  expect_table("x\n0\n-0\n+1.5\n.5\n5.\n1e3\n1E-3\n-1.25e+2\n007\n1e-400\n", {"x"},
               {0, -0.0, 1.5, 0.5, 5, 1000, 0.001, -125, 7, 0});
  expect_table(
      "x\n9007199254740993\n123456789012345678901234567890\n0.1\n2.2250738585072011e-308\n"
      "1.7976931348623157e308\n0.000000000000000000000000000001\n1e22\n1e23\n",
      {"x"},
      {9007199254740992.0, 123456789012345678901234567890.0, 0.1, 2.2250738585072011e-308,
       1.7976931348623157e308, 1e-30, 1e22, 1e23});
  // 2^64 + 1 and 2^64 wrap in 64 bits; 10^23 is the first power of ten that is no double.
  expect_table(
      "x\n18446744073709551617\n18446744073709551616\n7e23\n7e-23\n00000000000000000000012\n",
      {"x"}, {18446744073709551617.0, 18446744073709551616.0, 7e23, 7e-23, 12});
  expect_table("x,y\n 1 ,\t2\t\n", {"x", "y"}, {1, 2});
}

TEST(CsvGrammar, MissingTokens) {
  expect_table("a,b,c,d\n,NA,n/a,NaN\nnull,?,\"\", \n", {"a", "b", "c", "d"}, Values(8, kNaN));
  expect_table("x\n1\n\n2\n", {"x"}, {1, kNaN, 2});
  ReadOptions refuse;
  refuse.missing = MissingCell::Refuse;
  expect_refused("a,b\n1,2\n3,NA\n", "line 3, column b: the value is missing.", refuse);
  expect_refused("a,b\n1,2\n,4\n", "line 3, column a: the value is missing.", refuse);
  refuse.bad_cell = BadCell::Midpoint;
  refuse.header = Header::Present;
  expect_refused("a,b\n1,2\n3\n", "line 3, column b: the value is missing.", refuse);
}

TEST(CsvGrammar, BadCells) {
  for (const std::string bad :
       {"x",    "1x",  "inf",    "-Infinity", "1e999",  "-1e309",      "--1",
        "+-1",  "+",   "-",      ".",         "e5",     "1e",          "1e+",
        "0x10", "1 2", "nan(7)", "1_000",     "\"1\"2", "\"1\" \"2\"", "1\r"}) {
    expect_refused(
        "a,b\n1,2\n" + bad + ",4\n",
        "line 3, column a: not a number (the value is not shown). Leave the column out "
        "with {columns} or {exclude}, or count such cells as missing with {bad_cell midpoint}; "
        "{one_hot} turns words into 0/1 columns, {decimal comma} reads decimal commas, {decimal "
        "point} commas between thousands.");
    expect_table("a,b\n1,2\n" + bad + ",4\n", {"a", "b"}, {1, 2, kNaN, 4},
                 midpoint_for_bad_cells());
    expect_table("a,b\n1,2\n" + bad + ",4\n", {"b"}, {2, 4}, selecting({"b"}));
  }
  expect_refused(
      std::string_view("a,b\n1,2\n3,\0004\n", 13),
      "line 3, column b: not a number (the value is not shown). Leave the column out "
      "with {columns} or {exclude}, or count such cells as missing with {bad_cell midpoint}; "
      "{one_hot} turns words into 0/1 columns, {decimal comma} reads decimal commas, {decimal "
      "point} commas between thousands.");
  expect_refused("a,b\n1,2\n3,1,5\"\n\"", "line 3: the record has too many fields (more than 2).");
}

TEST(CsvGrammar, LineNumbersCountLinesInsideQuotes) {
  expect_refused(
      "n,x\n\"a\nb\nc\",1\n\"d\ne\",no\n",
      "line 5, column x: not a number (the value is not shown). Leave the column out "
      "with {columns} or {exclude}, or count such cells as missing with {bad_cell midpoint}; "
      "{one_hot} turns words into 0/1 columns, {decimal comma} reads decimal commas, {decimal "
      "point} commas between thousands.",
      selecting({"x"}));
}

TEST(CsvGrammar, RaggedRecords) {
  expect_refused("a,b,c\n1,2,3\n4,5\n", "line 3: the record has too few fields (2 instead of 3).");
  expect_refused("a,b,c\n1,2,3\n4,5,6,7\n",
                 "line 3: the record has too many fields (more than 3).");
  expect_table("a,b,c\n1,2\n4,5,6,\"x\n,\",8\n7\n9,10,11\n", {"a", "b", "c"},
               {1, 2, kNaN, 4, 5, 6, 7, kNaN, kNaN, 9, 10, 11}, midpoint_for_bad_cells());
}

TEST(CsvGrammar, HeaderRule) {
  expect_table("1,2\n3,4\n", {"c1", "c2"}, {1, 2, 3, 4});
  expect_table("NA,2\n3,4\n", {"c1", "c2"}, {kNaN, 2, 3, 4});
  expect_table("a,\n3,4\n", {"a", "c2"}, {3, 4});
  expect_table("2019,2020\n3,4\n", {"2019", "2020"}, {3, 4}, with(Header::Numbers));
  expect_table("2019,2020\n3,4\n", {"c1", "c2"}, {2019, 2020, 3, 4}, with(Header::Absent));
  expect_refused("alice,3\nbob,4\n",
                 "the first line mixes names and numbers; say whether it holds the column names "
                 "({header numbers}) or a row ({header absent}).");
  const std::string row =
      "the first line holds numbers, as a row does, and names are published: say {header absent} "
      "if it is a row, or {header numbers} if they are names, such as years; or name the columns "
      "with {columns}.";
  expect_refused("2.747,0.465\n1.477,0.796\n", row, with(Header::Present));
  expect_refused("alice,3\nbob,4\n", row, with(Header::Present));
  expect_table("alice,\n3,4\n", {"alice", "c2"}, {3, 4}, with(Header::Present));
  ReadOptions typed = with(Header::Present);
  typed.columns = {"c1"};
  expect_refused("2.747,0.465\n1.477,0.796\n", row, typed);
  typed.columns = {"2020"};
  expect_table("2019,2020\n3,4\n", {"2020"}, {4}, typed);
  typed.columns = {};
  typed.bounded_columns = {"2019", "2020"};
  expect_table("2019,2020\n3,4\n", {"2019", "2020"}, {3, 4}, typed);
  ReadOptions absent = with(Header::Absent);
  absent.columns = {"c2"};
  expect_table("alice,3\nbob,4\n", {"c2"}, {3, 4}, absent);
  expect_table("a,b\n", {"a", "b"}, {});
  expect_table("a,b", {"a", "b"}, {});
}

TEST(CsvGrammar, HeaderNamesAreText) {
  const std::string refusal =
      "the name of column 2 is not one line of plain UTF-8 text: give {encoding latin-1} or "
      "{encoding utf-16} "
      "if "
      "the table is, or another file if it is no text table.";
  expect_refused(std::string_view("a,b\0c\n1,2\n", 10), refusal);
  expect_refused("a,\"b\nc\"\n1,2\n", refusal);
  expect_refused("a,b\rc,d\r1,2\r", refusal);  // CR alone ends no line
  for (const char* bytes : {"\xFF\xFE", "\xE9", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    expect_refused("a," + std::string(bytes) + "\n1,2\n", refusal);
  }
  expect_refused("a,b\"\"c\n1,2\n", "the name of column 2 has a misplaced quote.");
  expect_table("größe,体重\n1,2\n", {"größe", "体重"}, {1, 2});
}

TEST(CsvGrammar, Selection) {
  expect_table("a,b,c\n1,2,3\n4,5,6\n", {"c", "a"}, {3, 1, 6, 4}, selecting({"c", "a"}));
  expect_table("1,2,3\n4,5,6\n", {"c3"}, {3, 6}, selecting({"c3"}));
  expect_table("id,x,id\np,2,q\n", {"x"}, {2}, selecting({"x"}));
  const std::string ambiguous =
      "the input has several columns called id; rename them or select others.";
  expect_refused("id,x,id\n1,2,3\n", ambiguous);
  expect_refused("id,x,id\n1,2,3\n", ambiguous, selecting({"id"}));
  expect_refused("age,weight\n1,2\n",
                 "there is no column wieght; did you mean weight? The columns are age, weight "
                 "(names with commas: {columns} @FILE, one per line).",
                 selecting({"wieght"}));
  expect_refused("age,weight\n1,2\n",
                 "there is no column height_in_metres. The columns are age, weight (names with "
                 "commas: {columns} @FILE, one per line).",
                 selecting({"height_in_metres"}));
  expect_refused("age,weight\n1,2\n", "column age is selected twice.", selecting({"age", "age"}));
}

TEST(CsvGrammar, DamagedFiles) {
  const std::string empty =
      "the input is empty: it has neither column names nor rows. A table without rows needs a line "
      "of names, or {header absent} with {width P}.";
  expect_refused("", empty);
  expect_refused("\xEF\xBB\xBF", empty);
  expect_refused("a,b\n1,2\n3,\"4\n5,6\n", "line 3: a quote is opened and never closed.");
  expect_refused("a,b\n1,2\n3,\"4\n5,6\n", "line 3: a quote is opened and never closed.",
                 midpoint_for_bad_cells());
  // The first error in file order wins over the open quote.
  expect_refused(
      "a,b\n1,no\n3,\"4\n5,6\n",
      "line 2, column b: not a number (the value is not shown). Leave the column out "
      "with {columns} or {exclude}, or count such cells as missing with {bad_cell midpoint}; "
      "{one_hot} turns words into 0/1 columns, {decimal comma} reads decimal commas, {decimal "
      "point} commas between thousands.");
  const std::string endless = "a,b\n1,2\n3,\"" + std::string(std::size_t{65} << 20, 'x');
  EXPECT_EQ(message_of(read_text(endless)),
            "line 3: the record is longer than 64 MiB; is a quote left open?");
}

TEST(CsvGrammar, HugeFieldIsOneCell) {
  const std::string big(std::size_t{3} << 20, '7');
  EXPECT_EQ(message_of(read_text("a,b\n1,2\n" + big + ",4\n")),
            "line 3, column a: not a number (the value is not shown). Leave the column out with "
            "{columns} or {exclude}, or count such cells as missing with {bad_cell midpoint}; "
            "{one_hot} turns "
            "words into 0/1 columns, {decimal comma} reads decimal commas, {decimal point} commas "
            "between thousands.");
  const Result<Table> skipped = read_text("a,b\n1,2\n" + big + ",4\n", selecting({"b"}));
  ASSERT_TRUE(skipped);
  EXPECT_EQ(skipped->values, (Values{2, 4}));
}

}  // namespace
}  // namespace eigenveil::test::csv_grammar_test
