#include "mechanism/moment/noisy_integers.hpp"

#include <cmath>

#include "eigenveil/random/rounded_noise.hpp"
#include "mechanism/subspace/grid_position.hpp"

namespace eigenveil {

Vector add_rounded_noise(const std::vector<Int128>& integers, const NoiseScale& scale,
                         RandomStream& stream) {
  const int exponent = *noise_grid_exponent(scale);
  std::vector<Int128> steps;
  std::vector<double> fractions;
  for (const Int128 value : integers) {
    const GridPosition position = on_grid(value, exponent);
    steps.push_back(position.steps);
    fractions.push_back(position.fraction);
  }
  std::vector<std::int64_t> rounded(integers.size());
  const double scale_in_steps = std::ldexp(scale.diagonal, -exponent);
  if (scale.law == NoiseLaw::Gaussian) {
    round_with_gaussian(stream, scale_in_steps, fractions, rounded);
  } else {
    round_with_laplace(stream, scale_in_steps, fractions, rounded);
  }
  Vector noisy(static_cast<Eigen::Index>(integers.size()));
  for (std::size_t i = 0; i < integers.size(); ++i) {
    noisy[static_cast<Eigen::Index>(i)] =
        std::ldexp(static_cast<double>(steps[i] + rounded[i]), exponent);
  }
  return noisy;
}

}  // namespace eigenveil
