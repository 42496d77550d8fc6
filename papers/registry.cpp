#include <algorithm>

#include "eigenveil/core/digest.hpp"
#include "papers/citation.hpp"
#include "papers/entry.hpp"
#include "papers/genotype_panel.hpp"

namespace eigenveil::papers {

std::vector<Entry> all_entries() {
  std::vector<Entry> entries{
      private_projections_entry(), trade_off_gallery_entry(), estimation_error_entry(),
      noise_and_privacy_entry(),   finite_trade_off_entry(),  rank_projections_entry(),
      adaptive_utility_entry(),    orbit_projections_entry(), orbit_condition_entry(),
      orbit_wishart_entry(),       masked_noise_entry(),      credit_masking_entry()};
  for (Entry& entry : subspace_entries()) {
    entries.push_back(std::move(entry));
  }
  for (Entry& entry : std::vector<Entry>{
           spiked_figure_entry(1), spiked_figure_entry(2), spiked_figure_entry(3),
           spiked_mnist_entry(), spiked_figure_entry(5), spiked_figure_entry(6), chooser_entry(),
           robust_contest_entry(), genotype_budget_entry(), triple_matrix_entry()}) {
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::uint64_t entry_seed(const std::string& id) {
  // 48 bits: exact in every reader of parameters.json.
  return std::stoull(hex(sha256("eigenveil reproduce " + first_id(id))).substr(0, 12), nullptr, 16);
}

std::size_t Reproduction::agreeing() const {
  return static_cast<std::size_t>(std::count_if(
      comparisons.begin(), comparisons.end(), [](const Comparison& line) { return line.agrees; }));
}

}  // namespace eigenveil::papers
