#include <fmt/format.h>

#include <array>
#include <cmath>

#include "mechanism/sharp/sharp_privacy.hpp"
#include "papers/genotype_panel.hpp"

namespace eigenveil::papers {
namespace {

struct PublishedPair {
  double mu;
  const char* beta;  ///< as printed, k = 2
};
constexpr std::array<PublishedPair, 3> kPublished{{{0.5, "1.2"}, {1.0, "3.97"}, {1.5, "8.47"}}};

FigurePanel curves(const GenotypePanel& panel, Reproduction& result) {
  FigurePanel drawn;
  drawn.title = "mu against beta";
  drawn.x = {.label = "beta", .low = 0.0};
  drawn.y = {.label = "mu (asymptotic)", .low = 0.0};
  for (const Eigen::Index k : {1, 2, 3}) {
    const Result<SharpPrivacy> sharp = SharpPrivacy::make(panel.eigenvalues, panel.rows(), k);
    if (!sharp) {
      continue;
    }
    FigureSeries curve{.name = fmt::format("k = {}", k)};
    for (int i = 1; i <= 200; ++i) {
      const double beta = sharp->threshold() + 10.0 * i / 200.0;
      curve.x.push_back(beta);
      curve.y.push_back(*sharp->mu(beta));
    }
    drawn.series.push_back(curve);
    const double inside = 0.5 * (sharp->threshold() + sharp->plateau_end());
    const bool flat = std::abs(*sharp->mu(inside) - sharp->mu_min()) < 1e-12 &&
                      *sharp->mu(1.01 * sharp->plateau_end()) > sharp->mu_min();
    result.comparisons.push_back(
        {fmt::format("{}: k = {}, mu does not fall below its value on the plateau", panel.name, k),
         "plateau",
         fmt::format("mu = {:.3f} up to beta = {:.3f}", sharp->mu_min(), sharp->plateau_end()),
         flat});
  }
  return drawn;
}

Result<Reproduction> produce_noise_and_privacy(EntryRun& run) {
  Reproduction result;
  const Result<std::vector<GenotypePanel>> panels = genotype_panels(run.stream, result.notes);
  if (!panels) {
    return error_of(panels);
  }
  PrintedTable table{
      "levels",
      "beta that gives mu = 0.5, 1, 1.5 for k = 2; the paper's are for its own data.",
      {"data", "mu", "beta (paper's data)", "beta (ours)", "plateau mu", "worst-case epsilon"},
      {}};
  for (const GenotypePanel& panel : *panels) {
    Figure figure;
    figure.title = "Noise and privacy, " + panel.name;
    figure.description =
        "Asymptotic mu against beta for k = 1, 2, 3, flat near the phase transition; projections "
        "on two private components at mu = 0.5, 1 and 1.5.";
    figure.columns = 2;
    figure.width = 760;
    figure.panels.push_back(curves(panel, result));
    const Result<SharpPrivacy> sharp = SharpPrivacy::make(panel.eigenvalues, panel.rows(), 2);
    if (!sharp) {
      return error_of(sharp);
    }
    for (const PublishedPair& pair : kPublished) {
      const std::optional<double> beta = sharp->beta(pair.mu);
      table.rows.push_back(
          {panel.name, fmt::format("{}", pair.mu), pair.beta,
           beta ? fmt::format("{:.2f}", *beta) : std::string("not achievable"),
           fmt::format("{:.3f}", sharp->mu_min()),
           beta ? fmt::format("{:.1f}", sharp->worst_case_epsilon(*beta)) : std::string()});
      if (!beta) {
        continue;
      }
      const Result<Matrix> frame = draw_at(panel, *beta, 2, run.stream);
      if (!frame) {
        return error_of(frame);
      }
      figure.panels.push_back(
          projection_panel(panel, *frame, fmt::format("mu = {} (beta = {:.2f})", pair.mu, *beta)));
    }
    result.figures.push_back({"fig4-" + panel.file_name, figure});
    run.progress.at(static_cast<double>(result.figures.size()) /
                    static_cast<double>(panels->size()));
  }
  result.tables.push_back(table);
  result.notes.emplace_back(
      "The levels of the paper (1.2, 3.97, 8.47) belong to its own 200 variants; ours differ "
      "because the spectrum does.");
  return result;
}

}  // namespace

Entry noise_and_privacy_entry() {
  return {"yun-dudeja-fig4", "asymptotic mu against the noise level, with its plateau", "Figure 4",
          "Figure 4: Noise parameter beta against privacy parameter mu for k = 1, 2, 3 (a privacy "
          "plateau between H(lambda_k) and H(lambda_k) - Delta H'(lambda_k)); projections at beta "
          "= 1.2, 3.97 and 8.47, where mu = 0.5, 1 and 1.5.",
          produce_noise_and_privacy};
}

}  // namespace eigenveil::papers
