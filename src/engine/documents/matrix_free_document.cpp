#include "engine/documents/matrix_free_document.hpp"

#include <algorithm>

#include "eigenveil/engine/option.hpp"
#include "engine/documents/moment_document.hpp"
#include "report/report_text.hpp"

namespace eigenveil {

ReleaseDocument matrix_free_document(const MatrixFreePlan& plan, const MomentSettings& settings,
                                     const Schema& schema,
                                     const Release<MatrixFreeComponents>& release) {
  const MatrixFreeComponents& found = release.value();
  const PrincipalComponents& components = found.components;
  const MomentPlan& moment = plan.moment();
  NoisyMoment facts{schema, plan.bound(), found.count, found.count_is_public, {}, {}};
  facts.product_sd = moment.product_sd();
  facts.off_diagonal_sd = moment.off_diagonal_sd();
  facts.trace_sd = moment.trace_sd();
  facts.sum_sd = moment.sum_sd();
  facts.count_sd = moment.count_sd();
  ReleaseDocument document = moment_head(Task::Components, moment, settings,
                                         release.map([&](const auto&) { return facts; }));
  NoisyCovariance covariance;  // all of it but the matrix
  covariance.count = std::max(found.count, 1.0);
  covariance.reach.floor = components.noise_floor;
  covariance.diagonal_sd = facts.product_sd / covariance.count;
  covariance.off_diagonal_sd = facts.off_diagonal_sd / covariance.count;
  covariance.mean = found.mean;
  covariance.scales = found.scales;
  covariance.noise = {.scales = found.scales,
                      .product = facts.off_diagonal_sd,
                      .sum = settings.center == Center::PrivateMean ? facts.sum_sd : 0.0,
                      .count = found.count_is_public ? 0.0 : facts.count_sd};
  covariance.scaled_mean = found.scaled_mean;
  add_noise(document, facts.sum_sd, settings, covariance);
  const Eigen::Index k = components.loadings.cols();
  document.parameters.emplace_back("components", std::int64_t{k});
  document.parameters.emplace_back("matrix", std::string("free: never formed"));
  add_variances(document,
                {components.explained_variance, components.noise_edge, components.explained_share,
                 components.total_variance},
                plan.bound(), settings.units);
  add_limits(document, covariance);
  document.result.emplace_back("passes", std::int64_t{found.passes});
  document.result.emplace_back("relative_residual", to_list(found.relative_residuals));
  document.parameters.emplace_back(
      "noise_edge_rule", std::string("estimated from products with random signs, with three "
                                     "standard deviations of its error and each residual added"));
  document.remarks.push_back({"edge", "estimated, with its error and each residual added"});
  if (!found.not_converged.empty()) {
    std::vector<std::string> names;
    for (const Eigen::Index j : found.not_converged) {
      names.push_back(component_names(k)[static_cast<std::size_t>(j)]);
    }
    document.result.emplace_back("not_converged", std::move(names));
    document.remarks.push_back({"warning", convergence_in_words(document)});
  }
  document.tables.push_back(
      {"loadings", "private principal components: one column per component, orthonormal", "column",
       schema.columns, component_names(k), components.loadings, schema.counted_alleles});
  return document;
}

}  // namespace eigenveil
