#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "mechanism/mask/released_gram.hpp"
#include "publication/mask_document.hpp"
#include "publication/pseudo_writer.hpp"
#include "report/release_writer.hpp"

// What `mask` draws and writes, without the command line: the Python package uses this too.
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

/// Where the pseudo-data goes: into a release directory, or to a file with the release beside it.
struct PseudoTarget {
  bool file = false;  ///< not a directory
  std::filesystem::path folder;
  std::string stem = "pseudo_data";
  PseudoFormat format = PseudoFormat::Csv;
  bool factor_only = false;  ///< the p x p factors instead of pseudo-data
  TableFormat tables = TableFormat::Csv;
  int threads = 1;
  Existing existing = Existing::Refuse;  ///< a release in the directory
};

/// By the ending of `out`: a file of pseudo-data (.csv, .csv.gz, .npy), or a directory whose arrays
/// have the form `tables`.
PseudoTarget pseudo_target(const std::string& out, TableFormat tables);

/// Names of the files that a release with its pseudo-data in a file of its own consists of.
std::vector<std::string> names_beside(const MaskSettings& settings, const PseudoTarget& target,
                                      bool is_private);

struct PublishedPseudo {
  ReleaseDocument document;
  std::vector<std::filesystem::path> files;
};

/// Writes the release, whole or not at all.
Result<PublishedPseudo> publish_pseudo(const MaskSettings& settings, const PseudoRelease& release,
                                       const PseudoTarget& target, RandomStream& stream);

/// What the release says about second moments, for estimates: as `analyse` reads it from its files,
/// which round to a grid far below the noise.
ReleasedGram gram_of(const MaskSettings& settings, const PseudoRelease& release);

}  // namespace eigenveil
