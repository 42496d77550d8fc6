#include <algorithm>

#include "cli/reproduce/entry.hpp"
#include "eigenveil/core/digest.hpp"

namespace eigenveil::cli {

std::vector<Entry> all_entries() {
  std::vector<Entry> entries{trade_off_gallery_entry(), unmasked_noise_entry()};
  for (Entry& entry : subspace_entries()) {
    entries.push_back(std::move(entry));
  }
  return entries;
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
