#pragma once

#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/data/bounding.hpp"
#include "mechanism/moment/covariance.hpp"

namespace eigenveil {

/// What may be said about the noisy variances of components: post-processing, the same for every
/// method and every face.
struct ComponentVerdicts {
  Vector variance;                ///< none negative, none above what the bounds allow
  Vector share;                   ///< of the total; not a number for noise; empty: not released
  std::vector<bool> below_noise;  ///< cannot be told from noise
  std::vector<bool> clipped;      ///< the noisy variance was above what the bounds allow
};

/// `noise_edge`: what each must exceed (noise_reach.hpp); empty: no verdict. `largest`: no variance
/// of rows within the bounds is larger.
ComponentVerdicts judge_components(const Vector& noisy_variance, const Vector& noise_edge,
                                   const Vector& share, double largest);

/// The mean square along a direction is at most the square of the longest row.
double largest_variance(const RowBound& bound, Units units);

}  // namespace eigenveil
