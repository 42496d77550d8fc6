#include "sampling/bingham_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/multiversion.hpp"

namespace eigenveil::detail {

EIGENVEIL_MULTIVERSION
double dot(const double* left, const double* right, std::size_t count) {
  std::array<double, kLanes> sums{};
  const std::size_t whole = count - count % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += left[i + lane] * right[i + lane];
    }
  }
  for (std::size_t i = whole; i < count; ++i) {
    sums[i - whole] += left[i] * right[i];
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

EIGENVEIL_MULTIVERSION
void scale_by_precision(const double* normals, const double* gaps, double theta, double* scaled,
                        std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    scaled[i] = normals[i] / std::sqrt(2.0 * (theta + gaps[i]));
  }
}

EIGENVEIL_MULTIVERSION
void add_multiple(double factor, const double* values, double* accumulated, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    accumulated[i] += factor * values[i];
  }
}

EIGENVEIL_MULTIVERSION
double sum_of_log_mixtures(const double* ratios, std::size_t padded_rows, const double* weights,
                           std::size_t components, std::size_t factors_per_log) {
  const std::size_t step = kLanes * factors_per_log;
  double total = 0.0;
  for (std::size_t begin = 0; begin < padded_rows; begin += step) {
    const std::size_t end = std::min(begin + step, padded_rows);
    std::array<double, kLanes> product;
    product.fill(1.0);
    for (std::size_t i = begin; i < end; i += kLanes) {
      std::array<double, kLanes> bracket{};
      for (std::size_t a = 0; a < components; ++a) {
        const double* const row = ratios + a * padded_rows + i;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          bracket[lane] += weights[a] * row[lane];
        }
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        product[lane] *= bracket[lane];
      }
    }
    for (const double factor : product) {
      total += std::log(factor);
    }
  }
  return total;
}

}  // namespace eigenveil::detail
