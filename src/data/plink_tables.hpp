#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil::detail {

/// The selected variants of a .bim file.
struct PlinkVariants {
  Schema schema;                       ///< names and counted alleles, in the order requested
  std::vector<std::size_t> positions;  ///< line of the .bim file from 0, per selected variant
  std::size_t total = 0;               ///< variants in the file
};

/// Reads variant names. Without a request all variants are taken, each called by its identifier, or
/// chromosome:position:A1:A2 where that is "." or used twice. A request may use either name; then
/// memory grows with the request and not with the file.
Result<PlinkVariants> read_variants(const std::string& bim_path,
                                    const std::vector<std::string>& requested,
                                    const std::vector<std::string>& excluded = {});

/// Number of people in a .fam file; nothing about them is kept.
Result<std::size_t> count_people(const std::string& fam_path);
/// Their names within families (the second field), in order.
Result<std::vector<std::string>> people_of(const std::string& fam_path);

}  // namespace eigenveil::detail
