#pragma once

#include "eigenveil/core/matrix.hpp"

namespace eigenveil::detail {

/// Upper triangular R with non-negative diagonal and RᵀR = stackedᵀ stacked, by Householder
/// reflections: never squares the condition number. At least as many rows as columns.
Matrix triangular_factor(Matrix stacked);

}  // namespace eigenveil::detail
