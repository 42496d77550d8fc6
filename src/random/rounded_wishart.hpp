#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// Fraction of the grid step, 0 <= f < 1, that entry (row, column), row <= column, starts from.
using EntryOffset = std::function<double(std::size_t row, std::size_t column)>;
/// Takes the integer of entry (row, column), row <= column, once.
using EntryResult = std::function<void(std::size_t row, std::size_t column, std::int64_t value)>;

/// Exactly rounded two-sided Wishart noise: every entry on and above the diagonal gets the integer
///
///     round(f + s (G Gᵀ - H Hᵀ)),   G, H: dimension x (dimension + 1) independent normals,
///
/// all entries from one and the same set of real numbers G, H, without any floating-point error.
/// `s` is in grid steps, positive, at most 2^100. Products in doubles decide nearly every entry;
/// the others are computed from as many digits of their normals as it takes. Memory: dimension²
/// doubles. Proof: docs/proofs/rounded_noise.md, section 5.
void round_with_wishart(RandomStream& stream, double s, std::size_t dimension,
                        const EntryOffset& offset, const EntryResult& put);

namespace detail {
/// `trust` multiplies the error bound of the products: 1, or 0 for the twin that tests must reject.
/// Returns how many entries took more digits.
std::size_t round_with_wishart(RandomStream& stream, double s, std::size_t dimension,
                               const EntryOffset& offset, const EntryResult& put, double trust);
}  // namespace detail

}  // namespace eigenveil
