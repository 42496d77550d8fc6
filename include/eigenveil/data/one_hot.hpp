#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// A column of codes and the public list of those that become indicator columns. A code outside of
/// the list (the reference category, say) is zero in all of them.
struct Categories {
  std::string column;
  std::vector<double> codes;
  std::vector<std::string> names = {};  ///< of the codes, where they stand for words
};

/// The table with every listed column replaced, in its place, by one 0/1 column per code, named
/// "column=code" or "column=word". A missing cell stays missing in all of them. Refused when a
/// column is unknown or listed twice.
Result<std::unique_ptr<RowReader>> one_hot(std::unique_ptr<RowReader> table,
                                           const std::vector<Categories>& lists);

}  // namespace eigenveil
