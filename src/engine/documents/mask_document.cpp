#include "engine/documents/mask_document.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/documents/document_parts.hpp"
#include "engine/mask/mask_facts.hpp"
#include "mechanism/moment/covariance.hpp"

namespace eigenveil {

MaskRequest mask_request(const MaskSettings& settings) {
  return {settings.bound,     settings.requested, settings.relation,
          settings.intercept, settings.published, settings.group_size};
}

std::vector<std::string> pseudo_columns(const MaskSettings& settings) {
  std::vector<std::string> names;
  if (settings.intercept) {
    names.emplace_back("intercept");
  }
  names.insert(names.end(), settings.schema.columns.begin(), settings.schema.columns.end());
  return names;
}

Vector pseudo_scales(const MaskSettings& settings) {
  const Vector columns =
      column_scales(settings.bound, settings.scaled_units ? Units::Scaled : Units::Original);
  if (!settings.intercept) {
    return columns;
  }
  Vector all(columns.size() + 1);
  // The constant on the grid is 1 up to a grid step; in the output it is 1. The noisy moment of
  // method gauss holds plain sums already.
  const double constant =
      static_cast<double>(intercept_constant(settings.bound)) * settings.bound.unit();
  all[0] = settings.rotates ? 1.0 / constant : 1.0;
  all.tail(columns.size()) = columns;
  return all;
}

Matrix gram_deviations(const Vector& scales, const MaskNoise& noise, bool intercept) {
  Matrix sd = noise.gram_sd_off_diagonal * scales * scales.transpose();
  sd.diagonal() = noise.gram_sd_diagonal * scales.cwiseAbs2();
  if (intercept) {
    const Vector sums = noise.gram_sd_sums * scales;
    sd.col(0) = sums;
    sd.row(0) = sums.transpose();
    sd(0, 0) = 0.0;
  }
  return sd;
}

namespace {

/// What either method puts on a diagonal entry of the Gram of all rows, in scaled units: public,
/// whichever was used.
void add_both_noises(Fields& parameters, const MaskSettings& settings, std::int64_t smallest,
                     double rows, double blocks) {
  const Result<MaskFacts> facts = mask_facts(mask_request(settings), smallest);
  if (!facts) {
    return;
  }
  parameters.emplace_back("noise_on_a_square_by_gauss", facts->gram_sd * std::sqrt(blocks));
  if (facts->masked) {
    parameters.emplace_back("noise_on_a_square_by_mask_at_least", facts->masked->gram_sd(rows));
  }
}

}  // namespace

ReleaseDocument mask_document(const MaskSettings& settings, const MaskNoise& noise,
                              const std::vector<std::int64_t>& block_rows,
                              const Guarantee& guarantee) {
  ReleaseDocument document;
  document.task = "mask";
  document.method = settings.method;
  trusted::guarantee_of(document) = guarantee;
  document.requested = settings.requested;
  const MomentSettings shown{Center::PublicMidpoint,
                             settings.scaled_units ? Units::Scaled : Units::Original, false,
                             settings.requested};
  Schema columns{pseudo_columns(settings)};
  columns.fills_gaps = settings.schema.fills_gaps;
  document.parameters =
      public_parameters({shown, settings.bound, settings.relation, settings.group_size}, columns);
  Fields& parameters = document.parameters;
  if (settings.intercept && noise.row_norm > 0.0) {
    const auto norm = std::find_if(parameters.begin(), parameters.end(),
                                   [](const auto& field) { return field.first == "row_norm"; });
    norm->second = noise.row_norm;
  }
  parameters.emplace_back("column_scales", to_list(pseudo_scales(settings)));
  parameters.emplace_back("intercept", settings.intercept);
  if (settings.rotates) {
    parameters.emplace_back("calibration", std::string(settings.published ? "published" : "tight"));
    parameters.emplace_back("sigma", noise.cell_sd);
    parameters.emplace_back("cell_noise_sd", to_list(noise.cell_sd * pseudo_scales(settings)));
  } else {
    parameters.emplace_back("gram_noise_sd_diagonal", noise.gram_sd_diagonal);
    parameters.emplace_back("gram_noise_sd_off_diagonal", noise.gram_sd_off_diagonal);
    parameters.emplace_back("gram_noise_sd_sums", noise.gram_sd_sums);
  }
  const std::int64_t smallest = settings.smallest_block > 0
                                    ? settings.smallest_block
                                    : *std::min_element(block_rows.begin(), block_rows.end());
  const auto rows =
      static_cast<double>(std::accumulate(block_rows.begin(), block_rows.end(), std::int64_t{0}));
  parameters.emplace_back("smallest_block", smallest);
  add_both_noises(parameters, settings, smallest, rows, static_cast<double>(block_rows.size()));
  document.result.emplace_back("rows", rows);
  document.result.emplace_back("blocks", static_cast<std::int64_t>(block_rows.size()));
  document.result.emplace_back("block_rows",
                               std::vector<double>(block_rows.begin(), block_rows.end()));
  return document;
}

}  // namespace eigenveil
