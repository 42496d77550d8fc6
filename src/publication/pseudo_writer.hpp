#pragma once

#include <string>
#include <vector>

#include "core/atomic_output.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/report/document.hpp"
#include "mechanism/mask/pseudo_rows.hpp"

namespace eigenveil {

/// How pseudo-data is written down.
enum class PseudoFormat : std::uint8_t { Csv, CsvGzip, Npy };
std::string ending_of(PseudoFormat format);  ///< ".csv.gz"

struct PseudoTable {
  PseudoFormat format = PseudoFormat::Csv;
  std::vector<std::string> columns;
  std::vector<int> decimals;  ///< public rounding grid of each column
  int threads = 1;
};

/// Streams all blocks, one after the other, into `file`; the checksum is taken on the way. Memory
/// does not grow with the rows.
Result<std::string> write_pseudo_rows(std::vector<PseudoRows> blocks, std::int64_t rows,
                                      const PseudoTable& table, AtomicFile& file);

}  // namespace eigenveil
