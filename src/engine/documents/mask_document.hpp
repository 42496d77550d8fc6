#pragma once

#include "eigenveil/report/document.hpp"
#include "mechanism/mask/mask.hpp"
#include "mechanism/moment/moment_plan.hpp"

namespace eigenveil {

/// How pseudo-data was asked for; public.
struct MaskSettings {
  std::string method;
  bool rotates = false;  ///< noise on the rows before a secret rotation; else on their Gram
  Budget requested;
  Relation relation = Relation::ZeroRow;
  RowBound bound;
  Schema schema;
  bool intercept = false;
  bool published = false;
  bool scaled_units = false;
  int group_size = 1;
  std::int64_t smallest_block = 0;  ///< as asked for; 0: that of the blocks
};

MaskRequest mask_request(const MaskSettings& settings);

/// Noise of one release, in scaled units: on every cell (mask), or on the Gram (gauss).
struct MaskNoise {
  double cell_sd = 0.0;
  double gram_sd_diagonal = 0.0;
  double gram_sd_off_diagonal = 0.0;
  double gram_sd_sums = 0.0;  ///< on the entries beside the intercept
  double row_norm = 0.0;      ///< mask: of a row with its intercept, which the noise is made for
};

/// Names of the output columns, and the factor of each from scaled to output units.
std::vector<std::string> pseudo_columns(const MaskSettings& settings);
Vector pseudo_scales(const MaskSettings& settings);

/// Standard deviations of the entries of a noisy Gram in output units, from those of scaled units.
/// With an intercept the first row and column hold sums, and the number of rows is public.
Matrix gram_deviations(const Vector& scales, const MaskNoise& noise, bool intercept);

/// Everything but the arrays.
ReleaseDocument mask_document(const MaskSettings& settings, const MaskNoise& noise,
                              const std::vector<std::int64_t>& block_rows,
                              const Guarantee& guarantee);

}  // namespace eigenveil
