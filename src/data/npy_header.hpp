#pragma once

#include <cstddef>

#include "data/array_cells.hpp"
#include "data/byte_source.hpp"

namespace eigenveil::detail {

/// Shape and layout of an array file, checked against its size.
struct NpyHeader {
  NumberKind kind = NumberKind::Float;
  std::size_t item_bytes = 8;
  bool big_endian = false;
  bool column_major = false;
  bool complex_pairs = false;  ///< real and imaginary parts, each a column of its own
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t data_offset = 0;
};

/// NPY versions 1 to 3 with numbers in one or two dimensions; everything else is refused. A complex
/// array has twice as many columns: c1.re, c1.im, c2.re, ...
Result<NpyHeader> read_npy_header(const FileDescriptor& file);

}  // namespace eigenveil::detail
