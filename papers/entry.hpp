#pragma once

#include <functional>
#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"
#include "eigenveil/report/document.hpp"
#include "papers/entry_progress.hpp"
#include "report/figure.hpp"

namespace eigenveil::papers {

/// Quick: minutes at most, for a look and for tests. Full: the paper's own number of repetitions.
enum class Effort : std::uint8_t { Quick, Full };

/// What an entry may use. The stream is seeded from the entry's id: no private data is involved,
/// and the numbers are the same on every machine.
struct EntryRun {
  Effort effort;
  RandomStream& stream;
  EntryProgress& progress;
};

/// Cells as they are printed; a table is a CSV file and a part of the page.
struct PrintedTable {
  std::string name;     ///< file name without ending
  std::string caption;  ///< one sentence
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// One number or claim of the paper beside ours.
struct Comparison {
  std::string what;
  std::string paper;
  std::string ours;
  bool agrees = false;
};

struct NamedFigure {
  std::string name;  ///< file name without ending
  Figure figure;
};

struct Reproduction {
  Fields parameters;
  std::vector<Comparison> comparisons;
  std::vector<PrintedTable> tables;
  std::vector<NamedFigure> figures;
  std::vector<std::string> notes;  ///< what differs from the paper, and why

  std::size_t agreeing() const;
};

/// A table or figure of a source paper. One file per entry in this folder, listed in registry.cpp.
struct Entry {
  std::string id;         ///< paper and number: "yun-dudeja-fig2"; "own-..." for our checks
  std::string title;      ///< one line of `reproduce list`
  std::string place;      ///< in the paper: "Figure 2"; for our own checks what they are
  std::string statement;  ///< what the paper says there
  std::function<Result<Reproduction>(EntryRun&)> produce;
};

Entry trade_off_gallery_entry();
Entry masked_noise_entry();
Entry credit_masking_entry();
Entry orbit_projections_entry();
Entry orbit_condition_entry();
Entry orbit_wishart_entry();
Entry spiked_figure_entry(int number);  ///< 1, 2, 3, 5, 6 of Cai, Xia and Zha
Entry spiked_mnist_entry();
Entry chooser_entry();
Entry robust_contest_entry();
Entry triple_matrix_entry();
std::vector<Entry> subspace_entries();  ///< of Singhal and Steinke
Entry subspace_constants_entry();

/// Every entry, in the order of `reproduce list`.
std::vector<Entry> all_entries();

/// From the id alone, by the name it had first (citation.hpp).
std::uint64_t entry_seed(const std::string& id);

}  // namespace eigenveil::papers
