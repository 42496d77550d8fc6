#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "eigenveil/statistics/exact_gram.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"

namespace eigenveil::test {

inline Schema numbered_columns(std::size_t dimension) {
  Schema schema;
  for (std::size_t j = 0; j < dimension; ++j) {
    schema.columns.push_back(fmt::format("c{}", j + 1));
  }
  return schema;
}

/// Ordinary cells, grid extremes, and cells that arithmetic likes to get wrong.
inline std::vector<double> awkward_rows(std::mt19937_64& engine, std::size_t rows,
                                        std::size_t dimension) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array kEdges = {
      0.0,       1.0,       -1.0,   1e308,
      -1e308,    1e-308,    1e-320, std::numeric_limits<double>::quiet_NaN(),
      kInfinity, -kInfinity};
  std::uniform_real_distribution<double> uniform(-1.2, 1.2);
  std::vector<double> values(rows * dimension);
  for (double& value : values) {
    const std::uint64_t kind = engine() % 100;
    value = kind < kEdges.size() ? kEdges[kind] : uniform(engine);
  }
  return values;
}

inline std::vector<RowBound> bounds_of_every_kind(std::size_t dimension, std::int64_t max_abs) {
  const std::vector<ColumnRange> box(dimension, {-1.0, 1.1});
  return {*RowBound::row_norm(dimension, 1.0, max_abs), *RowBound::ranges(box, {}, max_abs),
          *RowBound::ranges(box, 1.0, max_abs)};
}

/// The definition: every product in 128 bits, row after row.
inline GramTotals brute_force(const RowBound& bound, const std::vector<double>& values) {
  const std::size_t dimension = bound.dimension();
  const BoundedRows rows = BoundedRows::clip(bound, values.data(), values.size() / dimension);
  GramTotals totals{rows.rows(), std::vector<Int128>(dimension),
                    std::vector<Int128>(triangle_size(dimension))};
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double* row = rows.values().data() + i * dimension;
    for (std::size_t k = 0; k < dimension; ++k) {
      totals.sums[k] += static_cast<Int128>(row[k]);
      for (std::size_t j = 0; j <= k; ++j) {
        totals.products[triangle_index(j, k)] +=
            static_cast<Int128>(row[j]) * static_cast<Int128>(row[k]);
      }
    }
  }
  return totals;
}

inline ExactGram gram_of(const RowBound& bound, const std::vector<double>& values,
                         int threads = 1) {
  GramAccumulator accumulator(numbered_columns(bound.dimension()), bound, threads);
  EXPECT_TRUE(accumulator.add(
      MatrixView::row_major(values.data(), values.size() / bound.dimension(), bound.dimension())));
  return *accumulator.finish();
}

/// A path that vanishes with the test.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("eigenveil-{}-{}", ::getpid(), name)) {}
  ~TemporaryPath() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace eigenveil::test
