#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "report/figure.hpp"

namespace eigenveil::papers {

/// One series of points per distinct category, in order of first appearance.
std::vector<FigureSeries> points_by_category(const std::vector<double>& x,
                                             const std::vector<double>& y,
                                             const std::vector<std::string>& categories);

/// Writes folder/stem.png, whole or not at all, with rsvg-convert (Debian librsvg2-bin); the error
/// says so when it is missing.
Result<void> write_png(const Figure& figure, const std::filesystem::path& folder,
                       const std::string& stem);

}  // namespace eigenveil::papers
