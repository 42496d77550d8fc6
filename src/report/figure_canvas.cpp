#include "report/figure_canvas.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <iterator>

#include "report/html_text.hpp"

namespace eigenveil {
namespace {

std::string number(double value) {
  assert(std::isfinite(value) && "a coordinate must be finite");
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string point_list(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", number(point.x), number(point.y));
  }
  return text;
}

std::string box_attributes(const Box& box) {
  return fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", number(box.x), number(box.y),
                     number(box.width), number(box.height));
}

}  // namespace

void SvgCanvas::text(std::string_view css_class, const TextPlace& place, std::string_view content,
                     std::string_view full_text) {
  const std::string turn = place.turn == 0.0
                               ? ""
                               : fmt::format(" transform=\"rotate({} {} {})\"", number(place.turn),
                                             number(place.at.x), number(place.at.y));
  const bool cut = !full_text.empty() && full_text != content;
  elements_ += fmt::format(
      R"(<text class="{}" x="{}" y="{}" font-size="{}" text-anchor="{}"{}>{}{}</text>)", css_class,
      number(place.at.x), number(place.at.y), number(place.size), place.anchor, turn,
      cut ? fmt::format("<title>{}</title>", escape_markup(full_text)) : "",
      escape_markup(content));
  elements_ += '\n';
}

void SvgCanvas::line(std::string_view css_class, Point from, Point to) {
  elements_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                           css_class, number(from.x), number(from.y), number(to.x), number(to.y));
}

void SvgCanvas::rectangle(std::string_view css_class, const Box& box, double opacity,
                          double radius) {
  elements_ += fmt::format("<rect class=\"{}\" {}{}{}/>\n", css_class, box_attributes(box),
                           opacity < 1.0 ? fmt::format(" fill-opacity=\"{:.3f}\"", opacity) : "",
                           radius > 0.0 ? fmt::format(" rx=\"{}\"", number(radius)) : "");
}

void SvgCanvas::polyline(std::string_view css_class, const std::vector<Point>& points) {
  elements_ +=
      fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", css_class, point_list(points));
}

void SvgCanvas::polygon(std::string_view css_class, const std::vector<Point>& points) {
  elements_ +=
      fmt::format("<polygon class=\"{}\" points=\"{}\"/>\n", css_class, point_list(points));
}

void SvgCanvas::circle(std::string_view css_class, Point center, double radius) {
  elements_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", css_class,
                           number(center.x), number(center.y), number(radius));
}

// A nested svg element clips without an id, so that many figures can share one HTML page.
void SvgCanvas::path(std::string_view css_class, std::string_view data, double opacity) {
  const std::string faint =
      opacity == 1.0 ? "" : fmt::format(" fill-opacity=\"{}\"", number(opacity));
  elements_ += fmt::format("<path class=\"{}\" d=\"{}\"{}/>\n", css_class, data, faint);
}

void SvgCanvas::shape(std::string_view css_class, std::string_view id, const Box& box) {
  elements_ +=
      fmt::format("<use class=\"{}\" href=\"#{}\" {}/>\n", css_class, id, box_attributes(box));
}

void SvgCanvas::begin_clip(const Box& box) {
  elements_ +=
      fmt::format("<svg {} viewBox=\"{} {} {} {}\" overflow=\"hidden\">\n", box_attributes(box),
                  number(box.x), number(box.y), number(box.width), number(box.height));
}

void SvgCanvas::end_clip() {
  elements_ += "</svg>\n";
}

void SvgCanvas::begin_group(std::string_view css_class) {
  elements_ += fmt::format("<g class=\"{}\">\n", css_class);
}

void SvgCanvas::end_group() {
  elements_ += "</g>\n";
}

}  // namespace eigenveil
