#pragma once

#include <optional>

#include "mechanism/subspace/group_positions.hpp"
#include "mechanism/subspace/stability_histogram.hpp"

namespace eigenveil::detail {

/// Singhal and Steinke's aggregator: cells of a grid with one random offset, `side` steps wide; the
/// fullest by noisy count; a uniformly random point of it, as reference points d x q. The cell is
/// known by the hash of its integer index; the grid is never formed.
std::optional<Matrix> point_of_fullest_cell(const GroupPositions& positions,
                                            const StabilityHistogram& histogram, std::int64_t side,
                                            RandomStream& stream);

}  // namespace eigenveil::detail
