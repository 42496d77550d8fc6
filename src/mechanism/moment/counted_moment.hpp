#pragma once

#include "mechanism/moment/noisy_moment.hpp"

namespace eigenveil {

/// What a released Gram matrix of rows r (c, e r^2, c m, x), r = sqrt(w / W), says about the rows x
/// (data/counted_rows.hpp): post-processing.
struct CountedColumns {
  Schema schema;  ///< of x
  RowBound bound;
  double constant = 0.0;         ///< c
  double weight_bound = 1.0;     ///< W
  double square_constant = 0.0;  ///< e; 0: no such column
  std::vector<std::size_t> indicated = {};

  /// Columns before those of x.
  Eigen::Index before() const {
    return 1 + (square_constant > 0.0 ? 1 : 0) + static_cast<Eigen::Index>(indicated.size());
  }
};

/// The moment of x with the noisy sum of weights as its row count. Whatever the relation, the
/// number of rows that were read is dropped: it is no release.
NoisyMoment counted_moment(NoisyMoment extended, const CountedColumns& columns);

/// Kish's effective number of rows, (sum w)^2 / sum w^2; not a number where the noise hides it.
struct EffectiveRows {
  double rows = 0.0;
  double sd = 0.0;  ///< to first order
};
EffectiveRows effective_rows(const NoisyMoment& extended, const CountedColumns& columns);

}  // namespace eigenveil
