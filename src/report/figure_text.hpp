#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eigenveil {

/// Width of a text in pixels, from above: advances of DejaVu Sans, the widest font a reader is
/// likely to see, so that a layout which fits here fits there.
double text_width(std::string_view text, double size);

/// The text, or as much of it as fits with an ellipsis.
std::string shorten(std::string_view text, double size, double width);

/// Labels for names of one table: where one is too long, all lose the words they share at both
/// ends, so that what tells them apart is what is left.
std::vector<std::string> short_names(const std::vector<std::string>& names, double size,
                                     double width);

/// Lines no wider than `width`; a word that is too long for a line is shortened.
std::vector<std::string> wrap(std::string_view text, double size, double width);

}  // namespace eigenveil
