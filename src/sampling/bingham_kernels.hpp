#pragma once

#include <cstddef>

namespace eigenveil::detail {

/// Rows handled side by side; arrays are padded to a multiple of it where a kernel says so.
inline constexpr std::size_t kLanes = 8;

/// The sums of a kernel are split over kLanes partial sums in a fixed order, so every instruction
/// set gives the same doubles.
double dot(const double* left, const double* right, std::size_t count);

/// scaled[i] = normals[i] / sqrt(2 (theta + gaps[i])).
void scale_by_precision(const double* normals, const double* gaps, double theta, double* scaled,
                        std::size_t count);

/// accumulated[i] += factor * values[i].
void add_multiple(double factor, const double* values, double* accumulated, std::size_t count);

/// sum_i log(sum_a weights[a] ratios[a][i]), with ratios[a] = ratios + a * padded_rows and
/// padded_rows a multiple of kLanes (padding ratio 1, weights adding to 1: no contribution).
/// Logarithms are taken of products of `factors_per_log` brackets, which must not underflow.
double sum_of_log_mixtures(const double* ratios, std::size_t padded_rows, const double* weights,
                           std::size_t components, std::size_t factors_per_log);

}  // namespace eigenveil::detail
