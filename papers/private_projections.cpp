#include <fmt/format.h>

#include <array>

#include "mechanism/sharp/sharp_privacy.hpp"
#include "papers/genotype_panel.hpp"

namespace eigenveil::papers {
namespace {

constexpr Eigen::Index kShownComponents = 2;

struct PublishedLevel {
  double beta;
  const char* epsilon;  ///< as printed, for p = 200 and n = 2504
};
constexpr std::array<PublishedLevel, 3> kNoiseLevels{
    {{0.01, "0.16"}, {0.2, "3.19"}, {1.2, "19.17"}}};

Result<Figure> projections_figure(const GenotypePanel& panel, RandomStream& stream) {
  Figure figure;
  figure.title = "Projections on two components, " + panel.name;
  figure.description =
      "Scores of the people on the first two components, exact and private at three noise levels; "
      "colours are populations. Small beta hides the clusters.";
  figure.columns = 2;
  figure.width = 760;
  figure.panels.push_back(
      projection_panel(panel, panel.eigenvectors.leftCols(kShownComponents), "not private"));
  for (const PublishedLevel& level : kNoiseLevels) {
    const Result<Matrix> frame = draw_at(panel, level.beta, kShownComponents, stream);
    if (!frame) {
      return error_of(frame);
    }
    figure.panels.push_back(projection_panel(panel, *frame, fmt::format("beta = {}", level.beta)));
  }
  figure.notes = {{.text = "computed from public or generated genotypes, not a release"}};
  return figure;
}

Result<Reproduction> produce_private_projections(EntryRun& run) {
  Reproduction result;
  const Result<std::vector<GenotypePanel>> panels = genotype_panels(run.stream, result.notes);
  if (!panels) {
    return error_of(panels);
  }
  PrintedTable table{"epsilon",
                     "Worst-case epsilon at each beta: as published (p^2 beta / n), and with a "
                     "public normaliser (half of it).",
                     {"data", "beta", "published", "ours"},
                     {}};
  for (const GenotypePanel& panel : *panels) {
    const Result<SharpPrivacy> sharp =
        SharpPrivacy::make(panel.eigenvalues, panel.rows(), kShownComponents);
    const Result<Figure> figure = projections_figure(panel, run.stream);
    if (!sharp || !figure) {
      return sharp ? error_of(figure) : error_of(sharp);
    }
    result.figures.push_back({"fig1-" + panel.file_name, *figure});
    for (const PublishedLevel& level : kNoiseLevels) {
      const std::string published = fmt::format("{:.2f}", sharp->published_epsilon(level.beta));
      table.rows.push_back({panel.name, fmt::format("{}", level.beta), published,
                            fmt::format("{:.2f}", sharp->worst_case_epsilon(level.beta))});
      if (&panel == &panels->front()) {
        result.comparisons.push_back(
            {fmt::format("epsilon at beta = {} (p = 200, n = 2504)", level.beta), level.epsilon,
             published, published == level.epsilon});
      }
    }
    run.progress.at(static_cast<double>(result.figures.size()) /
                    static_cast<double>(panels->size()));
  }
  result.tables.push_back(table);
  result.notes.emplace_back(
      "Draws are exact (no Markov chain); scores of people are shown because these people are "
      "public or made up. A release never contains scores.");
  return result;
}

}  // namespace

Entry private_projections_entry() {
  return {"yun-dudeja-fig1", "genotypes on exact and private components at three noise levels",
          "Figure 1",
          "Figure 1: Projections of the 1000 Genomes dataset onto the first k = 2 PCs, non-private "
          "and privatized with beta = 0.01, 0.2 and 1.2; the non-asymptotic bounds are epsilon = "
          "0.16, 3.19 and 19.17.",
          produce_private_projections};
}

}  // namespace eigenveil::papers
