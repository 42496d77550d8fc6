#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "data/open.hpp"
#include "eigenveil/data/bounding.hpp"

namespace eigenveil::fuzz {

inline void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

/// Reads a table to its end and bounds every row. Whatever the bytes: one error or a table with
/// finite or missing cells, and integers within the bound.
inline void read_everything(const std::string& path, const ReadOptions& options) {
  const auto reader = open_rows(path, options);
  if (!reader) {
    require(!reader.error().message.empty());
    return;
  }
  const std::size_t dimension = (*reader)->schema().dimension();
  require(dimension > 0);
  const Result<RowBound> bound = RowBound::row_norm(dimension, 1.0);
  require(bound.has_value());
  RawRows block;
  std::size_t rows = 0;
  do {
    if (const Result<void> got = (*reader)->read(block); !got) {
      require(!got.error().message.empty());
      return;
    }
    require(block.dimension == dimension && block.values.size() == block.rows * dimension);
    require(std::none_of(block.values.begin(), block.values.end(),
                         [](double value) { return std::isinf(value); }));
    require(BoundedRows::clip(*bound, block.values.data(), block.rows).rows() == block.rows);
    rows += block.rows;
  } while (block.rows > 0 && rows < 100000);
}

/// The last byte of an input chooses the options, so that a fuzzer finds them too.
inline ReadOptions options_of(unsigned char choice) {
  ReadOptions options;
  options.bad_cell = (choice & 1U) != 0 ? BadCell::Midpoint : BadCell::Refuse;
  options.missing = (choice & 2U) != 0 ? MissingCell::Refuse : MissingCell::Midpoint;
  // Small: a megabyte to clear for every input would leave no time for inputs.
  options.chunk_bytes = (choice & 4U) != 0 ? 16 : 4096;
  options.header = (choice & 8U) != 0    ? ReadOptions::Header::Present
                   : (choice & 16U) != 0 ? ReadOptions::Header::Absent
                                         : ReadOptions::Header::Auto;
  if ((choice & 32U) != 0) {
    options.columns = {"c1"};
  }
  if (options.header == ReadOptions::Header::Absent) {
    options.width = (choice & 64U) != 0 ? 2 : 0;
  }
  return options;
}

}  // namespace eigenveil::fuzz
