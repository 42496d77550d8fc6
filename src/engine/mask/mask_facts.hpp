#pragma once

#include <optional>
#include <string>

#include "mechanism/mask/mask.hpp"

namespace eigenveil {

/// Noise of method mask: masked rows, as A. Adam Ding, Samuel S. Wu, Guanhong Miao and Shigang Chen
/// have them (Reducing Noise Level in Differential Privacy through Matrix Masking, 2022).
struct MaskedNoise {
  MaskShape shape;
  ApproxDp target;
  double asked = 0.0;  ///< sigma of the relation asked for
  double zero_row = 0.0;
  double replace_one = 0.0;
  double general = 0.0;
  UnmaskedNoise unmasked;

  /// On a diagonal entry of the Gram of `rows` rows, at least: 2 sigma |x_j| comes on top.
  double gram_sd(double rows) const;
};

/// All noises pseudo-data could have: what `plan mask` and every release show. The Python package
/// uses it too.
struct MaskFacts {
  Relation relation = Relation::ZeroRow;
  int group_size = 1;
  Guarantee guarantee;    ///< of method gauss, the default
  double gram_sd = 0.0;   ///< of method gauss, on a diagonal entry of the Gram
  double row_norm = 0.0;  ///< scaled units, with the intercept where method mask counts it
  std::optional<MaskedNoise> masked;
  std::string mask_refusal;  ///< why there is no `masked`
};

/// `block`: public number of rows of the smallest block.
Result<MaskFacts> mask_facts(MaskRequest request, std::int64_t block);

/// Pseudo-data has as many rows as the table, so relations that protect their number are refused.
Result<void> check_public_rows(Relation relation);

}  // namespace eigenveil
