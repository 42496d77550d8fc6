#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/report/read_release.hpp"
#include "engine/documents/mask_document.hpp"
#include "mechanism/mask/released_gram.hpp"
#include "mechanism/pairwise/pairwise.hpp"

namespace eigenveil {

/// A covariance by method gauss, as it was released.
struct ReleasedCovariance {
  std::vector<std::string> names;
  Matrix raw;
  double rows = 0.0;
  double rows_sd = 0.0;  ///< 0: the number is public
  Vector scales;         ///< of the columns, from scaled units to those of `raw`
  MaskNoise noise;       ///< on sums over rows
  bool from_midpoints = false;
  Vector midpoints = {};  ///< back to original units; empty: in other units
  double longest_row = 0.0;
  std::optional<Vector> mean = {};  ///< private, about the public midpoint; none: `raw` is about it
};
Result<ReleasedGram> gram_of(const ReleasedCovariance& released);

/// Reads what a release gives away about second moments: masked or Gaussian pseudo-data, a factor,
/// or a covariance by method gauss. `path` names the release document, its directory, or the
/// pseudo-data file; checksums are verified.
Result<ReleasedGram> read_released_gram(const std::string& path);

/// The same for a release that is already at hand.
Result<ReleasedGram> released_gram(const ReadRelease& release);

/// Shards are one table, as `mask --blocks` writes it: of method mask those with the same noise on
/// every cell.
Result<ReleasedGram> read_released_grams(const std::vector<std::string>& paths);

/// What estimates start from: sums of all rows, or of the rows that have both of two columns.
using ReleasedMoments = std::variant<ReleasedGram, PairwiseGram>;
Result<ReleasedMoments> read_released_moments(const std::vector<std::string>& paths);

}  // namespace eigenveil
