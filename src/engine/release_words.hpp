#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/report/document.hpp"

namespace eigenveil {

/// How a face writes the {parameters} of a sentence.
using SpellText = std::function<std::string(std::string_view)>;

/// What every release says, as far as its fields have it; then a method's own remarks. `bounds`:
/// what bounds the rows, where the face knows.
std::vector<FactLine> summary_lines(const ReleaseDocument& document,
                                    const std::string& bounds = {});
/// Labels and words below each other.
std::string lines_in_words(const std::vector<FactLine>& lines, const SpellText& spell);

/// For a terminal: title, lines, and the components with their largest loadings. Only the lines
/// are spelled, names of columns stay.
std::string release_in_words(const ReleaseDocument& document, const std::string& bounds,
                             const std::string& input, const SpellText& spell);
/// The first table as CSV where it is small enough to be seen at once.
std::string small_table(const ReleaseDocument& document);

}  // namespace eigenveil
