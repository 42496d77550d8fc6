#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/report/document.hpp"
#include "mechanism/mask/released_gram.hpp"
#include "mechanism/pairwise/pairwise.hpp"

namespace eigenveil {

/// What a release gives away about second moments: pseudo-data, factors of it, or a covariance by
/// method gauss. Arrays too large for memory lie in `folder`.
Result<ReleasedGram> released_gram(const ReleaseDocument& document,
                                   const std::filesystem::path& folder = {});

/// The same from files: `path` names the release document, its directory, or the
/// pseudo-data file; checksums are verified.
Result<ReleasedGram> read_released_gram(const std::string& path);

/// Shards are one table, as `mask --blocks` writes it: of method mask those with the same noise on
/// every cell.
Result<ReleasedGram> read_released_grams(const std::vector<std::string>& paths);

/// What estimates start from: sums of all rows, or of the rows that have both of two columns.
using ReleasedMoments = std::variant<ReleasedGram, PairwiseGram>;
Result<ReleasedMoments> released_moments(const ReleaseDocument& document);
Result<ReleasedMoments> read_released_moments(const std::vector<std::string>& paths);

}  // namespace eigenveil
