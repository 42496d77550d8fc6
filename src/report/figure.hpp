#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

enum class Scale : std::uint8_t { Linear, Log10 };

/// One axis of a panel. Ends that are not given follow the data; ticks are round numbers.
struct FigureAxis {
  std::string label = {};
  Scale scale = Scale::Linear;
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::vector<std::string> categories =
      {};  ///< names of the positions 1, 2, ... instead of numbers
};

enum class SeriesKind : std::uint8_t {
  Line,    ///< through (x, y), with marks if `mark` asks for them
  Points,  ///< marks alone
  Bars,    ///< from zero (or the lower end of a log axis) to y
  Band,    ///< the area between low and high over x
};
enum class Mark : std::uint8_t { None, Filled, Hollow };
enum class Emphasis : std::uint8_t {
  Normal,
  Strong,     ///< the subject of the figure: a heavier line
  Reference,  ///< something familiar to compare with: thin, grey, told apart by its dashes
};

/// One sequence of data. Its name is its entry in the legend, the same name has the same colour,
/// dashes and shape of mark in all panels; a series without a name is not in the legend.
struct FigureSeries {
  std::string name = {};
  SeriesKind kind = SeriesKind::Line;
  std::vector<double> x = {};
  std::vector<double> y = {};     ///< empty for a Band
  std::vector<double> low = {};   ///< Band, or lower ends of error bars; empty: none
  std::vector<double> high = {};  ///< as low
  std::vector<double> size = {};  ///< Points: areas of the marks, on one scale in the figure
  Mark mark = Mark::None;         ///< Points without a choice are filled
  Emphasis emphasis = Emphasis::Normal;
};

/// A labelled line across the panel.
struct ReferenceLine {
  bool horizontal = true;
  double at = 0.0;
  std::string label = {};
};

/// A labelled point.
struct ReferenceMark {
  double x = 0.0;
  double y = 0.0;
  std::string label = {};
};

/// A table of signed numbers as colours: zero is the background, the two signs differ in hue.
struct HeatMap {
  std::string name = {};  ///< what the numbers are: "loading"
  std::vector<std::string> row_names = {};
  std::vector<std::string> column_names = {};
  Matrix values = {};
};

/// One facet. A panel with a heat map draws nothing else.
struct FigurePanel {
  std::string title = {};
  FigureAxis x = {};
  FigureAxis y = {};
  std::vector<FigureSeries> series = {};
  std::vector<ReferenceLine> lines = {};
  std::vector<ReferenceMark> marks = {};
  std::optional<HeatMap> heat_map = {};
};

enum class NoteLevel : std::uint8_t {
  Information,  ///< a line below the plot
  Caution,      ///< a badge on the plot: "approximate"
  Danger,       ///< a red badge and a watermark over every panel: "NOT PRIVATE"
};
struct FigureNote {
  std::string text = {};
  NoteLevel level = NoteLevel::Information;
};

/// A figure is described once, as a value, and written as SVG and CSV. Values that are not
/// finite (or not positive on a log axis) stay in the CSV, are left out of the drawing, and the
/// drawing says so.
struct Figure {
  std::string title = {};
  std::string description =
      {};  ///< for readers who cannot see it; what the figure shows, in a sentence
  std::vector<FigurePanel> panels = {};
  std::vector<FigureNote> notes = {};
  int columns = 1;            ///< panels per row
  double width = 560;         ///< of the drawing, in pixels at 13 pixel text
  double panel_height = 300;  ///< of the plotting area; a heat map takes what its rows need
};

/// Self-contained SVG 1.1: text as text, no script, nothing loaded; light, dark and print.
std::string figure_svg(const Figure& figure);

/// Every number of the figure in long form, in the shortest text that reads back to the same
/// double: panel,series,kind,x,y,low,high,value,x_name,y_name.
std::string figure_csv(const Figure& figure);

/// Writes folder/stem.svg and .csv, each whole or not at all. The folder must exist.
Result<void> write_figure(const Figure& figure, const std::filesystem::path& folder,
                          const std::string& stem);

}  // namespace eigenveil
