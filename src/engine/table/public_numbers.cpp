#include "engine/table/public_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/keep.hpp"

namespace eigenveil {
namespace {

Result<std::vector<NamedRange>> read_ranges(const std::string& path) {
  return read_named_numbers(path, {"low", "high"}).map([](const auto& lines) {
    std::vector<NamedRange> ranges;
    for (const NamedNumbers& line : lines) {
      ranges.push_back({line.column, {line.numbers[0], line.numbers[1]}});
    }
    return ranges;
  });
}

Result<std::vector<NamedValue>> read_values(const std::string& path) {
  return read_named_numbers(path, {"value"}).map([](const auto& lines) {
    std::vector<NamedValue> values;
    for (const NamedNumbers& line : lines) {
      values.push_back({line.column, line.numbers[0]});
    }
    return values;
  });
}

}  // namespace

Result<void> read_public_files(const PublicFiles& files, TableSpec& spec) {
  Result<void> kept;
  if (!files.project.empty()) {
    kept = keep(read_basis(files.project), spec.project);
  }
  if (kept && !files.bounds.empty()) {
    kept = keep(read_ranges(files.bounds), spec.bounds);
  }
  if (kept && !files.center.empty()) {
    kept = keep(read_values(files.center), spec.center);
  }
  if (kept && !files.allele_frequencies.empty()) {
    kept = keep(read_allele_frequencies(files.allele_frequencies), spec.allele_frequencies);
  }
  return kept;
}

Result<Vector> assumed_spectrum(std::vector<double> eigenvalues) {
  std::sort(eigenvalues.begin(), eigenvalues.end(), std::greater<>());
  for (const double value : eigenvalues) {
    if (!std::isfinite(value) || value < 0.0) {
      return bad_request("{spectrum} must hold finite eigenvalues that are not negative",
                         "spectrum");
    }
  }
  return Vector(
      Eigen::Map<const Vector>(eigenvalues.data(), static_cast<Eigen::Index>(eigenvalues.size())));
}

}  // namespace eigenveil
