#include "mechanism/spiked/spiked_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"

namespace eigenveil {
namespace {

/// The formulas chain a dozen roundings; this many units in the last place cover them.
constexpr int kModelUlps = 32;

struct Sizes {
  explicit Sizes(const SpikedModel& model)
      : n(static_cast<double>(model.rows)),
        p(static_cast<double>(model.dimension)),
        r(static_cast<double>(model.rank)),
        log_n(std::log(std::max(2.0, n))) {}
  double n;
  double p;
  double r;
  double log_n;
};

}  // namespace

double projector_sensitivity(const SpikedModel& model, const SpikedConstants& constants) {
  const Sizes s(model);
  const double diameter = up(std::sqrt(2.0 * std::min(s.r, s.p - s.r)), 2);
  if (!(model.spike > 0.0)) {
    return diameter;
  }
  const double ratio = model.noise_variance / model.spike;
  const double shape = ratio + std::sqrt(model.spread * ratio);
  return std::min(diameter,
                  up(constants.c2 * shape * std::sqrt(s.p * (s.r + s.log_n)) / s.n, kModelUlps));
}

double covariance_sensitivity(const SpikedModel& model, const SpikedConstants& constants) {
  const Sizes s(model);
  const double largest = model.spread * model.spike;
  return up(
      constants.c3 * (largest * (s.r + s.log_n) + model.noise_variance * (s.p + s.log_n)) / s.n,
      kModelUlps);
}

double model_radius_squared(const SpikedModel& model, const SpikedConstants& constants) {
  const Sizes s(model);
  return (s.r + constants.c5 * s.log_n) * model.spread * model.spike + s.p * model.noise_variance;
}

std::vector<SpikedCondition> spiked_conditions(const SpikedModel& model,
                                               const SpikedConstants& constants,
                                               const SpikedKnowledge& knowledge,
                                               const std::optional<ApproxDp>& budget) {
  const Sizes s(model);
  const double c1 = constants.c1;
  const double snr = knowledge.parameters ? model.spike / model.noise_variance : 0.0;
  const bool gaussian = knowledge.gaussian_rows;
  const double log_all = std::log(s.p + s.n);
  // ln² r vanishes at r = 1, where the paper's line would ask for nothing: 1 is used below r = e.
  const double rank_log = std::max(1.0, std::log(s.r) * std::log(s.r));
  const double per_rank =
      model.spread * model.spread * s.r * (gaussian ? s.log_n : log_all * rank_log);
  const double signal = model.spread * s.p / s.n + std::sqrt(s.p / s.n);
  std::vector<SpikedCondition> conditions = {
      {gaussian ? "n >= C1 (kappa^2 r ln n + ln^2 n)"
                : "n >= C1 (kappa^2 r ln(p + n) max(1, ln^2 r) + ln^2 n)",
       s.n, c1 * (per_rank + s.log_n * s.log_n)},
      {"p >= 2 r", s.p, 2.0 * s.r},
      {gaussian ? "lambda / sigma^2 >= C1 (kappa p/n + sqrt(p/n))"
                : "lambda / sigma^2 >= C1 (kappa p/n + sqrt(p/n)) ln(p + n)",
       snr, c1 * signal * (gaussian ? 1.0 : log_all), knowledge.parameters}};
  if (!knowledge.noise_variance && budget) {
    // (12), read as Cai, Xia and Zha state it; c1 of that condition is not given either, 1 is used.
    const double m = std::min(s.n, s.p);
    const double cost = budget->epsilon / std::sqrt(std::log(4.0 / budget->delta));
    conditions.push_back(
        {"(12): n sqrt(m / ln n) / (r + ln n) eps / sqrt(ln(4/delta)) >= lambda "
         "/ sigma^2, m = min(n, p)",
         s.n * std::sqrt(m / s.log_n) / (s.r + s.log_n) * cost, snr, knowledge.parameters});
    conditions.push_back({"(12): 1 >= (p/n) sqrt(ln n / m) eps / sqrt(ln(4/delta))", 1.0,
                          s.p / s.n * std::sqrt(s.log_n / m) * cost});
  }
  return conditions;
}

MinimaxRates minimax_rates(const SpikedModel& model, double epsilon) {
  const Sizes s(model);
  const double ratio = model.noise_variance / model.spike;
  const double sampling = std::sqrt(s.p / s.n);
  const double projector =
      (ratio + std::sqrt(ratio)) * (sampling + s.p * std::sqrt(s.r) / (s.n * epsilon));
  const double inside = model.spike * (std::sqrt(s.r / s.n) + std::pow(s.r, 1.5) / (s.n * epsilon));
  const double outside = std::sqrt(model.noise_variance * (model.spike + model.noise_variance)) *
                         (sampling + std::sqrt(s.r) * s.p / (s.n * epsilon));
  return {std::min(1.0, projector), std::min(model.spike, inside + outside)};
}

std::string model_statement(const SpikedConstants& constants) {
  return fmt::format(
      "(epsilon, delta)-DP WITH HIGH PROBABILITY over the data (at least 1 - 4 n^-99 - e^{{-c "
      "min(n,p)}}), not worst case, if the constants are large enough: C1 = {:g}, C2 = {:g}, C3 = "
      "{:g} are user-set (the experiments of Cai, Xia and Zha use C2 = 4; they give no other "
      "values, nor c)",
      constants.c1, constants.c2, constants.c3);
}

}  // namespace eigenveil
