#pragma once

#include <optional>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil::detail {

/// What every sampler of exp(exponent tr(V^T diag(eigenvalues) V)) asks of its request: finite
/// eigenvalues, largest first, exponent >= 0, 1 <= columns <= p. Messages carry no value.
std::optional<Error> check_bingham_request(const Vector& eigenvalues, double exponent,
                                           Eigen::Index columns);

}  // namespace eigenveil::detail
