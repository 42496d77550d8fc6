#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/open.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil::detail {

/// Most columns a table may have; bounds the memory names can take.
inline constexpr std::size_t kLargestDimension = std::size_t{1} << 20;

/// Which columns of a file become which columns of a block.
struct ColumnSelection {
  static constexpr std::size_t kSkip = static_cast<std::size_t>(-1);
  Schema schema;                     ///< the selected columns
  std::vector<std::size_t> sources;  ///< column of the file, per selected column
  std::vector<std::size_t> slots;    ///< selected column or kSkip, per column of the file
};

/// Selects `requested` (all if empty) by name. Unknown, repeated and ambiguous names are refused.
Result<ColumnSelection> select_columns(std::vector<std::string> names,
                                       const std::vector<std::string>& requested);
/// The same by the columns, excluded, appended and person columns of a request.
Result<ColumnSelection> select_columns(std::vector<std::string> names, const ReadOptions& options);

/// `names` without `excluded`, each of which must be among them; refused when nothing is left.
Result<std::vector<std::string>> without_columns(const std::vector<std::string>& names,
                                                 const std::vector<std::string>& excluded);

std::string default_column_name(std::size_t column);  ///< c1 for column 0
std::vector<std::string> default_column_names(std::size_t count);

}  // namespace eigenveil::detail
