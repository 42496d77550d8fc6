#include "cli/explore/slopes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/explore/kept.hpp"
#include "cli/explore/simulated.hpp"
#include "mechanism/mask/released_gram.hpp"

namespace eigenveil::cli {
namespace {

/// Errors of the slopes for noise of standard deviation 1 on a covariance: at any other they are in
/// proportion, so a slider solves nothing.
Result<PredictedRegression> at_unit_noise(const Planned& plan, RegressionRequest request) {
  static Kept<PredictedRegression> kept;
  const Question& question = plan.question;
  const Vector& spectrum = plan.table.spectrum;
  const std::string key = fmt::format(
      "{} {} {} {}\n{}\n{}\n{}", question.people, question.spread, question.shape, spectrum.size(),
      request.response, fmt::join(request.predictors, "\n"), fmt::join(question.columns, "\n"));
  if (std::optional<PredictedRegression> found = kept.find(key)) {
    return *std::move(found);
  }
  const Matrix& directions = assumed_directions(spectrum.size());
  const Eigen::Index p = spectrum.size();
  ReleasedGram gram;
  gram.names = question.columns;
  gram.rows = static_cast<double>(plan.table.rows);
  gram.products = gram.rows * (directions * spectrum.asDiagonal() * directions.transpose());
  gram.entry_sd = Matrix::Constant(p, p, gram.rows);
  gram.entry_sd.diagonal() *= std::sqrt(2.0);  // as `analyse` reads a release by gauss
  return predict_regression(gram, request).map([&](PredictedRegression found) {
    kept.keep(key, found);
    return found;
  });
}

}  // namespace

std::optional<Slopes> slopes_of(const Planned& plan) {
  const Question& question = plan.question;
  const std::optional<double> noise = plan.number("noise_sd_off_diagonal");
  if (question.response.empty() || plan.method != "gauss" || !noise) {
    return std::nullopt;
  }
  const Result<PredictedRegression> found =
      at_unit_noise(plan, {question.response, question.predictors});
  if (!found) {
    return std::nullopt;
  }
  return Slopes{question.predictors, found->slopes, kNinetyFive * *noise * found->noise,
                kNinetyFive * found->sampling, !(found->signal / *noise > kLeastSignal)};
}

}  // namespace eigenveil::cli
