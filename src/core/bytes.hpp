#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "eigenveil/core/integers.hpp"

namespace eigenveil {

/// Appends little-endian fields, the same bytes on every machine.
class ByteWriter {
 public:
  void integer(std::uint64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes_.push_back(static_cast<char>(value >> shift));
    }
  }
  void wide(Int128 value) {
    integer(static_cast<std::uint64_t>(value));
    integer(static_cast<std::uint64_t>(static_cast<UInt128>(value) >> 64U));
  }
  void real(double value) { integer(std::bit_cast<std::uint64_t>(value)); }
  void raw(std::string_view bytes) { bytes_.append(bytes); }
  void text(std::string_view bytes) {
    integer(bytes.size());
    raw(bytes);
  }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::string_view view() const { return bytes_; }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads them back from bytes nobody vouches for. Past the end every field is zero or empty and
/// `complete()` turns false, so a parser checks once instead of after each field.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t integer() {
    const std::string_view field = raw(8);
    std::uint64_t value = 0;
    for (std::size_t i = field.size(); i-- > 0;) {
      value = (value << 8U) | static_cast<unsigned char>(field[i]);
    }
    return value;
  }
  Int128 wide() {
    const std::uint64_t low = integer();
    const std::uint64_t high = integer();
    return static_cast<Int128>((static_cast<UInt128>(high) << 64U) | low);
  }
  double real() { return std::bit_cast<double>(integer()); }
  std::string_view raw(std::size_t count) {
    if (count > rest_.size()) {
      complete_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view field = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return field;
  }
  std::string_view text() {
    const std::uint64_t length = integer();
    return raw(static_cast<std::size_t>(length));
  }
  std::size_t remaining() const { return rest_.size(); }
  bool complete() const { return complete_; }

 private:
  std::string_view rest_;
  bool complete_ = true;
};

}  // namespace eigenveil
