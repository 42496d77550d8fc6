#pragma once

#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// What a released Gram matrix of rows (y, c e) says (data/projection.hpp), y inside of a public
/// basis and e the length outside of it: post-processing.

/// The moment of y, in its columns and bound.
NoisyMoment inside_moment(NoisyMoment extended, const Schema& schema, const RowBound& bound);

/// The share of the squared length of all rows that lies inside of the basis.
struct ShareInside {
  double share = 0.0;  ///< not a number where noise hides the whole length
  double sd = 0.0;     ///< of the noise, to first order
};
ShareInside share_inside(const NoisyMoment& extended, double constant);

}  // namespace eigenveil
