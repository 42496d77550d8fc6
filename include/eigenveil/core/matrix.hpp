#pragma once

#include <Eigen/Core>

namespace eigenveil {

/// Dense column-major matrices of doubles; calibration is precision-specific, so there is no other.
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace eigenveil
