#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/data/bounding.hpp"
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

/// The name of the column of the k-th level.
std::string level_name(const Categories& list, std::size_t k);

/// The columns of that table.
Result<Schema> one_hot_schema(const Schema& plain, const std::vector<Categories>& lists);

/// Whether a list of levels has some, none of them empty or there twice: 1 and 1.0 are one.
bool are_levels(const std::vector<std::string>& words);

/// Lists as a user writes them: numeric codes as they are; words, where not all are numbers, by
/// their place in the list, 0 for any other, which is what "*" at the end stands for. Refused: an
/// empty or repeated word, a "*" before the end.
Result<Categories> categories_of(const std::string& column, const std::vector<std::string>& words);

/// The bound of the expanded rows: indicator columns lie in 0..1 whatever the range of the codes
/// was; without ranges `row_norm` is that of the expanded row. Ranges keep `row_norm` as a norm in
/// scaled units.
Result<RowBound> with_indicators(const RowBound& plain, const Schema& before, const Schema& after,
                                 const std::optional<double>& row_norm);

}  // namespace eigenveil
