#include <fmt/format.h>

#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "papers/figure_files.hpp"
#include "papers/genotype_panel.hpp"

namespace eigenveil::papers {
namespace {

constexpr Eigen::Index kRankComponents = 2;

/// Every column centred by its mean and divided by its standard deviation.
Matrix standardised(const Matrix& counts) {
  Matrix rows = counts.rowwise() - counts.colwise().mean();
  for (Eigen::Index j = 0; j < rows.cols(); ++j) {
    const double sd = std::sqrt(rows.col(j).squaredNorm() / static_cast<double>(rows.rows()));
    if (sd > 0.0) {
      rows.col(j) /= sd;
    }
  }
  return rows;
}

FigurePanel scores_panel(const GenotypePanel& panel, const Matrix& scores, const char* title) {
  FigurePanel drawn;
  drawn.title = title;
  drawn.x.label = "first component";
  drawn.y.label = "second component";
  drawn.series = points_by_category({scores.col(0).begin(), scores.col(0).end()},
                                    {scores.col(1).begin(), scores.col(1).end()}, panel.population);
  return drawn;
}

Result<Reproduction> produce_rank_projections(EntryRun& run) {
  Reproduction result;
  const Result<std::vector<GenotypePanel>> panels = genotype_panels(run.stream, result.notes);
  if (!panels) {
    return error_of(panels);
  }
  for (const GenotypePanel& panel : *panels) {
    const Matrix rows = standardised(panel.counts);
    const SymmetricEigen eigen = symmetric_eigen(rows.transpose() * rows / panel.rows());
    const Matrix usual = eigen.vectors.leftCols(kRankComponents);
    const Matrix ranked = panel.eigenvectors.leftCols(kRankComponents);
    const double overlap = (usual.transpose() * ranked).squaredNorm() / kRankComponents;
    Figure figure;
    figure.title = "Standardised and rank-transformed, " + panel.name;
    figure.description =
        "Scores on the first two components after the usual standardisation and "
        "after the rank transformation; both show the same clusters.";
    figure.columns = 2;
    figure.width = 760;
    figure.panels = {scores_panel(panel, rows * usual, "standardised"),
                     scores_panel(panel, panel.ranks * ranked, "rank-transformed")};
    result.figures.push_back({"fig6-" + panel.file_name, figure});
    result.comparisons.push_back(
        {panel.name + ": the two pairs of components span one plane", "very similar",
         fmt::format("squared cosine {:.3f} on average", overlap), overlap > 0.9});
    run.progress.at(static_cast<double>(result.figures.size()) /
                    static_cast<double>(panels->size()));
  }
  result.notes.emplace_back("'Very similar' is taken as an average squared cosine above 0.9.");
  return result;
}

}  // namespace

Entry rank_projections_entry() {
  return {"yun-dudeja-fig6", "components of standardised and of rank-transformed genotypes",
          "Figure 6",
          "Figure 6: Projections onto the first two PCs of the covariance matrix obtained after "
          "the standard normalization (left) and rank normalization (right): they often carry very "
          "similar information.",
          produce_rank_projections};
}

}  // namespace eigenveil::papers
