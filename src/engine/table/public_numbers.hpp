#pragma once

#include <string>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/core/result.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil {

/// Files of public numbers that a table is described by; an empty path: none is given.
struct PublicFiles {
  std::string project;             ///< loadings as a release writes them, or .npy
  std::string bounds;              ///< CSV column,low,high
  std::string center;              ///< CSV column,value
  std::string allele_frequencies;  ///< CSV column,value, or plink's .frq
};
/// Reads them into their places, for every face.
Result<void> read_public_files(const PublicFiles& files, TableSpec& spec);

/// Assumed eigenvalues, largest first: finite and not negative.
Result<Vector> assumed_spectrum(std::vector<double> eigenvalues);

}  // namespace eigenveil
