#pragma once

#include <cstdint>
#include <string_view>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Which data sets count as neighbours: the first thing a guarantee must say.
enum class Relation : std::uint8_t {
  AddRemove,        ///< one row is added or removed; the row count is protected
  ReplaceOne,       ///< one row is replaced by any other; the row count is public
  ZeroRow,          ///< one row against the zero row; the row count is public
  BoundedChange,    ///< one row moves by at most a stated distance
  IndependentCopy,  ///< one row is redrawn from the model (spiked covariance)
};

std::string_view name_of(Relation relation);   ///< "add-remove", as on the command line
std::string_view describe(Relation relation);  ///< "adding or removing one row"
[[nodiscard]] Result<Relation> parse_relation(std::string_view name);
bool row_count_is_public(Relation relation);

}  // namespace eigenveil
