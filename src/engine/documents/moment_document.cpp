#include "engine/documents/moment_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/parameter_names.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/engine/option.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/documents/document_parts.hpp"
#include "mechanism/mask/released_gram.hpp"
#include "mechanism/moment/correlation.hpp"

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
  fields.emplace_back("noise_sd_trace", moment.trace_sd);
  return fields;
}

NoisyVariances variances_of(const PrincipalComponents& components) {
  return {components.explained_variance, components.noise_edge, components.explained_share,
          components.total_variance};
}

/// Which columns a correlation speaks of, and by what they were divided.
void add_deviations(ReleaseDocument& document, const NoisyCorrelation& correlation,
                    const std::vector<std::string>& names) {
  std::vector<std::string> left_out;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (std::isnan(correlation.deviations[static_cast<Eigen::Index>(j)])) {
      left_out.push_back(names[j]);
    }
  }
  document.parameters.emplace_back("correlation", true);
  document.parameters.emplace_back("variance_rule_deviations", kVarianceDeviations);
  document.result.emplace_back("noisy_column_deviations", to_list(correlation.deviations));
  document.remarks.push_back(
      {"columns", left_out.empty()
                      ? "divided by their released standard deviations"
                      : fmt::format("divided by their released standard deviations; variance "
                                    "within its noise, so left out: {}",
                                    fmt::join(shown(left_out), ", "))});
  document.result.emplace_back("left_out_columns", std::move(left_out));
}

void add_loadings_table(ReleaseDocument& document, const Schema& schema, Matrix loadings) {
  const std::vector<std::string> names = component_names(loadings.cols());
  document.tables.push_back(
      {"loadings", "private principal components: one column per component, orthonormal", "column",
       schema.columns, names, std::move(loadings), schema.counted_alleles});
}

/// Of correlations: the largest variance is the number of columns.
void add_correlation_components(ReleaseDocument& document, const Schema& schema,
                                NoisyCovariance covariance, Eigen::Index count) {
  NoisyCorrelation correlation = correlation_of(std::move(covariance));
  set_field(document.parameters, "units", std::string(kStandardisedUnits));
  set_field(document.result, "noise_floor", correlation.standardised.reach.floor);
  add_deviations(document, correlation, schema.columns);
  const auto largest = static_cast<double>(correlation.columns.size());
  PrincipalComponents components = correlation_components(std::move(correlation), count);
  add_variances(document, variances_of(components), largest);
  add_loadings_table(document, schema, std::move(components.loadings));
}

/// The repaired matrix has ones on its diagonal again.
Matrix unit_diagonal(Matrix psd) {
  const Vector inverse = psd.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  return inverse.asDiagonal() * psd * inverse.asDiagonal();
}

void add_repair(ReleaseDocument& document, const NoisyCovariance& covariance) {
  const Repair repair = repair_of(covariance);
  document.result.emplace_back("repair_dropped_eigenvalues", repair.dropped);
  document.result.emplace_back("repair_added_variance", repair.added_trace);
  document.result.emplace_back("repair_largest_change", repair.largest_change);
  document.remarks.push_back(
      {"repair",
       repair.dropped == 0
           ? std::string("none: the noisy matrix is positive semidefinite as it stands")
           : fmt::format("{} negative eigenvalue{} dropped: adds {:.4g} to the total variance, "
                         "moves an entry by {:.4g} at most; the raw matrix is as it was noised",
                         repair.dropped, repair.dropped == 1 ? "" : "s", repair.added_trace,
                         repair.largest_change)});
}

void add_told(ReleaseDocument& document, const ToldDirections& told) {
  document.result.emplace_back("told_directions", std::int64_t{told.count});
  document.result.emplace_back("told_edge", told.edge);
}

/// How many of its directions stand out. A covariance of columns in several units has one floor in
/// the largest unit squared, which says nothing of the others: it is judged with every column over
/// half its public range.
void add_directions(ReleaseDocument& document, const NoisyCovariance& covariance) {
  document.result.emplace_back("noisy_variance_sd", to_list(covariance.variance_sd));
  const Vector& scales = covariance.scales;
  if (scales.size() == 0 || scales.maxCoeff() == scales.minCoeff()) {
    add_told(document, told_directions(covariance.eigenvalues, covariance.reach));
    return;
  }
  const ScaledDirections scaled = scaled_directions(covariance);
  document.result.emplace_back("noisy_scaled_eigenvalues", to_list(scaled.eigenvalues));
  document.result.emplace_back("scaled_noise_floor", scaled.reach.floor);
  add_told(document, told_directions(scaled.eigenvalues, scaled.reach));
}

void add_correlation_table(ReleaseDocument& document, const std::vector<std::string>& names,
                           NoisyCovariance covariance) {
  NoisyCorrelation correlation = correlation_of(std::move(covariance));
  add_deviations(document, correlation, names);
  std::vector<std::string> kept;
  for (const Eigen::Index j : correlation.columns) {
    kept.push_back(names[static_cast<std::size_t>(j)]);
  }
  if (kept.empty()) {
    return;
  }
  const SymmetricEigen eigen = symmetric_eigen(correlation.standardised.raw);
  document.tables.push_back(
      {"correlation",
       "private correlations of the columns with a variance above its noise, repaired to be "
       "positive semidefinite with ones on the diagonal",
       "column", kept, kept, unit_diagonal(positive_part(eigen.values, eigen.vectors))});
}

}  // namespace

void add_noise(ReleaseDocument& document, double sum_sd, const MomentSettings& settings,
               const NoisyCovariance& covariance) {
  document.result.emplace_back("noise_floor", covariance.reach.floor);
  document.result.emplace_back("entry_noise_sd_diagonal_scaled", covariance.diagonal_sd);
  document.result.emplace_back("entry_noise_sd_off_diagonal_scaled", covariance.off_diagonal_sd);
  if (settings.center == Center::PrivateMean) {
    document.result.emplace_back("noisy_mean", to_list(covariance.mean));
    document.result.emplace_back("sum_noise_sd_scaled", sum_sd);
  }
}

void add_limits(ReleaseDocument& document, const NoisyCovariance& covariance) {
  const auto* variances = field<std::vector<double>>(document.result, "noisy_explained_variance");
  const auto* largest = field<double>(document.result, "largest_possible_variance");
  const EigenvalueLimits limits =
      limits_of_entries(covariance.noise, covariance.count,
                        covariance.scales.cwiseProduct(covariance.scaled_mean).norm());
  std::vector<double> low;
  std::vector<double> high;
  for (const double variance : *variances) {
    const double sum = covariance.count * variance;
    const bool known = limits.fewest > 0.0;  // otherwise the noise hides the number of rows
    low.push_back(known ? std::max(0.0, (sum - limits.below) / limits.most) : 0.0);
    high.push_back(known ? std::min(*largest, (sum + limits.above) / limits.fewest) : *largest);
  }
  document.result.emplace_back("variance_low", std::move(low));
  document.result.emplace_back("variance_high", std::move(high));
}

ReleaseDocument moment_head(Task task, const MomentPlan& plan, const MomentSettings& settings,
                            const Release<NoisyMoment>& release) {
  ReleaseDocument document;
  document.task = name_of(task);
  document.method = plan.method();
  trusted::guarantee_of(document) = release.guarantee();
  document.requested = settings.requested;
  document.parameters = parameters_of(plan, settings, release.value());
  const NoisyMoment& moment = release.value();
  add_count(document, moment.count, moment.count_is_public ? 0.0 : moment.count_sd);
  return document;
}

void add_components(ReleaseDocument& document, const MomentSettings& settings, const Schema& schema,
                    const RowBound& bound, NoisyCovariance covariance, Eigen::Index count) {
  document.parameters.emplace_back("components", std::int64_t{count});
  if (settings.correlation) {
    add_correlation_components(document, schema, std::move(covariance), count);
    return;
  }
  PrincipalComponents components = principal_components(std::move(covariance), count);
  add_variances(document, variances_of(components), bound, settings.units);
  add_loadings_table(document, schema, std::move(components.loadings));
}

void add_low_rank(ReleaseDocument& document, const MomentSettings& settings,
                  const std::vector<std::string>& names, const RowBound& bound,
                  NoisyCovariance covariance, Eigen::Index rank) {
  document.parameters.emplace_back("components", std::int64_t{rank});
  const PrincipalComponents components = principal_components(std::move(covariance), rank);
  const Vector kept =
      add_variances(document, variances_of(components), bound, settings.units, "noisy_eigenvalues");
  const Matrix half = components.loadings * kept.cwiseSqrt().asDiagonal();
  document.tables.push_back({"lowrank",
                             "private covariance, cut to the largest eigenvalues of the rank asked "
                             "for",
                             "column", names, names, half * half.transpose()});
}

void add_covariance(ReleaseDocument& document, const MomentSettings& settings,
                    const std::vector<std::string>& names, NoisyCovariance covariance) {
  document.result.emplace_back("noisy_eigenvalues", to_list(covariance.eigenvalues));
  add_directions(document, covariance);
  add_repair(document, covariance);
  document.tables.push_back(
      {"covariance", "private covariance, nearest positive semidefinite matrix to covariance_raw",
       "column", names, names, std::move(covariance.psd)});
  document.tables.push_back(
      {"covariance_raw", "private covariance as noised, before the projection: may be indefinite",
       "column", names, names, covariance.raw});
  if (settings.correlation) {
    add_correlation_table(document, names, std::move(covariance));
  }
}

ReleaseDocument moment_document(const MomentPlan& plan, const MomentSettings& settings,
                                Release<NoisyMoment> release, Task task, Eigen::Index count) {
  ReleaseDocument document = moment_head(task, plan, settings, release);
  const Schema schema = release.value().schema;
  const RowBound bound = release.value().bound;
  const double sum_sd = release.value().sum_sd;
  const NoiseLaw law = release.value().law;
  const auto make = task == Task::Covariance ? covariance_of : raw_covariance;
  NoisyCovariance covariance = make(std::move(release).take(), settings.center, settings.units);
  add_noise(document, sum_sd, settings, covariance);
  switch (task) {
    case Task::Components: {
      NoisyCovariance kept;  // what limits ask for, without the matrix
      kept.count = covariance.count;
      kept.noise = covariance.noise;
      kept.scales = covariance.scales;
      kept.scaled_mean = covariance.scaled_mean;
      add_components(document, settings, schema, bound, std::move(covariance), count);
      if (law == NoiseLaw::Gaussian && !settings.correlation) {
        add_limits(document, kept);
      }
      break;
    }
    case Task::LowRank:
      add_low_rank(document, settings, schema.columns, bound, std::move(covariance), count);
      break;
    default:
      add_covariance(document, settings, schema.columns, std::move(covariance));
  }
  return document;
}

ReleaseDocument components_document(const MomentPlan& plan, const MomentSettings& settings,
                                    Release<NoisyMoment> release, Eigen::Index count) {
  return moment_document(plan, settings, std::move(release), Task::Components, count);
}

ReleaseDocument covariance_document(const MomentPlan& plan, const MomentSettings& settings,
                                    Release<NoisyMoment> release) {
  return moment_document(plan, settings, std::move(release), Task::Covariance, 0);
}

}  // namespace eigenveil
