#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eigenveil {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Box {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
  bool overlaps(const Box& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
  bool contains(const Point& point) const {
    return point.x >= x && point.x <= right() && point.y >= y && point.y <= bottom();
  }
};

struct TextPlace {
  Point at;  ///< baseline
  double size = 13.0;
  std::string_view anchor = "start";
  double turn = 0.0;  ///< degrees, clockwise
};

/// Collects SVG elements. Colours and weights are classes (figure_style.hpp), text is escaped here.
class SvgCanvas {
 public:
  void text(std::string_view css_class, const TextPlace& place, std::string_view content,
            std::string_view full_text = {});
  void line(std::string_view css_class, Point from, Point to);
  void rectangle(std::string_view css_class, const Box& box, double opacity = 1.0,
                 double radius = 0.0);
  void polyline(std::string_view css_class, const std::vector<Point>& points);
  void polygon(std::string_view css_class, const std::vector<Point>& points);
  void circle(std::string_view css_class, Point center, double radius);
  /// `data` is path data made from numbers, never from text.
  void path(std::string_view css_class, std::string_view data, double opacity = 1.0);
  /// A copy of a shape of the page (picture_shapes), in a box.
  void shape(std::string_view css_class, std::string_view id, const Box& box);
  /// Everything until `end_clip` is cut off outside of the box; coordinates stay the same.
  void begin_clip(const Box& box);
  void end_clip();
  void begin_group(std::string_view css_class);
  void end_group();

  const std::string& elements() const { return elements_; }

 private:
  std::string elements_;
};

}  // namespace eigenveil
