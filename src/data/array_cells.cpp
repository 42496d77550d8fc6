#include "data/array_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/parameter_names.hpp"

namespace eigenveil::detail {
namespace {

template <class T, bool kSwap>
double load(const char* at) {
  std::array<char, sizeof(T)> bytes = {};
  std::memcpy(bytes.data(), at, sizeof(T));
  if constexpr (kSwap) {
    std::ranges::reverse(bytes);
  }
  if constexpr (std::is_same_v<T, bool>) {
    return bytes[0] == 0 ? 0.0 : 1.0;
  } else {
    return static_cast<double>(std::bit_cast<T>(bytes));
  }
}

/// Small groups of rows keep both sides in cache whichever order the file has.
template <class T, bool kSwap>
void convert(const char* bytes, const ChunkLayout& layout, const std::vector<std::size_t>& columns,
             RawRows& block) {
  constexpr std::size_t kGroup = 64;
  for (std::size_t first = 0; first < block.rows; first += kGroup) {
    const std::size_t last = std::min(first + kGroup, block.rows);
    for (std::size_t slot = 0; slot < columns.size(); ++slot) {
      const char* cell = bytes + columns[slot] * layout.column_stride + first * layout.row_stride;
      double* value = block.values.data() + first * columns.size() + slot;
      for (std::size_t row = first; row < last; ++row) {
        *value = load<T, kSwap>(cell);
        cell += layout.row_stride;
        value += columns.size();
      }
    }
  }
}

template <class T>
CellConverter converter_of(bool swap) {
  return swap ? convert<T, true> : convert<T, false>;
}

template <class One, class Two, class Four, class Eight>
CellConverter integer_converter(std::size_t bytes, bool swap) {
  switch (bytes) {
    case 1:
      return converter_of<One>(swap);
    case 2:
      return converter_of<Two>(swap);
    case 4:
      return converter_of<Four>(swap);
    default:
      return converter_of<Eight>(swap);
  }
}

}  // namespace

CellConverter pick_converter(const CellType& type) {
  const bool swap = type.big_endian != (std::endian::native == std::endian::big);
  switch (type.kind) {
    case NumberKind::Float:
      return type.item_bytes == 4 ? converter_of<float>(swap) : converter_of<double>(swap);
    case NumberKind::Signed:
      return integer_converter<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(
          type.item_bytes, swap);
    case NumberKind::Unsigned:
      return integer_converter<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(
          type.item_bytes, swap);
    case NumberKind::Boolean:
      break;
  }
  return converter_of<bool>(false);
}

Result<void> settle_cells(const RawChunk& chunk, const Schema& schema, BadCell bad_cell,
                          MissingCell missing_cell, RawRows& block) {
  for (std::size_t i = 0; i < block.values.size(); ++i) {
    double& value = block.values[i];
    if (std::isfinite(value)) {
      continue;
    }
    const bool missing = std::isnan(value);
    if (missing ? missing_cell == MissingCell::Refuse : bad_cell == BadCell::Refuse) {
      return bad_request(fmt::format(
          "row {}, column {}: {}.", chunk.first_record + i / block.dimension,
          shown(schema.columns[i % block.dimension]),
          missing ? "the value is missing" : "not a finite number (the value is not shown)"));
    }
    value = std::numeric_limits<double>::quiet_NaN();
  }
  return {};
}

}  // namespace eigenveil::detail
