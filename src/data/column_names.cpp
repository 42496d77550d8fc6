#include "data/column_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/parameter_names.hpp"
#include "core/plain_text.hpp"

namespace eigenveil {

Result<void> check_names(const Schema& schema) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t j = 0; j < schema.columns.size(); ++j) {
    const std::string& name = schema.columns[j];
    if (name.empty()) {
      return bad_request(fmt::format("column {} has no name", j + 1), "columns");
    }
    if (!is_plain_text(name)) {
      return bad_request(
          fmt::format("the name of column {} is not one line of plain UTF-8 text", j + 1),
          "columns");
    }
    if (!seen.insert(name).second) {
      return bad_request(fmt::format("there are several columns called {}", shown(name)),
                         "columns");
    }
  }
  if (!std::ranges::all_of(schema.counted_alleles, is_plain_text) ||
      !is_plain_text(schema.people.column)) {
    return bad_request(
        "the names of alleles, and that of the column of people, must be one line of plain UTF-8 "
        "text",
        "columns");
  }
  return {};
}

}  // namespace eigenveil
