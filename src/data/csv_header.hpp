#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/data/open.hpp"

namespace eigenveil::detail {

/// The first record, decided: names of the columns, and whether it was used up by them.
struct CsvHeader {
  bool present = false;
  std::vector<std::string> names;
};

Result<CsvHeader> read_header(const std::vector<std::string_view>& fields,
                              ReadOptions::Header mode);

}  // namespace eigenveil::detail
