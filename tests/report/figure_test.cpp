#include "report/figure.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "xml_support.hpp"

namespace eigenveil::test::figure_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Figure line_figure(std::vector<double> x, std::vector<double> y) {
  Figure figure;
  figure.title = "A line";
  figure.panels.emplace_back();
  figure.panels.front().series.push_back(
      {"measured", SeriesKind::Line, std::move(x), std::move(y)});
  return figure;
}

void expect_clean(const Figure& figure) {
  const std::string svg = figure_svg(figure);
  EXPECT_EQ(xml_problem(svg), "");
  // Attributes only: a name may contain these letters.
  EXPECT_FALSE(std::regex_search(svg, std::regex("=\"[^\"]*(nan|inf)[^\"]*\""))) << svg;
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_FALSE(std::regex_search(svg, std::regex("href|url\\(|@import")));
}

TEST(XmlSupport, SeesWhatIsBroken) {
  EXPECT_EQ(xml_problem("<a b=\"c\"><d/>text &amp; more</a>"), "");
  for (const char* broken : {"<a>", "<a></b>", "<a b=c/>", "a & b", "<a b=\"<\"/>", "1 < 2"}) {
    EXPECT_NE(xml_problem(broken), "") << broken;
  }
}

TEST(Figure, SvgIsWellFormedAndNamed) {
  Figure figure = line_figure({1, 2, 3}, {2, 4, 8});
  figure.description = "It rises.";
  expect_clean(figure);
  const std::string svg = figure_svg(figure);
  EXPECT_NE(svg.find("role=\"img\""), std::string::npos);
  EXPECT_NE(svg.find("<title>A line</title>\n<desc>It rises.</desc>"), std::string::npos);
  EXPECT_NE(svg.find("viewBox=\"0 0 560 "), std::string::npos);
}

TEST(Figure, HostileNamesStayText) {
  const std::string hostile = "</text><script>alert(1)</script> & \"quoted\" \xff\x01 \u202Egnp";
  Figure figure = line_figure({1, 2}, {1, 2});
  figure.title = hostile;
  figure.description = hostile;
  figure.notes.push_back({hostile, NoteLevel::Caution});
  FigurePanel& panel = figure.panels.front();
  panel.title = hostile;
  panel.x.label = hostile;
  panel.series.front().name = hostile;
  panel.series.push_back({"other", SeriesKind::Points, {1, 2}, {1, 2}});
  panel.lines.push_back({true, 1.5, hostile});
  HeatMap map;
  map.name = hostile;
  map.row_names = {hostile};
  map.column_names = {hostile};
  map.values = Matrix::Ones(1, 1);
  figure.panels.emplace_back().heat_map = map;
  expect_clean(figure);
  const std::string svg = figure_svg(figure);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_EQ(svg.find("\u202E"), std::string::npos);
  EXPECT_EQ(svg.find('\xff'), std::string::npos);
}

TEST(Figure, EmptyAndConstantSeriesAreDrawn) {
  expect_clean(Figure{});
  expect_clean(line_figure({}, {}));
  expect_clean(line_figure({1, 1, 1}, {0, 0, 0}));
  expect_clean(line_figure({5}, {1e12}));
  Figure empty_map;
  empty_map.panels.emplace_back().heat_map = HeatMap{};
  expect_clean(empty_map);
}

TEST(Figure, WhatCannotBeDrawnIsSaid) {
  Figure figure = line_figure({1, 2, 3, 4}, {1, kInfinity, kNan, 2});
  expect_clean(figure);
  EXPECT_NE(figure_svg(figure).find("2 values are not drawn"), std::string::npos);
  EXPECT_EQ(figure_svg(line_figure({1, 2}, {1, 2})).find("not drawn"), std::string::npos);
  figure.panels.front().y.scale = Scale::Log10;
  figure.panels.front().series.front().y = {1, 0, -1, 10};
  expect_clean(figure);
  EXPECT_NE(figure_svg(figure).find("2 values are not drawn"), std::string::npos);
}

TEST(Figure, WarningsAreOnThePlotItself) {
  Figure figure = line_figure({1, 2}, {1, 2});
  figure.panels.push_back(figure.panels.front());
  EXPECT_EQ(occurrences(figure_svg(figure), "ev-watermark\""), 0U);
  figure.notes = {{"NOT PRIVATE: seeded", NoteLevel::Danger}, {"approximate", NoteLevel::Caution}};
  const std::string svg = figure_svg(figure);
  EXPECT_EQ(occurrences(svg, "class=\"ev-watermark\""), 2U) << "one in every panel";
  EXPECT_NE(svg.find(">NOT PRIVATE: seeded</text>"), std::string::npos);
  EXPECT_NE(svg.find(">approximate</text>"), std::string::npos);
}

TEST(Figure, SameNameLooksTheSameInAllPanels) {
  Figure figure = line_figure({1, 2}, {1, 2});
  FigurePanel second;
  second.series.push_back({"new", SeriesKind::Line, {1, 2}, {2, 1}});
  second.series.push_back({"measured", SeriesKind::Line, {1, 2}, {2, 1}});
  figure.panels.push_back(second);
  const std::string svg = figure_svg(figure);
  // One swatch in the legend and one line per panel it is in.
  EXPECT_EQ(occurrences(svg, "class=\"ev-line ev-s0\""), 3U);
  EXPECT_EQ(occurrences(svg, "class=\"ev-line ev-s1\""), 2U);
}

RC_GTEST_PROP(Figure, AnyNumbersGiveACleanDrawing, (std::vector<double> x, std::vector<double> y)) {
  for (const Scale scale : {Scale::Linear, Scale::Log10}) {
    for (const SeriesKind kind :
         {SeriesKind::Line, SeriesKind::Points, SeriesKind::Bars, SeriesKind::Band}) {
      Figure figure = line_figure(x, y);
      figure.panels.front().x.scale = scale;
      figure.panels.front().y.scale = scale;
      figure.panels.front().series.front().kind = kind;
      figure.panels.front().series.front().low = y;
      figure.panels.front().series.front().high = y;
      const std::string svg = figure_svg(figure);
      RC_ASSERT(xml_problem(svg).empty());
      RC_ASSERT(!std::regex_search(svg, std::regex("=\"[^\"]*(nan|inf)")));
    }
  }
}

std::vector<std::vector<std::string>> plain_rows(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream cells(line + ",");
    for (std::string cell; std::getline(cells, cell, ',');) {
      row.push_back(cell);
    }
  }
  return rows;
}

RC_GTEST_PROP(FigureCsv, HoldsTheSeriesExactly, (std::vector<std::pair<double, double>> points)) {
  Figure figure = line_figure({}, {});
  FigureSeries& series = figure.panels.front().series.front();
  for (const auto& [x, y] : points) {
    series.x.push_back(x);
    series.y.push_back(y);
  }
  const auto rows = plain_rows(figure_csv(figure));
  RC_ASSERT(rows.size() == points.size() + 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    RC_ASSERT(rows[i + 1].size() == 10U);
    RC_ASSERT(std::stod(rows[i + 1][3]) == points[i].first);
    RC_ASSERT(std::stod(rows[i + 1][4]) == points[i].second);
  }
}

TEST(FigureCsv, HoldsEverythingElse) {
  Figure figure = line_figure({1, 2}, {kInfinity, 0.1});
  FigurePanel& panel = figure.panels.front();
  panel.title = "a, b";
  panel.x.categories = {"first", "second"};
  panel.lines.push_back({true, 0.5, "floor"});
  panel.marks.push_back({1.0, 0.25, "here"});
  HeatMap map{"loading", {"r"}, {"c", "d"}, Matrix::Constant(1, 2, -0.3)};
  figure.panels.emplace_back().heat_map = map;
  EXPECT_EQ(figure_csv(figure),
            "panel,series,kind,x,y,low,high,value,x_name,y_name\n"
            "\"a, b\",measured,line,1,inf,,,,first,\n"
            "\"a, b\",measured,line,2,0.1,,,,second,\n"
            "\"a, b\",floor,reference line,,0.5,,,,,\n"
            "\"a, b\",here,reference mark,1,0.25,,,,,\n"
            ",loading,cell,1,1,,,-0.3,c,r\n"
            ",loading,cell,2,1,,,-0.3,d,r\n");
}

TEST(Figure, FilesAppearOrTheErrorSaysWhy) {
  const std::filesystem::path folder = testing::TempDir() + "eigenveil-figure";
  std::filesystem::create_directories(folder);
  const Figure figure = line_figure({1, 2}, {1, 2});
  ASSERT_TRUE(write_figure(figure, folder, "line"));
  EXPECT_TRUE(std::filesystem::exists(folder / "line.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder / "line.csv"));
  EXPECT_FALSE(write_figure(figure, folder / "absent", "line"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace eigenveil::test::figure_test
