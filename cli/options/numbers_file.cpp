#include "cli/options/numbers_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

namespace eigenveil::cli {

Result<Vector> read_numbers(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return input_output_error(fmt::format("cannot read {}", path));
  }
  std::vector<double> values;
  double value = 0.0;
  while (file >> value) {
    values.push_back(value);
  }
  const bool finite =
      std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  if (!file.eof() || !finite || values.empty()) {
    return bad_request(fmt::format("{} must hold finite eigenvalues, one per line", path));
  }
  return Vector(Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size())));
}

Result<Vector> read_spectrum(const std::string& path) {
  return read_numbers(path).and_then([&](Vector values) -> Result<Vector> {
    if (values.minCoeff() < 0.0) {
      return bad_request(
          fmt::format("{} must hold finite, non-negative eigenvalues, one per line", path));
    }
    std::sort(values.begin(), values.end(), std::greater<>());
    return values;
  });
}

}  // namespace eigenveil::cli
