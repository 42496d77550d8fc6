#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "report/figure.hpp"

namespace eigenveil {

/// Style sheet of every figure: light by default, dark where the reader's screen asks for it,
/// light again in print. Literal colours in classes, because renderers of SVG outside of browsers
/// know no CSS variables.
std::string_view figure_style_sheet();

inline constexpr std::size_t kColours = 7;
inline constexpr std::size_t kReferenceDashes = 5;

/// How a series looks: a colour with its own dashes and shape of mark, or a grey reference.
struct SeriesLook {
  std::size_t index = 0;
  bool reference = false;
  bool strong = false;

  std::string stroke() const;  ///< class of its lines
  std::string fill() const;    ///< class of its areas and filled marks
  std::string hollow() const;  ///< class of its hollow marks
};

/// The look of every series of a figure; the same name looks the same in all panels.
class SeriesLooks {
 public:
  explicit SeriesLooks(const Figure& figure);
  SeriesLook look(const FigureSeries& series, std::size_t position_in_panel) const;
  double largest_mark() const { return largest_mark_; }  ///< of the sizes of points

 private:
  double largest_mark_ = 0.0;
  std::map<std::string, SeriesLook> looks_;
};

}  // namespace eigenveil
