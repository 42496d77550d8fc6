#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "papers/entry.hpp"

namespace eigenveil::papers {

/// People by variants for the figures of Yun and Dudeja, rank-transformed as there.
struct GenotypePanel {
  std::string name;       ///< "generated, n = 2504, p = 200"
  std::string file_name;  ///< "generated"
  Matrix counts;          ///< allele counts
  Matrix ranks;           ///< centred ranks, a row has squared norm at most p
  std::vector<std::string> population;
  Vector eigenvalues;  ///< of ranksᵀ ranks / n
  Matrix eigenvectors;
  double rows() const { return static_cast<double>(ranks.rows()); }
  double dimension() const { return static_cast<double>(ranks.cols()); }
};

/// 1092 people, 14079 variants: shared data, absent on most machines.
inline constexpr const char* kPhaseOne = "genotypes-1000g-phase1/1kg_phase1.bed";

/// Allele counts, people x `count` variants chosen at random by the stream.
Result<Matrix> random_variants(const std::filesystem::path& bed, std::size_t count,
                               RandomStream& stream);

/// The shipped generator (n = 2504, p = 200), then the 1000 Genomes files where they are present
/// (p = 200, and p = 115, which has the paper's n / p^1.5). `notes` says when they are absent.
Result<std::vector<GenotypePanel>> genotype_panels(RandomStream& stream,
                                                   std::vector<std::string>& notes);

/// `run_panel` on each of them, with one figure and one step of progress for each.
Result<void> run_on_panels(EntryRun& run, Reproduction& result,
                           Result<void> (*run_panel)(const GenotypePanel&, EntryRun&,
                                                     Reproduction&));

/// Scores of the rows on two directions, coloured by population. The frame is first rotated within
/// its span towards the true components (Procrustes), as in the paper.
FigurePanel projection_panel(const GenotypePanel& panel, const Matrix& frame,
                             const std::string& title);

/// Draws a p x k frame of the exponential mechanism at β, in the coordinates of the columns.
Result<Matrix> draw_at(const GenotypePanel& panel, double beta, Eigen::Index components,
                       RandomStream& stream);

Entry private_projections_entry();  ///< yun-dudeja-fig1
Entry estimation_error_entry();     ///< yun-dudeja-fig3
Entry noise_and_privacy_entry();    ///< yun-dudeja-fig4
Entry finite_trade_off_entry();     ///< yun-dudeja-fig5
Entry rank_projections_entry();     ///< yun-dudeja-fig6
Entry adaptive_utility_entry();     ///< yun-dudeja-cor1
Entry genotype_budget_entry();      ///< own-genotypes

}  // namespace eigenveil::papers
