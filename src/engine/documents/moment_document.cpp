#include "engine/documents/moment_document.hpp"

#include "engine/documents/document_parts.hpp"

namespace eigenveil {
namespace {

Fields parameters_of(const MomentPlan& plan, const MomentSettings& settings, const Schema& schema) {
  Fields fields = public_parameters(
      {settings, plan.bound(), plan.shape().relation, plan.guarantee().group_size}, schema);
  fields.emplace_back(
      "noise_law",
      std::string(plan.noise().law == NoiseLaw::Gaussian ? "rounded Gaussian" : "rounded Laplace"));
  fields.emplace_back("sensitivity_in_grid_units", plan.sensitivity());
  fields.emplace_back("noise_sd_diagonal", plan.product_sd());  // of sums over rows, scaled
  fields.emplace_back("noise_sd_off_diagonal", plan.off_diagonal_sd());
  return fields;
}

ReleaseDocument document_head(const std::string& task, const MomentPlan& plan,
                              const MomentSettings& settings, const Release<NoisyMoment>& release,
                              const NoisyCovariance& covariance) {
  ReleaseDocument document;
  document.task = task;
  document.method = plan.method();
  document.guarantee = release.guarantee();
  document.requested = settings.requested;
  document.parameters = parameters_of(plan, settings, release.value().schema);
  const NoisyMoment& moment = release.value();
  add_count(document, moment.count, moment.count_is_public ? 0.0 : moment.count_sd);
  document.result.emplace_back("noise_floor", covariance.noise_floor);
  document.result.emplace_back("entry_noise_sd_diagonal_scaled", covariance.diagonal_sd);
  document.result.emplace_back("entry_noise_sd_off_diagonal_scaled", covariance.off_diagonal_sd);
  if (settings.center == Center::PrivateMean) {
    document.result.emplace_back("noisy_mean", to_list(covariance.mean));
    document.result.emplace_back("sum_noise_sd_scaled", moment.sum_sd);
  }
  return document;
}

}  // namespace

ReleaseDocument components_document(const MomentPlan& plan, const MomentSettings& settings,
                                    const Release<NoisyMoment>& release, Eigen::Index count) {
  NoisyCovariance covariance = raw_covariance(release.value(), settings.center, settings.units);
  ReleaseDocument document = document_head("pca", plan, settings, release, covariance);
  const PrincipalComponents components = principal_components(std::move(covariance), count);
  document.parameters.emplace_back("components", std::int64_t{count});
  add_variances(document,
                {components.explained_variance, components.noise_edge, components.explained_share},
                plan.bound(), settings.units);
  document.tables.push_back({"loadings",
                             "private principal components: one column per component, orthonormal",
                             "column", release.value().schema.columns, component_names(count),
                             components.loadings, release.value().schema.counted_alleles});
  return document;
}

ReleaseDocument low_rank_document(const MomentPlan& plan, const MomentSettings& settings,
                                  const Release<NoisyMoment>& release, Eigen::Index rank) {
  const NoisyCovariance covariance =
      covariance_of(release.value(), settings.center, settings.units);
  ReleaseDocument document = document_head("lowrank", plan, settings, release, covariance);
  document.parameters.emplace_back("components", std::int64_t{rank});
  const Vector kept = covariance.eigenvalues.head(rank).cwiseMax(0.0);
  const Matrix half = covariance.eigenvectors.leftCols(rank) * kept.cwiseSqrt().asDiagonal();
  const std::vector<std::string>& names = release.value().schema.columns;
  document.result.emplace_back("noisy_eigenvalues", to_list(kept));
  document.tables.push_back({"lowrank",
                             "private covariance, cut to the largest eigenvalues of the rank asked "
                             "for",
                             "column", names, names, half * half.transpose()});
  return document;
}

ReleaseDocument covariance_document(const MomentPlan& plan, const MomentSettings& settings,
                                    const Release<NoisyMoment>& release) {
  NoisyCovariance covariance = covariance_of(release.value(), settings.center, settings.units);
  ReleaseDocument document = document_head("covariance", plan, settings, release, covariance);
  const std::vector<std::string>& names = release.value().schema.columns;
  document.result.emplace_back("noisy_eigenvalues", to_list(covariance.eigenvalues));
  document.tables.push_back(
      {"covariance", "private covariance, nearest positive semidefinite matrix to covariance_raw",
       "column", names, names, std::move(covariance.psd)});
  document.tables.push_back(
      {"covariance_raw", "private covariance as noised, before the projection: may be indefinite",
       "column", names, names, std::move(covariance.raw)});
  return document;
}

}  // namespace eigenveil
