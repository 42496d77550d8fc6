#pragma once

#include <optional>
#include <vector>

#include "engine/documents/mask_document.hpp"
#include "mechanism/mask/pseudo_rows.hpp"

// What `mask` draws and publishes.
namespace eigenveil {

/// The factors of all blocks under one plan.
struct PseudoRelease {
  std::vector<PseudoFactor> blocks;
  MaskNoise noise;
  Guarantee guarantee;
  std::optional<Matrix> noisy_gram;  ///< of method gauss, before it is made positive semidefinite

  std::vector<std::int64_t> block_rows() const;
};

/// What can be refused before a row is read.
Result<void> check_pseudo(const MaskSettings& settings);

/// One Gram a block, each masked by itself with the noise of the smallest. Refusals come from
/// public numbers of rows, before anything is drawn. Pseudo-data needs as many rows as columns; a
/// factor alone does not.
Result<PseudoRelease> draw_pseudo(const MaskSettings& settings, const std::vector<ExactGram>& grams,
                                  bool factor_only, RandomStream& stream);

/// The guarantee of a release with these settings, from a block of this many rows or, where their
/// number is not known yet, what the release will at least have: the curve of method mask depends
/// on the rows, and always implies the pair that was asked for.
Result<Guarantee> pseudo_guarantee(const MaskSettings& settings,
                                   std::optional<std::int64_t> rows = {});

/// The document, with one p x p factor F a block: F'F is its noisy Gram.
ReleaseDocument factor_document(const MaskSettings& settings, const PseudoRelease& release);

/// The same release with pseudo-data in place of its factors: an array that is made while it is
/// written, and once only. Rotations come from `stream`: post-processing.
Result<ReleaseDocument> pseudo_document(ReleaseDocument factors, RandomStream& stream);

}  // namespace eigenveil
