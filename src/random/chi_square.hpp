#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// A chi-square variate with `degrees` > 0 degrees of freedom, in double precision: Marsaglia and
/// Tsang's rejection from a transformed normal (2000), exact in real arithmetic.
double chi_square(RandomStream& stream, double degrees);

/// B with BᵀB Wishart(degrees, I) in `dimension` columns: an upper triangle with chi variates on
/// its diagonal (Bartlett 1933), or `degrees` normal rows where they are fewer than columns.
Matrix wishart_factor(RandomStream& stream, double degrees, Eigen::Index dimension);

}  // namespace eigenveil
