#pragma once

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil::detail {

/// The projector's share of a release under the spiked model, for an attack at its sensitivity.
struct SpikedParts {
  double change = 0.0;  ///< sensitivity of the projector
  double mu = 0.0;
  double sd = 0.0;
};
Result<SpikedParts> spiked_parts(const Budget& budget);

/// One row of 2000 replaced by one that the model would not draw, within the radius that clipping
/// leaves: a guarantee of basis model-probability does not speak of this pair, and the attack says
/// by how much.
Result<Attack> spiked_outside(const Budget& budget);

}  // namespace eigenveil::detail
