#pragma once

#include "mechanism/mask/mask.hpp"

namespace eigenveil {

/// All noises a masked release could have: what `plan mask` shows. The Python package uses it too.
struct MaskFacts {
  MaskShape shape;
  ApproxDp target;
  Relation relation = Relation::ZeroRow;
  int group_size = 1;
  double asked = 0.0;  ///< sigma of `relation`, as `mask` uses it
  double zero_row = 0.0;
  double replace_one = 0.0;
  double general = 0.0;
  UnmaskedNoise unmasked;
  double max_power = 1.0;
  double gram_sd = 0.0;  ///< of --method gauss on a diagonal entry
};

/// `block`: public number of rows of the smallest block.
Result<MaskFacts> mask_facts(MaskRequest request, std::int64_t block);

}  // namespace eigenveil
