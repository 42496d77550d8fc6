#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "audit/harness.hpp"
#include "eigenveil/core/result.hpp"
#include "mechanism/mask/mask_calibration.hpp"

namespace eigenveil {

/// A way masked rows could be wrong; every one must be refuted by an audit.
enum class MaskMutant : std::uint8_t {
  None,
  NoiseTooSmall,      ///< noise x 0.9
  DegreesUpsideDown,  ///< calibrated for n + p dimensions instead of n - p
  CompositionOfRows,  ///< two rows of one person read as two releases instead of as a group
  ZeroRowNoise,       ///< the noise of zero-row where a row is replaced by another
  MaskReused,         ///< noise and mask of a table the adversary knows, used once more
};
std::string_view name_of(MaskMutant mutant);

/// The two pairs of the proof page, and one for each other relation: what hides a row of norm R
/// besides the noise.
enum class MaskPair : std::uint8_t {
  OtherRowsZero,   ///< statistic |Y x|^2, n degrees of freedom
  OtherRowsLarge,  ///< rank p - 1, orthogonal to x; squared residual of Y x, n - p + 1 degrees
  ReplacedRow,     ///< x against an orthogonal y, other rows zero; |Y x|^2 - |Y y|^2
  WithIntercept,   ///< (1, x) against (1, 0), other rows (1, 0); |Y x|^2
};
std::string_view name_of(MaskPair pair);

struct MaskAudit {
  std::int64_t rows = 12;
  std::int64_t dimension = 2;
  ApproxDp budget{1.0, 0.05};
};
Result<AuditCase> mask_case(const MaskAudit& request, MaskPair pair, MaskMutant mutant);

/// The pairs an honest release is attacked on.
std::vector<MaskPair> mask_pairs(const MaskAudit& request);

/// All broken versions; each is to be refuted on the pair given with it.
std::vector<std::pair<MaskMutant, MaskPair>> mask_mutants();

}  // namespace eigenveil
