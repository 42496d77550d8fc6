#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/figure.hpp"
#include "report/table_format.hpp"

namespace eigenveil {
namespace {

std::string_view name_of(SeriesKind kind) {
  switch (kind) {
    case SeriesKind::Line:
      return "line";
    case SeriesKind::Points:
      return "points";
    case SeriesKind::Bars:
      return "bars";
    case SeriesKind::Band:
      return "band";
  }
  return "";
}

/// The i-th value in its shortest exact form, or nothing.
std::string value_at(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? fmt::format("{}", values[i]) : "";
}

/// The name of the category a value stands on.
std::string category_at(const FigureAxis& axis, const std::vector<double>& values, std::size_t i) {
  if (i >= values.size() || !(values[i] >= 1.0) ||
      values[i] > static_cast<double>(axis.categories.size()) ||
      values[i] != std::floor(values[i])) {
    return "";
  }
  return csv_field(axis.categories[static_cast<std::size_t>(values[i]) - 1]);
}

class CsvRows {
 public:
  void series(const FigurePanel& panel, const FigureSeries& series) {
    const std::size_t count = std::max({series.x.size(), series.y.size(), series.low.size()});
    for (std::size_t i = 0; i < count; ++i) {
      row("{},{},{},{},{},{},{},{},{},{}\n", csv_field(panel.title), csv_field(series.name),
          name_of(series.kind), value_at(series.x, i), value_at(series.y, i),
          value_at(series.low, i), value_at(series.high, i), value_at(series.size, i),
          category_at(panel.x, series.x, i), category_at(panel.y, series.y, i));
    }
  }

  void references(const FigurePanel& panel) {
    for (const ReferenceLine& line : panel.lines) {
      const std::string at = fmt::format("{}", line.at);
      row("{},{},reference line,{},{},,,,,\n", csv_field(panel.title), csv_field(line.label),
          line.horizontal ? "" : at, line.horizontal ? at : "");
    }
    for (const ReferenceMark& mark : panel.marks) {
      row("{},{},reference mark,{},{},,,,,\n", csv_field(panel.title), csv_field(mark.label),
          mark.x, mark.y);
    }
  }

  void cells(const FigurePanel& panel, const HeatMap& map) {
    const auto name = [](const std::vector<std::string>& names, Eigen::Index i) {
      const auto index = static_cast<std::size_t>(i);
      return index < names.size() ? csv_field(names[index]) : std::string();
    };
    for (Eigen::Index i = 0; i < map.values.rows(); ++i) {
      for (Eigen::Index j = 0; j < map.values.cols(); ++j) {
        row("{},{},cell,{},{},,,{},{},{}\n", csv_field(panel.title), csv_field(map.name), j + 1,
            i + 1, map.values(i, j), name(map.column_names, j), name(map.row_names, i));
      }
    }
  }

  std::string text() const { return fmt::to_string(buffer_); }

 private:
  template <class... Values>
  void row(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
  }
  fmt::memory_buffer buffer_;
};

}  // namespace

std::string figure_csv(const Figure& figure) {
  CsvRows rows;
  for (const FigurePanel& panel : figure.panels) {
    if (panel.heat_map) {
      rows.cells(panel, *panel.heat_map);
      continue;
    }
    for (const FigureSeries& series : panel.series) {
      rows.series(panel, series);
    }
    rows.references(panel);
  }
  return "panel,series,kind,x,y,low,high,value,x_name,y_name\n" + rows.text();
}

}  // namespace eigenveil
