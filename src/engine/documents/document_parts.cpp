#include "engine/documents/document_parts.hpp"

#include <fmt/format.h>

#include "engine/gap_words.hpp"
#include "mechanism/moment/component_verdicts.hpp"

namespace eigenveil {
namespace {

void add_budget(Fields& fields, const Budget& budget) {
  if (const auto* pure = std::get_if<PureDp>(&budget)) {
    fields.emplace_back("epsilon", pure->epsilon);
  } else if (const auto* approx = std::get_if<ApproxDp>(&budget)) {
    fields.emplace_back("epsilon", approx->epsilon);
    fields.emplace_back("delta", approx->delta);
  } else if (const auto* zcdp = std::get_if<Zcdp>(&budget)) {
    fields.emplace_back("rho", zcdp->rho);
  } else {
    fields.emplace_back("mu", std::get<GaussianDp>(budget).mu);
  }
}

void add_bound(Fields& fields, const RowBound& bound) {
  fields.emplace_back("row_norm", bound.radius());
  fields.emplace_back("grid", bound.max_abs());
  fields.emplace_back("grid_unit", bound.unit());
  std::vector<double> low;
  std::vector<double> center;
  std::vector<double> high;
  for (std::size_t j = 0; j < bound.dimension(); ++j) {
    center.push_back(bound.midpoint(j));
    low.push_back(bound.midpoint(j) - bound.half_width(j));
    high.push_back(bound.midpoint(j) + bound.half_width(j));
  }
  if (bound.has_ranges()) {
    fields.emplace_back("range_low", low);
    fields.emplace_back("range_high", high);
  } else {
    fields.emplace_back("public_center", center);
  }
}

std::string units_in_words(Units units, const Schema& schema) {
  if (units == Units::Scaled) {
    return "scaled to [-1, 1]";
  }
  return schema.allele_frequencies.empty() ? "original" : "standardised by public frequencies";
}

std::string center_in_words(const MomentSettings& settings, const Schema& schema) {
  if (settings.center == Center::PrivateMean) {
    return "private mean";
  }
  if (!schema.allele_frequencies.empty()) {
    return "public allele frequencies";
  }
  return settings.public_center
             ? "the public centre that was given (ranges widened to be symmetric about it)"
             : "public midpoint (second moment about it, not a covariance)";
}

std::vector<std::string> marked_components(const std::vector<bool>& marks) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < marks.size(); ++j) {
    if (marks[j]) {
      names.push_back(fmt::format("PC{}", j + 1));
    }
  }
  return names;
}

}  // namespace

std::vector<double> to_list(const Vector& values) {
  return {values.data(), values.data() + values.size()};
}

void add_count(ReleaseDocument& document, double count, double count_sd) {
  document.result.emplace_back(count_sd > 0.0 ? "noisy_rows" : "rows", count);
  if (count_sd > 0.0) {
    document.result.emplace_back("noisy_rows_sd", count_sd);
  }
}

Vector add_variances(ReleaseDocument& document, const NoisyVariances& noisy, const RowBound& bound,
                     Units units, const std::string& name) {
  return add_variances(document, noisy, largest_variance(bound, units), name);
}

Vector add_variances(ReleaseDocument& document, const NoisyVariances& noisy, double largest,
                     const std::string& name) {
  const ComponentVerdicts verdicts =
      judge_components(noisy.variance, noisy.noise_edge, noisy.share, largest);
  Fields& result = document.result;
  result.emplace_back(name, to_list(verdicts.variance));
  if (verdicts.share.size() > 0) {
    result.emplace_back("noisy_explained_share", to_list(verdicts.share));
    result.emplace_back("noisy_total_variance", noisy.total);
  }
  if (noisy.noise_edge.size() > 0) {
    result.emplace_back("noise_edge", to_list(noisy.noise_edge));
    result.emplace_back("below_noise", marked_components(verdicts.below_noise));
  }
  result.emplace_back("largest_possible_variance", largest);
  result.emplace_back("clipped_to_largest_possible", marked_components(verdicts.clipped));
  return verdicts.variance;
}

std::vector<std::string> component_names(Eigen::Index count) {
  std::vector<std::string> names;
  for (Eigen::Index j = 1; j <= count; ++j) {
    names.push_back(fmt::format("PC{}", j));
  }
  return names;
}

Fields public_parameters(const PublicParameters& parameters, const Schema& schema) {
  Fields fields;
  add_budget(fields, parameters.settings.requested);
  fields.emplace_back("neighbours", std::string(name_of(parameters.relation)));
  fields.emplace_back("group_size", std::int64_t{parameters.group_size});
  fields.emplace_back("columns", schema.columns);
  if (!schema.counted_alleles.empty()) {
    fields.emplace_back("counted_alleles", schema.counted_alleles);
  }
  if (!schema.allele_frequencies.empty()) {
    fields.emplace_back("allele_frequencies", schema.allele_frequencies);
  }
  add_bound(fields, parameters.bound);
  fields.emplace_back("center", center_in_words(parameters.settings, schema));
  fields.emplace_back("units", units_in_words(parameters.settings.units, schema));
  fields.emplace_back(
      "missing_cells",
      gaps_in_words(schema.fills_gaps, parameters.settings.center == Center::PrivateMean
                                           ? GapEffect::Covariance
                                           : GapEffect::SecondMoment));
  return fields;
}

}  // namespace eigenveil
