#include "engine/documents/moment_document.hpp"

#include "engine/documents/document_parts.hpp"

namespace eigenveil {
namespace {

Fields parameters_of(const MomentPlan& plan, const MomentSettings& settings,
                     const NoisyMoment& moment) {
  Fields fields = public_parameters(
      {settings, moment.bound, plan.shape().relation, plan.guarantee().group_size}, moment.schema);
  fields.emplace_back("noise_law", std::string(name_of(plan.noise().law)));
  fields.emplace_back("sensitivity_in_grid_units", plan.sensitivity());
  fields.emplace_back("noise_sd_diagonal", moment.product_sd);  // of sums over rows, scaled
  fields.emplace_back("noise_sd_off_diagonal", moment.off_diagonal_sd);
  return fields;
}

/// Guarantee, parameters and number of rows.
ReleaseDocument document_head(const std::string& task, const MomentPlan& plan,
                              const MomentSettings& settings, const Release<NoisyMoment>& release) {
  ReleaseDocument document;
  document.task = task;
  document.method = plan.method();
  document.guarantee = release.guarantee();
  document.requested = settings.requested;
  document.parameters = parameters_of(plan, settings, release.value());
  const NoisyMoment& moment = release.value();
  add_count(document, moment.count, moment.count_is_public ? 0.0 : moment.count_sd);
  return document;
}

/// `sum_sd`: of the noise on column sums, scaled.
void add_noise(ReleaseDocument& document, double sum_sd, const MomentSettings& settings,
               const NoisyCovariance& covariance) {
  document.result.emplace_back("noise_floor", covariance.noise_floor);
  document.result.emplace_back("entry_noise_sd_diagonal_scaled", covariance.diagonal_sd);
  document.result.emplace_back("entry_noise_sd_off_diagonal_scaled", covariance.off_diagonal_sd);
  if (settings.center == Center::PrivateMean) {
    document.result.emplace_back("noisy_mean", to_list(covariance.mean));
    document.result.emplace_back("sum_noise_sd_scaled", sum_sd);
  }
}

/// Components of a moment that is handed over, with what the head says of its noise.
PrincipalComponents leading_components(ReleaseDocument& document, const MomentSettings& settings,
                                       NoisyMoment moment, Eigen::Index count) {
  const double sum_sd = moment.sum_sd;
  NoisyCovariance covariance = raw_covariance(std::move(moment), settings.center, settings.units);
  add_noise(document, sum_sd, settings, covariance);
  document.parameters.emplace_back("components", std::int64_t{count});
  return principal_components(std::move(covariance), count);
}

NoisyVariances variances_of(const PrincipalComponents& components) {
  return {components.explained_variance, components.noise_edge, components.explained_share,
          components.total_variance};
}

}  // namespace

ReleaseDocument components_document(const MomentPlan& plan, const MomentSettings& settings,
                                    Release<NoisyMoment> release, Eigen::Index count) {
  ReleaseDocument document = document_head("pca", plan, settings, release);
  const Schema schema = release.value().schema;
  const RowBound bound = release.value().bound;
  PrincipalComponents components = leading_components(document, settings, release.take(), count);
  add_variances(document, variances_of(components), bound, settings.units);
  document.tables.push_back({"loadings",
                             "private principal components: one column per component, orthonormal",
                             "column", schema.columns, component_names(count),
                             std::move(components.loadings), schema.counted_alleles});
  return document;
}

ReleaseDocument low_rank_document(const MomentPlan& plan, const MomentSettings& settings,
                                  Release<NoisyMoment> release, Eigen::Index rank) {
  ReleaseDocument document = document_head("lowrank", plan, settings, release);
  const std::vector<std::string> names = release.value().schema.columns;
  const RowBound bound = release.value().bound;
  const PrincipalComponents components =
      leading_components(document, settings, release.take(), rank);
  const Vector kept =
      add_variances(document, variances_of(components), bound, settings.units, "noisy_eigenvalues");
  const Matrix half = components.loadings * kept.cwiseSqrt().asDiagonal();
  document.tables.push_back({"lowrank",
                             "private covariance, cut to the largest eigenvalues of the rank asked "
                             "for",
                             "column", names, names, half * half.transpose()});
  return document;
}

ReleaseDocument covariance_document(const MomentPlan& plan, const MomentSettings& settings,
                                    Release<NoisyMoment> release) {
  ReleaseDocument document = document_head("covariance", plan, settings, release);
  const std::vector<std::string> names = release.value().schema.columns;
  const double sum_sd = release.value().sum_sd;
  NoisyCovariance covariance = covariance_of(release.take(), settings.center, settings.units);
  add_noise(document, sum_sd, settings, covariance);
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
