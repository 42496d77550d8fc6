#include "report/figure_scale.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/figure_text.hpp"

namespace eigenveil::test::figure_scale_test {
namespace {

RC_GTEST_PROP(FigureScale, TicksAndEndsCoverTheValues, (bool log)) {
  FigureAxis axis;
  axis.scale = log ? Scale::Log10 : Scale::Linear;
  const double middle = *rc::gen::arbitrary<double>();
  std::vector<double> values = *rc::gen::arbitrary<std::vector<double>>();
  values.push_back(middle);
  const AxisRange range = axis_range(axis, values, 5);
  RC_ASSERT(range.high > range.low);
  for (const double value : values) {
    if (can_be_drawn(value, axis.scale)) {
      RC_ASSERT(range.covers(value));
      RC_ASSERT(range.position(value) >= -1e-9 && range.position(value) <= 1 + 1e-9);
    }
  }
  RC_ASSERT(!range.ticks.empty() && range.ticks.size() < 40U);
  const double slack = 1e-6 * (range.high - range.low);
  std::set<std::string> labels;
  for (const Tick& tick : range.ticks) {
    RC_ASSERT(tick.value >= range.low - slack && tick.value <= range.high + slack);
    labels.insert(tick.label);
  }
  RC_ASSERT(labels.size() == range.ticks.size());
}

std::vector<std::string> labels_of(const AxisRange& range) {
  std::vector<std::string> labels;
  for (const Tick& tick : range.ticks) {
    labels.push_back(tick.label);
  }
  return labels;
}

TEST(FigureScale, LabelsAreRoundNumbers) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels_of(axis_range({}, {0.0, 1.0}, 4)),
            (Labels{"0.00", "0.25", "0.50", "0.75", "1.00"}));
  EXPECT_EQ(labels_of(axis_range({}, {-3.0, 7.0}, 5)),
            (Labels{"-4", "-2", "0", "2", "4", "6", "8"}));
  EXPECT_EQ(labels_of(axis_range({}, {0.0, 3e6}, 3)), (Labels{"0", "1e6", "2e6", "3e6"}));
  const FigureAxis log{"", Scale::Log10};
  EXPECT_EQ(labels_of(axis_range(log, {1e-6, 1.0}, 8)),
            (Labels{"10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(labels_of(axis_range(log, {0.1, 10.0}, 5)),
            (Labels{"0.1", "0.2", "0.5", "1", "2", "5", "10"}));
}

TEST(FigureScale, FixedEndsStay) {
  const FigureAxis axis{"", Scale::Linear, 0.0, 1.0};
  const AxisRange range = axis_range(axis, {-5.0, 7.0}, 5);
  EXPECT_EQ(range.low, 0.0);
  EXPECT_EQ(range.high, 1.0);
}

RC_GTEST_PROP(FigureText, ShortenedTextFits, (std::string text)) {
  RC_ASSERT(text_width(shorten(text, 12.0, 80.0), 12.0) <= 80.0 + 1e-9);
  for (const std::string& line : wrap(text, 12.0, 80.0)) {
    RC_ASSERT(text_width(line, 12.0) <= 80.0 + 1e-9);
  }
}

/// Columns of one table are told apart by how their names end.
TEST(FigureText, ShortenedNamesKeepTheirEnds) {
  EXPECT_NE(shorten("a_rather_long_name_of_a_column_12", 12.0, 80.0),
            shorten("a_rather_long_name_of_a_column_13", 12.0, 80.0));
  EXPECT_EQ(shorten("short", 12.0, 80.0), "short");
}

TEST(FigureText, NamesOfOneTableStayApart) {
  std::vector<std::string> names;
  std::set<std::string> cut;
  for (int i = 0; i < 300; ++i) {
    names.push_back("lab_value_" + std::to_string(i) + "_of_the_day_of_the_stay_in_hospital");
    cut.insert(shorten(names.back(), 12.0, 80.0));
  }
  EXPECT_LT(cut.size(), names.size());  // one by one they cannot be told apart
  const std::vector<std::string> labels = short_names(names, 12.0, 80.0);
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), names.size());
  for (const std::string& label : labels) {
    EXPECT_LE(text_width(label, 12.0), 80.0);
  }
  const std::vector<std::string> fitting = {"a_1", "a_2", "a_3"};
  EXPECT_EQ(short_names(fitting, 12.0, 80.0), fitting);
  EXPECT_EQ(short_names({"only_one_long_name_of_a_column"}, 12.0, 300.0).front(),
            "only_one_long_name_of_a_column");
}

}  // namespace
}  // namespace eigenveil::test::figure_scale_test
