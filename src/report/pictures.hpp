#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/core/matrix.hpp"

namespace eigenveil {

/// Pictures of the explorer and the report, in one visual language: what the data say is solid
/// blue, privacy noise hatched, sampling error dotted and in a lane of its own, a person given away
/// and budget spent by this release orange, one simulated release a small ring. Text never scales:
/// a picture is drawn at the width it is shown at.

/// Patterns and shapes that the pictures of a page refer to; once per page.
std::string_view picture_shapes();
/// Colours (light and dark) and strokes of the pictures.
std::string_view picture_style();

struct Reach {
  double low = 0.0;
  double high = 0.0;
};

struct ScreeBar {
  std::string label;
  double height = 0.0;
  bool above_noise = true;
  std::optional<Reach> privacy = {};   ///< what noise makes of it
  std::optional<Reach> sampling = {};  ///< what asking a sample makes of it
  std::optional<double> ring = {};     ///< in one simulated release
};

struct ScreePicture {
  std::vector<ScreeBar> bars;
  std::optional<double> floor = {};  ///< what noise alone reaches
  std::string_view floor_words = "noise alone reaches this";
  double top = 1.0;      ///< end of the axis
  std::string axis;      ///< "spread, in answer points"
  std::string words;     ///< for those who do not see it
  int chosen = -1;       ///< bar that the other pictures are about
  bool handle = false;   ///< the floor can be dragged
  bool numbers = false;  ///< heights above the bars
  double width = 460.0;
  double height = 352.0;
};
std::string scree_picture(const ScreePicture& picture);

struct WeightRow {
  std::string name;
  double weight = 0.0;
  double sampling = 0.0;              ///< half width
  std::vector<double> releases = {};  ///< simulated
  double noise = 0.0;                 ///< half width, where no release is simulated
};
struct WeightsPicture {
  std::vector<WeightRow> rows;
  double full = 1.0;     ///< end of the axis on both sides; what is further off stands at its end
  std::size_t ring = 0;  ///< which simulated release
  bool above_noise = true;
  std::string words;
  double width = 640.0;
};
std::string weights_picture(const WeightsPicture& picture);

/// A hundred people: `given_away` because of the release, `by_chance` by blind guessing.
std::string people_picture(int given_away, int by_chance, double width);

struct ErrorLane {
  std::string name;
  double value = 0.0;
  std::string text;
  std::string_view fill;  ///< "ev-dots", "ev-hatch" or empty: an outline
};
std::string errors_picture(const std::vector<ErrorLane>& lanes, double full, double width,
                           std::string_view words);

struct LedgerBar {
  std::vector<double> spent;  ///< shares of what was agreed, in their order
  double now = 0.0;           ///< share of this release
  bool fits = true;
  double width = 640.0;
  std::string_view now_words = "this release";
};
std::string ledger_picture(const LedgerBar& bar);

/// People per square, six steps of blue; at or below `hidden` the hatch shows.
std::string map_picture(const Matrix& counts, double hidden, double full, double width,
                        std::string_view words);

/// Weights of many columns in several components side by side; components that cannot be told from
/// noise lie in the hatch.
struct LoadingsPicture {
  std::vector<std::string> rows;
  std::vector<std::string> components;
  std::vector<bool> above_noise;
  Matrix values;
  std::string words;
  double width = 760.0;
};
std::string loadings_picture(const LoadingsPicture& picture);

/// A release that says nothing, as an empty lane of noise; where it says what was found, that is
/// marked in the lane, with the reach of its noise, beside nothing at all.
struct NullPicture {
  std::optional<Reach> reach = {};
  std::string found;  ///< words beside the mark
  std::string nothing;
  std::string words;
  double width = 380.0;
};
std::string null_picture(const NullPicture& picture);

/// From where to where each column lies, on one axis where that can be read.
struct RangesPicture {
  std::vector<std::string> rows;
  std::vector<Reach> ranges;
  std::string words;
  double width = 760.0;
};
std::string ranges_picture(const RangesPicture& picture);

}  // namespace eigenveil
