#include "engine/methods/spiked_request.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/documents/spectral_document.hpp"
#include "mechanism/comparison/comparison.hpp"

namespace eigenveil {
namespace {

SpikedConstants constants_of(const Options& options) {
  SpikedConstants constants;
  constants.c1 = options.value("c1", constants.c1);
  constants.c2 = options.value("c2", constants.c2);
  constants.c3 = options.value("c3", constants.c3);
  constants.c5 = options.value("c5", constants.c5);
  return constants;
}

Result<void> check_rank(const Request& request) {
  const auto rank = request.options.find<std::int64_t>("rank");
  const bool estimated = request.options.given("max_rank");
  if (rank && estimated) {
    return bad_request("give {rank} or {max_rank}, not both", "rank");
  }
  if (request.components_given && estimated) {
    return bad_request("{max_rank} estimates the number of components; leave out {components}",
                       "components");
  }
  if (request.components_given && rank && *rank != request.components) {
    return bad_request(fmt::format("{{components}} {} and {{rank}} {} disagree; leave out one of "
                                   "them",
                                   request.components, *rank),
                       "rank");
  }
  return {};
}

Eigen::Index rank_of(const Request& request) {
  return request.options.value<std::int64_t>("rank",
                                             request.wants_components() ? request.components : 1);
}

}  // namespace

std::vector<OptionSpec> spiked_options() {
  const auto constant = [](const char* name, const char* sentence, double value) {
    return OptionSpec{.name = name,
                      .kind = OptionKind::Number,
                      .sentence = sentence,
                      .range = kPositive,
                      .otherwise = value};
  };
  OptionSpec inside = variance_share_option();
  inside.otherwise.reset();
  inside.otherwise_in_words = fmt::format("{} for pca, 0.5 for covariance", kDefaultVarianceShare);
  return {inside,
          calibration_option(),
          {.name = "sigma2",
           .kind = OptionKind::Number,
           .sentence = "noise variance of the model",
           .range = kPositive,
           .otherwise_in_words = "estimated privately for a tenth of the budget"},
          {.name = "lambda",
           .kind = OptionKind::Number,
           .sentence = "smallest spike above the noise",
           .range = kPositive,
           .otherwise_in_words = "estimated privately for a tenth of the budget"},
          {.name = "spread",
           .kind = OptionKind::Number,
           .sentence = "largest spike over smallest",
           .range = {.low = 1.0},
           .otherwise = 1.0},
          {.name = "rank",
           .kind = OptionKind::WholeNumber,
           .sentence = "number of spikes",
           .otherwise_in_words = "{components} for pca, 1 for covariance"},
          {.name = "max_rank",
           .kind = OptionKind::WholeNumber,
           .sentence = "estimate the number of spikes privately, at most this many"},
          {.name = "row_count",
           .kind = OptionKind::WholeNumber,
           .sentence = "public number of rows: with {sigma2} and {lambda} it gives the radius rows "
                       "are clipped to, in place of a bound",
           .smallest = 2},
          {.name = "gaussian_rows",
           .kind = OptionKind::Flag,
           .sentence = "the rows are Gaussian: weaker preconditions than for sub-Gaussian ones"},
          constant("c1", "constant in the preconditions", SpikedConstants{}.c1),
          constant("c2", "constant of the projector's sensitivity", SpikedConstants{}.c2),
          constant("c3", "constant of the eigenvalues' sensitivity", SpikedConstants{}.c3),
          constant("c5", "constant of the radius", SpikedConstants{}.c5),
          {.name = "diagnostic",
           .kind = OptionKind::PrivateFile,
           .sentence = "PRIVATE: a file for the curator's eyes that says whether the data look "
                       "spiked; it is not covered by the guarantee"}};
}

Result<SpikedRequest> spiked_request(const Request& what, Eigen::Index rows, Eigen::Index dimension,
                                     double row_radius) {
  if (const Result<void> checked = check_public_center(what, "spiked"); !checked) {
    return error_of(checked);
  }
  if (what.relation != Relation::IndependentCopy) {
    return bad_request(
        "method spiked protects one row against an independent copy of it, with high probability "
        "under its model and not for every data set; say {neighbours independent-copy} to accept "
        "that, or take {method gauss} or {method spiked-robust}",
        "neighbours");
  }
  if (const Result<void> checked = check_rank(what); !checked) {
    return error_of(checked);
  }
  SpikedRequest request;
  request.rows = rows;
  request.dimension = dimension;
  request.rank = rank_of(what);
  if (const auto most = what.options.find<std::int64_t>("max_rank")) {
    request.max_rank = *most;
  }
  request.noise_variance = what.options.find<double>("sigma2");
  request.spike = what.options.find<double>("lambda");
  request.spread = what.options.value("spread", 1.0);
  request.gaussian_rows = what.options.flag("gaussian_rows");
  request.row_radius = row_radius;
  request.budget = *what.budget;
  request.group_size = what.group_size;
  // pca is about the subspace; Cai, Xia and Zha split evenly for the covariance.
  request.variance_share =
      what.options.value("variance_share", what.wants_components() ? kDefaultVarianceShare : 0.5);
  request.published = what.published();
  request.constants = constants_of(what.options);
  return request;
}

Result<double> spiked_radius(const Request& what, Eigen::Index dimension,
                             std::optional<std::int64_t> rows) {
  const auto noise_variance = what.options.find<double>("sigma2");
  const auto spike = what.options.find<double>("lambda");
  const auto count = what.options.find<std::int64_t>("row_count");
  if (!noise_variance || !spike || (!rows && !count)) {
    return bad_request(
        "method spiked needs a bound on the rows ({row_norm}, {range} or {bounds}), or {sigma2}, "
        "{lambda} and {row_count}, from which the radius of its model follows",
        "row_norm");
  }
  return std::sqrt(
      model_radius_squared({count.value_or(rows.value_or(0)), dimension,
                            what.options.value<std::int64_t>("max_rank", rank_of(what)),
                            *noise_variance, *spike, what.options.value("spread", 1.0)},
                           constants_of(what.options)));
}

}  // namespace eigenveil
