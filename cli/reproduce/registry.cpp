#include <algorithm>

#include "cli/reproduce/entry.hpp"
#include "eigenveil/core/digest.hpp"

namespace eigenveil::cli {

std::vector<Entry> all_entries() {
  return {trade_off_gallery_entry(), orbit_projections_entry(), orbit_condition_entry(),
          orbit_wishart_entry(),     masked_noise_entry(),      credit_masking_entry()};
}

std::uint64_t entry_seed(const std::string& id) {
  // 48 bits: exact in every reader of parameters.json.
  return std::stoull(hex(sha256("eigenveil reproduce " + id)).substr(0, 12), nullptr, 16);
}

std::size_t Reproduction::agreeing() const {
  return static_cast<std::size_t>(std::count_if(
      comparisons.begin(), comparisons.end(), [](const Comparison& line) { return line.agrees; }));
}

}  // namespace eigenveil::cli
