#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Public facts about a table: the names of its columns, in order.
struct Schema {
  std::vector<std::string> columns;
  std::size_t dimension() const { return columns.size(); }
};

/// A block of rows as they were read: unbounded and private. No mechanism and no statistic takes
/// this type; data/bounding.hpp turns it into BoundedRows. Row-major; NaN means missing.
struct RawRows {
  std::size_t rows = 0;
  std::size_t dimension = 0;
  std::vector<double> values;
};

/// What a reader does with a cell that is neither a number nor missing (`--bad-cell`).
enum class BadCell : unsigned char {
  Refuse,    ///< an error on the curator's channel, with line and column but never the value
  Midpoint,  ///< treated as missing, so that a run is total
};

/// What a reader does with a missing cell (`--missing`): NaN (the public midpoint later) or refuse.
enum class MissingCell : unsigned char { Midpoint, Refuse };

/// Streams a table in row blocks with constant memory.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// The selected columns, in the order requested.
  virtual const Schema& schema() const = 0;
  /// Fills `block` with the next rows (the reader picks how many, some thousands); `block.rows ==
  /// 0` at the end.
  virtual Result<void> read(RawRows& block) = 0;
  /// Share of the input consumed, between 0 and 1, when the size is known.
  virtual std::optional<double> progress() const { return std::nullopt; }
};

}  // namespace eigenveil
