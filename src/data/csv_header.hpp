#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/open.hpp"
#include "data/text_cell.hpp"

namespace eigenveil::detail {

/// What a reader takes a field for: exact points may be fractions, other cells may not.
using KindOfCell = CellKind (*)(std::string_view field);

/// The first record, decided: names of the columns, and whether it was used up by them.
struct CsvHeader {
  bool present = false;
  std::vector<std::string> names;
};

/// A first record with the wrong separator would be taken for one long column name, and names are
/// public: its cells would be published.
Result<void> check_separator(std::string_view record, char delimiter);

/// The one place that decides whether a first record may be shown and published as names.
Result<CsvHeader> read_header(const std::vector<std::string_view>& fields,
                              const ReadOptions& options, KindOfCell kind_of);

}  // namespace eigenveil::detail
