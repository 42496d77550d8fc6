#include "engine/documents/pairwise_document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "core/parameter_names.hpp"
#include "core/symmetric_eigen.hpp"
#include "eigenveil/report/fields.hpp"
#include "engine/documents/moment_document.hpp"
#include "engine/gap_words.hpp"
#include "mechanism/moment/component_verdicts.hpp"
#include "mechanism/pairwise/pairwise.hpp"

namespace eigenveil {
namespace {

std::vector<std::string> indicated_names(const CountedColumns& columns) {
  std::vector<std::string> names;
  for (const std::size_t j : columns.indicated) {
    names.push_back(columns.schema.columns[j]);
  }
  return names;
}

/// The numbers that everything else is computed from: `analyse` starts here.
void add_gram(ReleaseDocument& document, const PairwiseGram& gram,
              const std::vector<std::string>& indicated) {
  std::vector<std::string> names = {"rows"};
  for (const std::string& name : indicated) {
    names.push_back(fmt::format("present({})", name));
  }
  names.insert(names.end(), gram.names.begin(), gram.names.end());
  document.tables.push_back(
      {"pairwise_gram",
       "noisy sums over rows of products of 1, of indicators of presence, and of cells about the "
       "public midpoints (0 where missing)",
       "column", names, names, gram.sums});
}

Matrix with_gaps(Matrix values, const MomentEstimate& estimate) {
  return estimate.value.array().isFinite().select(
      values.array(),
      Matrix::Constant(values.rows(), values.cols(), std::numeric_limits<double>::quiet_NaN())
          .array());
}

}  // namespace

ReleaseDocument pairwise_document(const MomentPlan& plan, const MomentSettings& settings,
                                  const Release<NoisyMoment>& release,
                                  const CountedColumns& columns, Task task, Eigen::Index count) {
  const Release<NoisyMoment> counted =
      release.map([&](const NoisyMoment& moment) { return counted_moment(moment, columns); });
  ReleaseDocument document = moment_head(task, plan, settings, counted);
  const std::vector<std::string> indicated = indicated_names(columns);
  set_field(document.parameters, "missing_cells", pairwise_in_words(indicated));
  document.parameters.emplace_back("pairwise_columns", indicated);
  document.parameters.emplace_back("pairwise_constant", columns.constant);

  const PairwiseGram gram = pairwise_gram(release.value(), columns, settings.units);
  const Vector scales = column_scales(columns.bound, settings.units);
  PairwiseCovariance found = noisy_covariance(gram, scales, release.value().law);
  NoisyCovariance& covariance = found.covariance;
  const MomentEstimate estimate = eigenveil::covariance(gram);
  if (covariance.reach.floor == 0.0) {  // every variance was refused: noise may be anything
    covariance.reach.floor = covariance.reach.apart =
        largest_variance(columns.bound, settings.units);
  }
  document.result.emplace_back("noise_floor", covariance.reach.floor);
  document.result.emplace_back(
      "noisy_mean",
      to_list(gram.midpoints.size() > 0 ? Vector(estimate.mean + gram.midpoints) : estimate.mean));
  document.result.emplace_back("noisy_mean_sd", to_list(estimate.mean_standard_error));
  document.result.emplace_back("refused_entries", found.refused);
  if (!found.refused.empty()) {
    document.remarks.push_back({"refused", fmt::format("noise hides how many rows have: {}",
                                                       fmt::join(shown(found.refused), "; "))});
  }
  switch (task) {
    case Task::Components:
      add_components(document, settings, columns.schema, columns.bound, std::move(covariance),
                     count);
      break;
    case Task::LowRank:
      add_low_rank(document, settings, columns.schema.columns, columns.bound, std::move(covariance),
                   count);
      break;
    default: {
      SymmetricEigen eigen = symmetric_eigen(covariance.raw);
      covariance.psd = positive_part(eigen.values, eigen.vectors);
      covariance.eigenvalues = std::move(eigen.values);
      covariance.eigenvectors = std::move(eigen.vectors);
      document.remarks.push_back(
          {"noise", "every entry has its own: covariance_sd has the standard deviations"});
      add_covariance(document, settings, columns.schema.columns, std::move(covariance));
      for (ReleasedTable& table : document.tables) {
        if (table.name == "covariance_raw") {
          table.values = with_gaps(std::move(table.values), estimate);
        }
      }
      document.tables.push_back({"covariance_sd",
                                 "standard deviation of the noise on each entry of covariance_raw, "
                                 "to first order",
                                 "column", columns.schema.columns, columns.schema.columns,
                                 estimate.standard_error});
    }
  }
  add_gram(document, gram, indicated);
  return document;
}

}  // namespace eigenveil
