#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/data/bounding.hpp"

namespace eigenveil {

/// Eigenvalues (scaled units) a plan assumes of a covariance must be those of some table within the
/// bound: tr Cov(x) <= E |x|² <= R².
Result<void> check_assumed_spectrum(const Vector& eigenvalues, const RowBound& bound);

}  // namespace eigenveil
