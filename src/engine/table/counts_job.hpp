#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "engine/table/table_spec.hpp"

namespace eigenveil {

/// A picture of people on released axes (engine/scores.hpp), as a job asks for it.
struct AskedScores {
  std::string on = {};                       ///< the release whose loadings are the axes, by path
  std::array<std::size_t, 2> axes = {1, 2};  ///< components, from 1
  std::size_t cells = 20;                    ///< along each axis
  WordList label = {};                       ///< a column and its public levels; empty: none
  std::string labels = {};  ///< of tables of numbers alone: the file that has that column
};

/// Ranges of columns, or one norm of all rows (engine/private_bounds.hpp).
struct AskedBounds {
  double outside = 0.001;                 ///< share of rows that a range may leave out, about
  std::optional<ColumnRange> outer = {};  ///< for columns whose range noise hides
  bool row_norm = false;                  ///< in the units that the ranges of the table give
};

/// What a job counts with noise, in place of a method's release.
using AskedCounts = std::variant<AskedScores, AskedBounds>;

}  // namespace eigenveil
