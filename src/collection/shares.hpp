#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/core/integers.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Integers mod 2^128, an entry for each place of a packed triangle.
using ShareVector = std::vector<UInt128>;
/// What a uniform share is expanded from.
using ShareSeed = std::array<unsigned char, 32>;

/// The key stream of AES-256 in counter mode from zero, 16 bytes an entry, little endian: the same
/// in C++ and in a browser. A seed is used for one share and for nothing else, so that the stream
/// cannot be told from uniform bits (an assumption every release states).
ShareVector expand(const ShareSeed& seed, std::size_t entries);

void add_to(ShareVector& sum, const ShareVector& share);  ///< mod 2^128, equal sizes
ShareVector difference(std::span<const Int128> values, const ShareVector& share);

/// Entries as numbers: above 2^127 stands for negative.
std::vector<Int128> as_signed(const ShareVector& share);

std::string share_bytes(const ShareVector& share);
/// `bytes` must hold `entries` of them and nothing else.
Result<ShareVector> share_from_bytes(std::string_view bytes, std::size_t entries);

/// The packed upper triangle of the outer product of a row of integers with itself.
std::vector<Int128> outer_triangle(std::span<const std::int64_t> row);

}  // namespace eigenveil
