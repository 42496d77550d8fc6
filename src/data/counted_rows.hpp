#pragma once

#include <memory>
#include <vector>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// Rows that carry what is to be counted among their columns:
///   r (c, e r^2, c m, x),  r = sqrt(w / W),
/// where x is the row in the scaled units of its bound, clipped to it, w the last column of the
/// table clipped to [0, W] (missing: 0), or 1 = W where the table has no weights, and m_j is 1
/// where cell j is present, else 0 (an infinite cell is missing; x_j is then 0, the midpoint). The
/// squared norm is at most R^2 + c^2 (1 + q) + e^2 for q indicators. Their Gram matrix holds the
/// sums of weights, of squared weights, and counts, sums and products of every pair of columns over
/// the rows that have both. Proof: docs/proofs/pairwise.md.
struct CountedRows {
  double constant = 0.0;         ///< c
  double weight_bound = 1.0;     ///< W
  bool weighted = false;         ///< the last column holds w
  double square_constant = 0.0;  ///< e; 0: squared weights are no column
  std::vector<std::size_t> indicated = {};
  double step = 0.0;  ///< of the grid that rows are rounded to; c and e are whole numbers of it
};

/// The constants as whole steps of the grid of the longer rows, so that rounding towards zero
/// leaves counts as they are, and that grid. `asked` has c and e as they are wanted.
struct CountedBound {
  CountedRows rows;
  RowBound bound;
};
Result<CountedBound> counted_bound(const RowBound& bound, CountedRows asked, std::int64_t grid);

/// "count", perhaps "squares", "present(a)" for every indicated column, then the columns.
std::vector<std::string> counted_names(const Schema& columns, const CountedRows& counted);

std::unique_ptr<RowReader> count_rows_inside(std::unique_ptr<RowReader> table,
                                             const RowBound& bound, const CountedRows& counted);

}  // namespace eigenveil
