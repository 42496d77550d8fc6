#pragma once

#include <cstdint>
#include <vector>

#include "core/blas.hpp"
#include "eigenveil/core/integers.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/moment/noise_tiles.hpp"
#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// Whole numbers cut into digits of 24 bits, so that a tile times vectors below 2^20 stays exact
/// in doubles: 361 * 2^24 * 2^20 < 2^53.
inline constexpr int kNoiseDigitBits = 24;
inline constexpr int kVectorBits = 20;

/// The symmetric integer noise N that an explicit release of this shape, scale and grid would add,
/// the same bits for the same stream: drawn again, tile by tile, whenever it is multiplied. Its
/// key lives as long as this object and nowhere else.
class RegeneratedNoise {
 public:
  /// The grid divides the integers: exponent <= 0. Takes from the stream what add_rounded_noise
  /// would.
  RegeneratedNoise(const MomentShape& shape, const NoiseScale& scale, int exponent,
                   RandomStream& stream);

  /// Noise on t² n and on t Σ x, where they are released; in grid steps.
  std::int64_t on_count() const { return on_count_; }
  const std::vector<std::int64_t>& on_sums() const { return on_sums_; }

  /// totals += N V for a dimension x m matrix of whole numbers below 2^20; `diagonal`, if given,
  /// receives the diagonal of N. In integers, so that threads and their order do not matter.
  void add_product(const Matrix& vectors, int threads, std::vector<Int128>& totals,
                   std::vector<std::int64_t>* diagonal = nullptr) const;

  /// Draws all of N and drops it: what a pass cannot do without, for the bench.
  std::int64_t draw_all(int threads) const;

 private:
  struct Buffer;
  void draw(std::size_t index, Buffer& buffer) const;
  NoiseTile tile(std::size_t index) const;
  std::size_t tiles() const { return whole_.empty() ? noise_tiles(shape_.dimension) : 1; }

  MomentShape shape_;
  double diagonal_scale_;      ///< in grid steps
  double off_diagonal_scale_;  ///< in grid steps
  RandomStream family_;
  std::vector<std::int64_t> whole_;  ///< small matrices are kept: dimension², symmetric
  std::int64_t on_count_ = 0;
  std::vector<std::int64_t> on_sums_;
};

}  // namespace eigenveil
