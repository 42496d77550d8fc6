#pragma once

#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// What a released Gram matrix of rows (c, x) sqrt(w / W) says about the rows x: post-processing.
struct CountedColumns {
  Schema schema;  ///< of x
  RowBound bound;
  double constant = 0.0;      ///< c
  double weight_bound = 1.0;  ///< W
};

/// The moment of x with the noisy sum of weights as its row count. Whatever the relation, the
/// number of rows that were read is dropped: it is no release.
NoisyMoment counted_moment(NoisyMoment extended, const CountedColumns& columns);

}  // namespace eigenveil
