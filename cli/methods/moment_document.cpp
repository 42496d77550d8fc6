#include "cli/methods/moment_document.hpp"

#include <fmt/format.h>

#include "cli/methods/document_fields.hpp"

namespace eigenveil::cli {
namespace {

std::vector<double> to_list(const Vector& values) {
  return {values.data(), values.data() + values.size()};
}

std::string units_in_words(Units units, const Schema& schema) {
  if (units == Units::Scaled) {
    return "scaled to [-1, 1]";
  }
  return schema.allele_frequencies.empty() ? "original" : "standardised by public frequencies";
}

std::string center_in_words(const MomentSettings& settings) {
  if (settings.center == Center::PrivateMean) {
    return "private mean";
  }
  return settings.public_center
             ? "the public centre that was given (ranges widened to be symmetric about it)"
             : "public midpoint (second moment about it, not a covariance)";
}

Fields parameters_of(const MomentPlan& plan, const MomentSettings& settings, const Schema& schema) {
  Fields fields;
  add_budget(fields, settings.requested);
  fields.emplace_back("neighbours", std::string(name_of(plan.shape().relation)));
  fields.emplace_back("group_size", std::int64_t{plan.guarantee().group_size});
  fields.emplace_back("columns", schema.columns);
  if (!schema.counted_alleles.empty()) {
    fields.emplace_back("counted_alleles", schema.counted_alleles);
  }
  if (!schema.allele_frequencies.empty()) {
    fields.emplace_back("allele_frequencies", schema.allele_frequencies);
  }
  add_bound(fields, plan.bound());
  fields.emplace_back("center", center_in_words(settings));
  fields.emplace_back("units", units_in_words(settings.units, schema));
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
  document.result.emplace_back(moment.count_is_public ? "rows" : "noisy_rows", moment.count);
  if (!moment.count_is_public) {
    document.result.emplace_back("noisy_rows_sd", moment.count_sd);
  }
  document.result.emplace_back("noise_floor", covariance.noise_floor);
  document.result.emplace_back("entry_noise_sd_diagonal_scaled", covariance.diagonal_sd);
  document.result.emplace_back("entry_noise_sd_off_diagonal_scaled", covariance.off_diagonal_sd);
  if (settings.center == Center::PrivateMean) {
    document.result.emplace_back("noisy_mean", to_list(covariance.mean));
  }
  return document;
}

std::vector<std::string> component_names(Eigen::Index count) {
  std::vector<std::string> names;
  for (Eigen::Index j = 1; j <= count; ++j) {
    names.push_back(fmt::format("PC{}", j));
  }
  return names;
}

}  // namespace

ReleaseDocument components_document(const MomentPlan& plan, const MomentSettings& settings,
                                    const Release<NoisyMoment>& release, Eigen::Index count) {
  const NoisyCovariance covariance =
      covariance_of(release.value(), settings.center, settings.units);
  const PrincipalComponents components = principal_components(covariance, count);
  ReleaseDocument document = document_head("pca", plan, settings, release, covariance);
  document.parameters.emplace_back("components", std::int64_t{count});
  document.result.emplace_back("noisy_explained_variance", to_list(components.explained_variance));
  document.result.emplace_back("noisy_explained_share", to_list(components.explained_share));
  document.result.emplace_back("noise_edge", to_list(components.noise_edge));
  document.tables.push_back({"loadings",
                             "private principal components: one column per component, orthonormal",
                             "column", release.value().schema.columns, component_names(count),
                             components.loadings, release.value().schema.counted_alleles});
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

}  // namespace eigenveil::cli
