#include "mechanism/gauss/integer_noise.hpp"

#include "eigenveil/random/rounded_noise.hpp"

namespace eigenveil {

std::vector<std::int64_t> gaussian_cell_noise(std::size_t cells, double sigma_in_steps,
                                              RandomStream& stream) {
  const std::vector<double> offsets(cells, 0.0);
  std::vector<std::int64_t> rounded(cells);
  round_with_gaussian(stream, sigma_in_steps, offsets, rounded);
  return rounded;
}

std::vector<std::int64_t> gaussian_integer_noise(const MomentShape& shape, const NoiseScale& scale,
                                                 RandomStream& stream) {
  const std::size_t p = shape.dimension;
  const std::vector<std::int64_t> diagonal = gaussian_cell_noise(p, scale.diagonal, stream);
  const std::vector<std::int64_t> off_diagonal =
      gaussian_cell_noise(p + triangle_size(p) - p, scale.off_diagonal, stream);
  std::vector<std::int64_t> noise(triangle_size(p + 1), 0);
  std::size_t next = 0;
  for (std::size_t j = 0; j < p; ++j) {  // sums first
    noise[triangle_index(0, j + 1)] = off_diagonal[next++];
  }
  for (std::size_t column = 0; column < p; ++column) {
    for (std::size_t row = 0; row < column; ++row) {
      noise[triangle_index(row + 1, column + 1)] = off_diagonal[next++];
    }
    noise[triangle_index(column + 1, column + 1)] = diagonal[column];
  }
  return noise;
}

}  // namespace eigenveil
