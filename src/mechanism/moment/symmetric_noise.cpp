#include "mechanism/moment/symmetric_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/outward.hpp"
#include "eigenveil/random/rounded_noise.hpp"

namespace eigenveil {
namespace {

/// Entries are kept below 2^51 grid steps, so that sums of steps are exact integers.
constexpr double kMostSteps = 0x1p51;

double round_to_steps(double value, double grid) {
  const double steps = std::nearbyint(value / grid);  // division by a power of two is exact
  return std::clamp(steps, -kMostSteps, kMostSteps);
}

std::vector<double> noisy_steps(std::vector<double> steps, double sd_in_steps,
                                RandomStream& stream) {
  const std::vector<double> offsets(steps.size(), 0.0);
  std::vector<std::int64_t> noise(steps.size());
  round_with_gaussian(stream, sd_in_steps, offsets, noise);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] += static_cast<double>(noise[i]);
  }
  return steps;
}

}  // namespace

Result<double> symmetric_noise_sd(double sensitivity, double mu, Eigen::Index entries_per_side) {
  // sd >= (sensitivity + grid * p) / mu with grid <= sd 2^-20 holds for
  // sd = sensitivity / (mu - p 2^-20).
  const double rounding = std::ldexp(static_cast<double>(entries_per_side), -kNoiseStepsLog2);
  const double left = down(mu - rounding);
  if (!(left > 0.5 * mu)) {
    return bad_request(
        "the budget is so small that rounding to the noise grid would use most of it; spend more");
  }
  const double sd = up(sensitivity / left);
  if (!std::isfinite(sd) || !(sd > 0.0)) {
    return bad_request("the budget leaves the range of exact arithmetic; spend more");
  }
  return sd;
}

SymmetricNoise symmetric_noise(double standard_deviation, bool every_entry_alike) {
  const double grid = std::ldexp(1.0, std::ilogb(standard_deviation) - kNoiseStepsLog2);
  return {standard_deviation,
          every_entry_alike ? standard_deviation : up(standard_deviation * up(std::sqrt(0.5))),
          grid};
}

Matrix add_symmetric_noise(const Matrix& matrix, const SymmetricNoise& noise,
                           RandomStream& stream) {
  const Eigen::Index p = matrix.rows();
  std::vector<double> diagonal;
  std::vector<double> off_diagonal;
  for (Eigen::Index column = 0; column < p; ++column) {
    for (Eigen::Index row = 0; row < column; ++row) {
      off_diagonal.push_back(round_to_steps(matrix(row, column), noise.grid));
    }
    diagonal.push_back(round_to_steps(matrix(column, column), noise.grid));
  }
  diagonal = noisy_steps(std::move(diagonal), noise.diagonal / noise.grid, stream);
  off_diagonal = noisy_steps(std::move(off_diagonal), noise.off_diagonal / noise.grid, stream);
  Matrix noisy(p, p);
  std::size_t next = 0;
  for (Eigen::Index column = 0; column < p; ++column) {
    for (Eigen::Index row = 0; row < column; ++row) {
      noisy(row, column) = noisy(column, row) = noise.grid * off_diagonal[next++];
    }
    noisy(column, column) = noise.grid * diagonal[static_cast<std::size_t>(column)];
  }
  return noisy;
}

Vector add_vector_noise(const Vector& values, const SymmetricNoise& noise, RandomStream& stream) {
  std::vector<double> steps;
  for (const double value : values) {
    steps.push_back(round_to_steps(value, noise.grid));
  }
  steps = noisy_steps(std::move(steps), noise.diagonal / noise.grid, stream);
  return noise.grid * Eigen::Map<const Vector>(steps.data(), values.size());
}

}  // namespace eigenveil
