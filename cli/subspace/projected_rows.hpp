#pragma once

#include "cli/options/input_options.hpp"
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil::cli {

/// The exact Gram of the rows in the coordinates of a released frame (d x k): every row is clipped
/// to `bound`, multiplied by the frame, and clipped again to `inside`, which is what the
/// sensitivity rests on. Rows are projected as they stream: no d x d matrix.
Result<ExactGram> projected_gram(const InputOptions& input, const RowBound& bound,
                                 const Matrix& frame, const RowBound& inside, bool quiet);

}  // namespace eigenveil::cli
