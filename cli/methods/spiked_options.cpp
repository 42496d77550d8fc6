#include "cli/methods/spiked_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/methods/spectral_document.hpp"
#include "cli/options/checks.hpp"

namespace eigenveil::cli {

void SpikedOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Method spiked (public facts about the model)";
  app.add_option("--sigma2", noise_variance,
                 "noise variance of the model; without it, estimated privately for a tenth of the "
                 "budget")
      ->group(kGroup);
  app.add_option("--lambda", spike,
                 "smallest spike above the noise; without it, estimated privately for a tenth of "
                 "the budget")
      ->group(kGroup);
  app.add_option("--spread", spread, "largest spike over smallest (default 1)")->group(kGroup);
  app.add_option("--rank", rank, "number of spikes (default: -k for pca, 1 for covariance)")
      ->check(whole_number(1))
      ->group(kGroup);
  app.add_option("--max-rank", max_rank,
                 "estimate the number of spikes privately, at most this many")
      ->check(whole_number(1))
      ->group(kGroup);
  app.add_option("--row-count", row_count,
                 "public number of rows: with --sigma2 and --lambda it gives the radius rows are "
                 "clipped to, in place of a bound")
      ->check(whole_number(2))
      ->group(kGroup);
  app.add_flag("--gaussian-rows", gaussian_rows,
               "the rows are Gaussian: weaker preconditions than for sub-Gaussian ones")
      ->group(kGroup);
  app.add_option("--c1", constants.c1, "constant in the preconditions (default 1)")->group(kGroup);
  app.add_option("--c2", constants.c2, "constant of the projector's sensitivity (default 4)")
      ->group(kGroup);
  app.add_option("--c3", constants.c3, "constant of the eigenvalues' sensitivity (default 4)")
      ->group(kGroup);
  app.add_option("--c5", constants.c5, "constant of the radius (default 4)")->group(kGroup);
  app.add_option("--diagnostic", diagnostic,
                 "PRIVATE: a file for the curator's eyes that says whether the data look spiked; "
                 "it is not covered by the guarantee")
      ->group(kGroup);
}

std::string SpikedOptions::given() const {
  const SpikedConstants untouched;
  if (noise_variance || spike) {
    return noise_variance ? "--sigma2" : "--lambda";
  }
  if (rank || max_rank) {
    return rank ? "--rank" : "--max-rank";
  }
  if (row_count || !diagnostic.empty()) {
    return row_count ? "--row-count" : "--diagnostic";
  }
  if (gaussian_rows) {
    return "--gaussian-rows";
  }
  if (constants.c1 != untouched.c1 || constants.c2 != untouched.c2 ||
      constants.c3 != untouched.c3 || constants.c5 != untouched.c5) {
    return "a constant of the spiked model";
  }
  return spread != 1.0 ? "--spread" : "";
}

Result<SpikedRequest> SpikedOptions::request(const Request& what, Eigen::Index rows,
                                             Eigen::Index dimension, double row_radius) const {
  if (const Result<void> checked = check_subspace_request(what, "spiked"); !checked) {
    return error_of(checked);
  }
  const Result<Relation> relation = what.budget.relation();
  if (!relation) {
    return error_of(relation);
  }
  if (*relation != Relation::IndependentCopy) {
    return bad_request(
        "method spiked protects one row against an independent copy of it, with high probability "
        "under its model and not for every data set; say --neighbours independent-copy to accept "
        "that, or take --method gauss or spiked-robust");
  }
  if (rank && max_rank) {
    return bad_request("give --rank or --max-rank, not both");
  }
  if (what.components_given && max_rank) {
    return bad_request("--max-rank estimates the number of components; leave out -k");
  }
  if (what.components_given && rank && *rank != what.components) {
    return bad_request(
        fmt::format("-k {} and --rank {} disagree; leave out one of them", what.components, *rank));
  }
  const Result<Budget> budget = what.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  SpikedRequest request;
  request.rows = rows;
  request.dimension = dimension;
  request.rank = rank ? *rank : (what.wants_components() ? what.components : 1);
  if (max_rank) {
    request.max_rank = *max_rank;
  }
  request.noise_variance = noise_variance;
  request.spike = spike;
  request.spread = spread;
  request.gaussian_rows = gaussian_rows;
  request.row_radius = row_radius;
  request.budget = *budget;
  request.group_size = what.budget.group_size;
  // pca is about the subspace; Cai, Xia and Zha split evenly for the covariance.
  request.variance_share =
      what.variance_share.value_or(what.wants_components() ? kDefaultVarianceShare : 0.5);
  request.published = what.published;
  request.constants = constants;
  return request;
}

Result<double> SpikedOptions::model_radius(const Request& what, Eigen::Index dimension,
                                           std::optional<std::int64_t> rows) const {
  if (!noise_variance || !spike || !rows) {
    return bad_request(
        "method spiked needs a bound on the rows (--row-norm, --range or --bounds), or --sigma2, "
        "--lambda and --row-count, from which the radius of its model follows");
  }
  const Eigen::Index spikes =
      max_rank ? *max_rank : (rank ? *rank : (what.wants_components() ? what.components : 1));
  return std::sqrt(
      model_radius_squared({*rows, dimension, spikes, *noise_variance, *spike, spread}, constants));
}

}  // namespace eigenveil::cli
