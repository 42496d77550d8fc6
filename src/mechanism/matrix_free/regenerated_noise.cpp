#include "mechanism/matrix_free/regenerated_noise.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "core/multiversion.hpp"
#include "core/parallel.hpp"
#include "eigenveil/random/rounded_noise.hpp"

namespace eigenveil {
namespace {

/// round(s Z), `count` times: the integer is on the grid, so there is no fraction to round with it.
void draw_noise(RandomStream& stream, double scale, std::int64_t* noise, std::size_t count) {
  constexpr std::size_t kAtOnce = 4 * kNoiseBlock;
  static const std::vector<double> kNoFractions(kAtOnce, 0.0);
  for (std::size_t begin = 0; begin < count; begin += kAtOnce) {
    const std::size_t now = std::min(kAtOnce, count - begin);
    round_with_gaussian(stream, scale, {kNoFractions.data(), now}, {noise + begin, now});
  }
}

/// Doubles of the integers, and the bits of all moduli together.
EIGENVEIL_MULTIVERSION
std::uint64_t to_doubles(const std::int64_t* from, std::size_t count, double* to) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = static_cast<double>(from[i]);
    bits |= static_cast<std::uint64_t>(from[i] < 0 ? -from[i] : from[i]);
  }
  return bits;
}

/// digit `number` of the moduli, with their signs.
void cut_digit(const std::int64_t* from, std::size_t count, int number, double* to) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kNoiseDigitBits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto modulus = static_cast<std::uint64_t>(std::llabs(from[i]));
    const auto digit = static_cast<double>((modulus >> (number * kNoiseDigitBits)) & kMask);
    to[i] = from[i] < 0 ? -digit : digit;
  }
}

/// Adds a rows x columns block of whole numbers, times 2^shift, to rows of the totals.
void add_block(const double* block, std::size_t rows, std::size_t columns, int shift,
               std::size_t first_row, std::size_t dimension, std::vector<Int128>& totals) {
  const Int128 factor = static_cast<Int128>(1) << shift;
  for (std::size_t j = 0; j < columns; ++j) {
    Int128* to = totals.data() + j * dimension + first_row;
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] += static_cast<std::int64_t>(block[j * rows + i]) * factor;
    }
  }
}

std::vector<std::int64_t> square_of(const std::vector<std::int64_t>& diagonal,
                                    const std::int64_t* above, std::size_t side) {
  std::vector<std::int64_t> square(side * side);
  for (std::size_t column = 0; column < side; ++column) {
    for (std::size_t row = 0; row < column; ++row) {
      square[column * side + row] = square[row * side + column] = *above++;
    }
    square[column * side + column] = diagonal[column];
  }
  return square;
}

}  // namespace

/// A tile and what is computed from it.
struct RegeneratedNoise::Buffer {
  NoiseTile tile;
  std::vector<std::int64_t> drawn;  ///< column by column; on the diagonal the whole square
  std::vector<double> digit;
  std::vector<double> product;
};

RegeneratedNoise::RegeneratedNoise(const MomentShape& shape, const NoiseScale& scale, int exponent,
                                   RandomStream& stream)
    : shape_(shape),
      diagonal_scale_(std::ldexp(scale.diagonal, -exponent)),
      off_diagonal_scale_(std::ldexp(scale.off_diagonal, -exponent)),
      family_(trusted::substream(stream, 0)) {
  assert(exponent <= 0 && "the grid divides the integers");
  const std::size_t counts = shape.releases_count() ? 1 : 0;
  const std::size_t sums = shape.releases_sums() ? shape.dimension : 0;
  const std::size_t side = shape.dimension;
  const bool at_once = shape.entries() <= kEntriesOfOneStream;
  if (!at_once) {
    // As in add_rounded_noise: a fresh family per call.
    family_ = stream.split();
  }
  std::vector<std::int64_t> diagonal(counts + (at_once ? side : 0));
  std::vector<std::int64_t> other(sums + (at_once ? side * (side - 1) / 2 : 0));
  RandomStream first = trusted::substream(family_, 0);
  RandomStream& from = at_once ? stream : first;
  draw_noise(from, diagonal_scale_, diagonal.data(), diagonal.size());
  draw_noise(from, off_diagonal_scale_, other.data(), other.size());
  on_count_ = counts == 1 ? diagonal.front() : 0;
  on_sums_.assign(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(sums));
  if (at_once) {
    diagonal.erase(diagonal.begin(), diagonal.begin() + static_cast<std::ptrdiff_t>(counts));
    whole_ = square_of(diagonal, other.data() + sums, side);
  }
}

NoiseTile RegeneratedNoise::tile(std::size_t index) const {
  return whole_.empty() ? noise_tile(shape_.dimension, index)
                        : NoiseTile{0, shape_.dimension, 0, shape_.dimension};
}

void RegeneratedNoise::draw(std::size_t index, Buffer& buffer) const {
  buffer.tile = tile(index);
  const NoiseTile& tile = buffer.tile;
  if (!whole_.empty()) {
    buffer.drawn = whole_;
    return;
  }
  RandomStream stream = trusted::substream(family_, index + 1);
  buffer.drawn.resize(tile.rows * tile.columns);
  if (!tile.on_diagonal()) {
    draw_noise(stream, off_diagonal_scale_, buffer.drawn.data(), buffer.drawn.size());
    return;
  }
  std::vector<std::int64_t> diagonal(tile.rows);
  std::vector<std::int64_t> above(tile.rows * (tile.rows - 1) / 2);
  draw_noise(stream, diagonal_scale_, diagonal.data(), diagonal.size());
  draw_noise(stream, off_diagonal_scale_, above.data(), above.size());
  buffer.drawn = square_of(diagonal, above.data(), tile.rows);
}

void RegeneratedNoise::add_product(const Matrix& vectors, int threads, std::vector<Int128>& totals,
                                   std::vector<std::int64_t>* diagonal) const {
  const std::size_t p = shape_.dimension;
  const auto columns = static_cast<std::size_t>(vectors.cols());
  assert(vectors.cwiseAbs().maxCoeff() <= std::ldexp(1.0, kVectorBits) &&
         "vectors are short enough for exact products");
  const BlasThreads blas(1);
  std::vector<std::mutex> locks(p / kNoiseTileSide + 1);
  std::atomic<std::size_t> next = 0;
  run_workers(static_cast<std::size_t>(std::max(1, threads)), [&](std::size_t) {
    Buffer buffer;
    const auto multiply_rows = [&](bool transposed, int shift) {
      const NoiseTile& tile = buffer.tile;
      const std::size_t into = transposed ? tile.first_column : tile.first_row;
      const std::size_t from = transposed ? tile.first_row : tile.first_column;
      const std::size_t rows = transposed ? tile.columns : tile.rows;
      buffer.product.resize(rows * columns);
      multiply({buffer.digit.data(), tile.rows, tile.columns, tile.rows, transposed},
               {vectors.data() + from, transposed ? tile.rows : tile.columns, columns, p},
               buffer.product.data(), rows, false);
      const std::scoped_lock lock(locks[into / kNoiseTileSide]);
      add_block(buffer.product.data(), rows, columns, shift, into, p, totals);
    };
    for (std::size_t index = next++; index < tiles(); index = next++) {
      draw(index, buffer);
      buffer.digit.resize(buffer.drawn.size());
      std::uint64_t bits =
          to_doubles(buffer.drawn.data(), buffer.drawn.size(), buffer.digit.data());
      const bool one_digit = bits >> kNoiseDigitBits == 0;
      for (int number = 0; bits != 0; ++number, bits >>= kNoiseDigitBits) {
        if (!one_digit) {
          cut_digit(buffer.drawn.data(), buffer.drawn.size(), number, buffer.digit.data());
        }
        multiply_rows(false, number * kNoiseDigitBits);
        if (!buffer.tile.on_diagonal()) {
          multiply_rows(true, number * kNoiseDigitBits);
        }
      }
      if (diagonal != nullptr && buffer.tile.on_diagonal()) {
        for (std::size_t i = 0; i < buffer.tile.rows; ++i) {
          (*diagonal)[buffer.tile.first_row + i] = buffer.drawn[i * (buffer.tile.rows + 1)];
        }
      }
    }
  });
}

std::int64_t RegeneratedNoise::draw_all(int threads) const {
  std::atomic<std::int64_t> kept = 0;
  std::atomic<std::size_t> next = 0;
  run_workers(static_cast<std::size_t>(std::max(1, threads)), [&](std::size_t) {
    Buffer buffer;
    for (std::size_t index = next++; index < tiles(); index = next++) {
      draw(index, buffer);
      kept += buffer.drawn.front();
    }
  });
  return kept;
}

}  // namespace eigenveil
