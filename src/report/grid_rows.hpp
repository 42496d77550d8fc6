#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace eigenveil {

/// Decimals of a public decimal grid at least a thousand times finer than `deviation`.
int grid_decimals(double deviation);

/// Rounds row-major values to `decimals[column]` places, in place.
void round_to_decimals(double* values, std::size_t rows, const std::vector<int>& decimals);

/// The same as CSV lines without names. Values beyond 9e18 grid steps are cut to that.
void append_grid_rows(std::string& text, const double* values, std::size_t rows,
                      const std::vector<int>& decimals);

}  // namespace eigenveil
