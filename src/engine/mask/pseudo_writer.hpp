#pragma once

#include <string>
#include <vector>

#include "core/atomic_output.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/report/document.hpp"
#include "mechanism/mask/pseudo_rows.hpp"

namespace eigenveil {

struct PseudoTable {
  ArrayFormat format = ArrayFormat::Csv;
  std::vector<std::string> columns;
  std::vector<int> decimals;  ///< public rounding grid of each column
  int threads = 1;
};

/// Streams all blocks, one after the other, into `file`; the checksum is taken on the way. Memory
/// does not grow with the rows.
Result<std::string> write_pseudo_rows(std::vector<PseudoRows> blocks, std::int64_t rows,
                                      const PseudoTable& table, AtomicFile& file);

}  // namespace eigenveil
