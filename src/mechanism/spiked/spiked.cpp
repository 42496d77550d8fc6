#include "mechanism/spiked/spiked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "mechanism/moment/moment_plan.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "mechanism/spiked/noisy_projector.hpp"
#include "mechanism/spiked/spiked_estimates.hpp"

namespace eigenveil {
namespace {

/// Of mu², for every estimated parameter.
constexpr double kEstimateShare = 0.1;
/// Upper normal quantile at 1e-6: confidence bounds on estimated parameters fail that rarely.
constexpr double kConfidence = 4.7535;
constexpr const char* kProjector = "projector";
constexpr const char* kInside = "eigenvalues inside the subspace";
constexpr const char* kNoiseVariance = "sigma^2";
constexpr const char* kTopEigenvalues = "top eigenvalues (rank and lambda)";

std::vector<SpikedPart> parts_of(const SpikedRequest& request) {
  std::vector<SpikedPart> parts;
  double left = 1.0;
  if (!request.noise_variance) {
    parts.push_back({kNoiseVariance, kEstimateShare});
    left -= kEstimateShare;
  }
  if (!request.spike || request.max_rank) {
    parts.push_back({kTopEigenvalues, kEstimateShare});
    left -= kEstimateShare;
  }
  parts.push_back({kProjector, left * (1.0 - request.variance_share)});
  parts.push_back({kInside, left * request.variance_share});
  return parts;
}

/// Tight: mu in quadrature. Published: (epsilon, delta) in equal parts, each at the classic
/// sqrt(2 ln(1.25 / delta)) / epsilon, which is proved below epsilon 1 only.
Result<Loss> spend(const SpikedRequest& request, std::vector<SpikedPart>& parts) {
  if (request.published) {
    if (request.group_size != 1) {
      return bad_request(
          "the published calibration is stated for one row; leave out {group_size} or {calibration "
          "published}");
    }
    const auto* approx = std::get_if<ApproxDp>(&request.budget);
    if (approx == nullptr) {
      return bad_request(
          "the published calibration is for (epsilon, delta); give {epsilon} with {delta}");
    }
    const auto count = static_cast<double>(parts.size());
    for (SpikedPart& part : parts) {
      part.share = 1.0 / count;
      const Result<GaussianDp> classic =
          classic_gaussian_budget({down(approx->epsilon / count), down(approx->delta / count)});
      if (!classic) {
        return error_of(classic);
      }
      part.mu = classic->mu;
    }
    return Loss(*approx);
  }
  return budget_per_row(request.budget, request.group_size)
      .and_then(gaussian_budget)
      .and_then([&](GaussianDp total) {
        for (SpikedPart& part : parts) {
          part.mu = down(total.mu * std::sqrt(part.share), 4);
        }
        return group_loss(total, request.group_size);
      });
}

Result<void> check_numbers(const SpikedRequest& request) {
  const auto positive = [](double value) { return value > 0.0 && std::isfinite(value); };
  if ((request.noise_variance && !positive(*request.noise_variance)) ||
      (request.spike && !positive(*request.spike))) {
    return bad_request("{sigma2} and {lambda} must be positive, finite numbers");
  }
  if (!(request.spread >= 1.0) || !std::isfinite(request.spread)) {
    return bad_request("{spread} is lambda_1 / lambda_r: at least 1, and finite");
  }
  const SpikedConstants& c = request.constants;
  if (!positive(c.c1) || !positive(c.c2) || !positive(c.c3) || !positive(c.c5)) {
    return bad_request("{c1}, {c2}, {c3} and {c5} must be positive, finite numbers");
  }
  if (!positive(request.row_radius)) {
    return bad_request("the rows need a positive radius");
  }
  if (request.rows < 2) {
    return bad_request("the spiked model needs at least 2 rows");
  }
  if (request.max_rank && *request.max_rank >= std::min(request.rows, request.dimension)) {
    return bad_request("{max_rank} must be below the number of rows and of columns");
  }
  return {};
}

/// sigma² is estimated from the middle half of the eigenvalues, which must hold more than spikes.
Result<void> check_bulk(const SpikedRequest& request) {
  const Eigen::Index rank = request.max_rank.value_or(request.rank);
  if (request.noise_variance || bulk_has_window(request.rows, request.dimension, rank)) {
    return {};
  }
  return bad_request(fmt::format(
      "sigma^2 cannot be estimated beside {} spikes among {} eigenvalues: the middle half of them "
      "holds nothing else; give {{sigma2}} or a smaller rank",
      rank, std::min(request.rows, request.dimension)));
}

/// The model's sensitivities are those of rows that clipping leaves alone.
Result<void> check_radius(const SpikedModel& model, const SpikedRequest& request) {
  constexpr double kRounding = 1.0 - 1e-9;
  const double needed = std::sqrt(model_radius_squared(model, request.constants));
  if (request.rows != kUnreadRows && request.noise_variance && request.spike &&
      request.row_radius < kRounding * needed) {
    return bad_request(
        fmt::format("rows are clipped to norm {:.4g}, and under the model they reach {:.4g}: "
                    "clipped rows move the subspace by more than the model says. Give a bound of "
                    "at least that, or none: with sigma^2 and lambda known the model gives it",
                    request.row_radius, needed),
        "row_norm");
  }
  return {};
}

std::vector<std::string> assumptions_of(const SpikedRequest& request,
                                        const std::vector<SpikedCondition>& conditions,
                                        const DrawBudget& wide) {
  std::vector<std::string> list = {
      model_statement(request.constants),
      fmt::format("model: rows are independent draws of one {} law with mean at the public centre "
                  "and covariance S = U Lambda U' + sigma^2 I; a neighbour has one row replaced by "
                  "an independent copy; the spikes lie within a factor {:g}",
                  request.gaussian_rows ? "Gaussian" : "sub-Gaussian", request.spread)};
  if (!request.gaussian_rows) {
    list.emplace_back(
        "sub-Gaussian: E exp((x . u)^2 / (K u'Su)) <= 2 in every direction u, with a K that the "
        "constants are large enough for (Gaussian rows: K = 8/3)");
  }
  for (const SpikedCondition& condition : conditions) {
    // Without its numbers, which go by the rows: a ledger is charged before these are counted.
    list.push_back(condition.known
                       ? fmt::format("precondition {}: checked with C1 = {:g}", condition.text,
                                     request.constants.c1)
                       : fmt::format("precondition {}: not checked, a parameter is estimated",
                                     condition.text));
  }
  if (!request.noise_variance) {
    list.emplace_back(
        "sigma^2 is estimated: the rank is bounded and p/n near a constant (condition 12)");
  }
  if (!request.noise_variance || !request.spike) {
    list.emplace_back(
        "parameters are estimated: their confidence bounds hold, each but for probability 1e-6 of "
        "the noise and the model's own fluctuations");
  }
  if (!request.noise_variance || !request.spike) {
    list.push_back(fmt::format(
        "not checked, a parameter is estimated: rows of the model stay within the norm {:.4g} they "
        "are clipped to",
        request.row_radius));
  }
  if (request.max_rank) {
    list.emplace_back(
        "the rank is estimated: noise is scaled to the noisy gap behind it and to the noisy "
        "eigenvalue below it, so a rank that cuts between spikes gets the noise of that cut");
  }
  if (request.group_size > 1) {
    list.push_back(
        fmt::format("a group of {0} rows is replaced one by one: the failure probability is at "
                    "most {0} times that of one row",
                    request.group_size));
  }
  if (request.dimension > kDenseProjector) {
    for (std::string& entry : draw_assumptions(wide.blur)) {
      list.push_back(std::move(entry));
    }
  }
  list.emplace_back("eigenvectors of the sample are computed in double precision");
  for (std::string& entry : noise_assumptions(NoiseLaw::Gaussian)) {
    list.push_back(std::move(entry));
  }
  return list;
}

std::optional<ApproxDp> stated_pair(const Budget& budget) {
  const auto* approx = std::get_if<ApproxDp>(&budget);
  return approx != nullptr ? std::optional<ApproxDp>(*approx) : std::nullopt;
}

}  // namespace

SpikedModel SpikedPlan::model() const {
  return {request_.rows,
          request_.dimension,
          request_.max_rank.value_or(request_.rank),
          request_.noise_variance.value_or(0.0),
          request_.spike.value_or(0.0),
          request_.spread};
}

Result<SpikedPlan> SpikedPlan::make(const SpikedRequest& request) {
  if (const Result<void> sound = check_numbers(request); !sound) {
    return error_of(sound);
  }
  SpikedPlan plan;
  plan.request_ = request;
  plan.parts_ = parts_of(request);
  const Result<Loss> loss = spend(request, plan.parts_);
  if (!loss) {
    return error_of(loss);
  }
  if (const Result<void> whole = check_radius(plan.model(), request); !whole) {
    return error_of(whole);
  }
  if (const Result<void> bulk = check_bulk(request); !bulk) {
    return error_of(bulk);
  }
  const bool known = request.noise_variance && request.spike;
  plan.conditions_ =
      spiked_conditions(plan.model(), request.constants,
                        {known, request.noise_variance.has_value(), request.gaussian_rows},
                        stated_pair(request.budget));
  for (const SpikedCondition& condition : plan.conditions_) {
    if (!condition.met()) {
      return bad_request(fmt::format(
          "the spiked model's guarantee needs {} and has {:.4g} against {:.4g} (C1 = {:g}); take "
          "more rows, a smaller rank, or a method that holds for every data set",
          condition.text, condition.left, condition.right, request.constants.c1));
    }
  }
  if (const Result<void> checked =
          check_wide_subspace(request.dimension, request.max_rank.value_or(request.rank));
      !checked) {
    return error_of(checked);
  }
  if (request.published && request.dimension > kDenseProjector) {
    return bad_request(
        fmt::format("the published noise needs a p x p matrix; it is for up to {} "
                    "columns, leave out {{calibration published}}",
                    kDenseProjector));
  }
  for (const SpikedPart& part : plan.parts_) {
    const Eigen::Index side = part.name == kProjector && request.dimension <= kDenseProjector
                                  ? request.dimension
                                  : plan.model().rank + 1;
    if (const Result<double> sd = symmetric_noise_sd(1.0, part.mu, side); !sd) {
      return error_of(sd);
    }
  }
  if (const Result<double> sd =
          symmetric_noise_sd(plan.covariance_change(), plan.mu_of(kInside), plan.model().rank);
      !sd) {
    return error_of(sd);
  }
  plan.guarantee_ = {Relation::IndependentCopy,
                     *loss,
                     Basis::ModelProbability,
                     assumptions_of(request, plan.conditions_, plan.wide_draw(plan.model().rank)),
                     true,
                     request.group_size};
  return plan;
}

DrawBudget SpikedPlan::wide_draw(Eigen::Index rank) const {
  return split_draw_mu(mu_of(kProjector), {request_.dimension, rank, {}});
}

double SpikedPlan::mu_of(const std::string& part) const {
  for (const SpikedPart& candidate : parts_) {
    if (candidate.name == part) {
      return candidate.mu;
    }
  }
  return 0.0;
}

double SpikedPlan::covariance_change() const {
  // |x xᵀ - y yᵀ|_F <= sqrt(2) R² for rows within R: enforced, whatever the model.
  const double radius = request_.row_radius;
  const double enforced =
      up(std::sqrt(2.0) * radius * radius / static_cast<double>(request_.rows), 8);
  if (!request_.noise_variance || !request_.spike) {
    return enforced;
  }
  return std::min(enforced, covariance_sensitivity(model(), request_.constants));
}

namespace {

/// The private estimates of one run, and the bounds the later noise is scaled to.
class Estimator {
 public:
  Estimator(const SpikedPlan& plan, const SampleCovariance& sample, RandomStream& stream)
      : plan_(plan), request_(plan.request()), stream_(stream) {
    if (plan.estimates()) {
      eigenvalues_ = sample.eigenvalues();
    }
  }

  SpikedModel estimate(SpikedResult& result) {
    SpikedModel model = plan_.model();
    result.noise_variance = model.noise_variance;
    result.noise_variance_upper = model.noise_variance;
    if (!request_.noise_variance) {
      estimate_noise_variance(result);
    }
    model.noise_variance = result.noise_variance_upper;
    const bool needs_eigenvalues = !request_.spike || request_.max_rank;
    if (needs_eigenvalues) {
      release_top_eigenvalues(model, result);
    }
    result.spike_lower = result.spike_upper = model.spike;
    if (!request_.spike) {
      bound_spike(model, result);
    }
    if (request_.max_rank) {
      bound_by_gap(model, result);
    }
    model.spike = result.spike_lower;
    if (request_.max_rank) {
      cover_cut(model, *result.noisy_eigenvalues);
    }
    return model;
  }

 private:
  SymmetricNoise noise_for(const char* part, double sensitivity, Eigen::Index entries) {
    // The plan has checked the budget against the grid.
    const Result<double> sd = symmetric_noise_sd(sensitivity, plan_.mu_of(part), entries);
    return symmetric_noise(sd.value_or(sensitivity / plan_.mu_of(part) * 2.0));
  }

  void estimate_noise_variance(SpikedResult& result) {
    const BulkEstimate bulk = bulk_estimate(request_.rows, request_.dimension, plan_.model().rank);
    const SymmetricNoise noise =
        noise_for(kNoiseVariance, up(plan_.covariance_change() / down(bulk.weight_norm, 8), 8), 1);
    const Vector value = Vector::Constant(1, bulk.noise_variance(eigenvalues_));
    result.noise_variance = std::abs(add_vector_noise(value, noise, stream_)[0]);
    const double m = static_cast<double>(std::min(request_.rows, request_.dimension));
    // Bulk eigenvalues fluctuate like 1/m about their quantiles.
    const double relative = 1.0 + 4.0 * std::log(std::max(2.0, m)) / m;
    result.noise_variance_upper = (result.noise_variance + kConfidence * noise.diagonal) * relative;
  }

  void release_top_eigenvalues(SpikedModel& model, SpikedResult& result) {
    const Eigen::Index most = request_.max_rank.value_or(request_.rank);
    const Eigen::Index count = std::min(most + (request_.max_rank ? 1 : 0), eigenvalues_.size());
    const SymmetricNoise noise =
        noise_for(kTopEigenvalues, plan_.covariance_change(), most + 1);  // Hoffman, Wielandt
    result.noisy_eigenvalues = add_vector_noise(eigenvalues_.head(count), noise, stream_);
    top_sd_ = noise.diagonal;
    if (request_.max_rank) {
      model.rank = eigen_ratio_rank(*result.noisy_eigenvalues, most,
                                    std::max(noise.diagonal, model.noise_variance));
    }
  }

  void bound_spike(const SpikedModel& model, SpikedResult& result) const {
    const auto r = static_cast<double>(model.rank);
    const auto n = static_cast<double>(model.rows);
    const double ratio = static_cast<double>(model.dimension) / n;
    const double mean = result.noisy_eigenvalues->head(model.rank).mean();
    const double error = kConfidence * top_sd_ / std::sqrt(r);
    const double fluctuation = 2.0 * std::sqrt((r + std::log(n)) / n);
    // A sample spike exceeds lambda by at most the edge of the bulk; lambda_r >= mean / kappa.
    const double edge = model.noise_variance * std::pow(1.0 + std::sqrt(ratio), 2.0);
    result.spike_lower = std::max(0.0, (mean - error) * (1.0 - fluctuation) - edge) / model.spread;
    // l~_r is released with the others: where it lies lower than the assumed spread allows,
    // believe it and not the spread.
    const double smallest = (*result.noisy_eigenvalues)[model.rank - 1] - kConfidence * top_sd_;
    result.spike_lower = std::clamp(smallest * (1.0 - fluctuation) - edge, 0.0, result.spike_lower);
    result.spike_upper = std::max(0.0, (mean + error) * (1.0 + fluctuation)) / model.spread;
  }

  /// With a wrong rank there is no spike behind it: lambda_r is no more than the noisy gap there.
  void bound_by_gap(const SpikedModel& model, SpikedResult& result) const {
    const Vector& noisy = *result.noisy_eigenvalues;
    const double error = 2.0 * kConfidence * top_sd_;
    const double gap = noisy[model.rank - 1] - noisy[model.rank] - error;
    result.spike_lower = std::clamp(gap, 0.0, result.spike_lower);
  }

  /// A rank below the true one leaves spikes below the cut: what the model calls noise there is as
  /// large as the next eigenvalue, and the largest spike is not `spread` times the gap.
  void cover_cut(SpikedModel& model, const Vector& noisy) const {
    const double error = kConfidence * top_sd_;
    model.noise_variance = std::max(model.noise_variance, noisy[model.rank] + error);
    if (model.spike > 0.0) {
      model.spread = std::max(model.spread, (noisy[0] + error) / model.spike);
    }
  }

  const SpikedPlan& plan_;
  const SpikedRequest& request_;
  RandomStream& stream_;
  Vector eigenvalues_;
  double top_sd_ = 0.0;
};

}  // namespace

Release<SpikedResult> SpikedPlan::run(const SampleCovariance& sample, RandomStream& stream) const {
  SpikedResult result;
  const SpikedModel model = Estimator(*this, sample, stream).estimate(result);
  const Eigen::Index p = request_.dimension;
  const Eigen::Index r = model.rank;
  const Matrix sample_frame = sample.top(r).vectors;

  const bool dense = p <= kDenseProjector;
  // Eigenvectors in double precision are no better than this, and the noise stays on its grid.
  constexpr double kSmallestChange = 0x1p-40;
  result.projector_sensitivity =
      std::max(kSmallestChange, eigenveil::projector_sensitivity(model, request_.constants));
  const DrawBudget wide = wide_draw(r);
  result.projector_sd = symmetric_noise_sd(result.projector_sensitivity,
                                           dense ? mu_of(kProjector) : wide.draw, dense ? p : 1)
                            .value();
  result.frame =
      dense ? noisy_subspace(sample_frame, symmetric_noise(result.projector_sd, request_.published),
                             stream)
            : noisy_subspace_wide(sample_frame, result.projector_sd, wide.blur, stream);

  // Given U~, U~ᵀ S U~ moves by no more than S does.
  result.inside_sd = symmetric_noise_sd(covariance_change(), mu_of(kInside), r).value();
  const Matrix inside =
      sample.compress(result.frame) - result.noise_variance * Matrix::Identity(r, r);
  result.inside =
      add_symmetric_noise(inside, symmetric_noise(result.inside_sd, request_.published), stream);
  return trusted::assume_released(std::move(result), as_run(guarantee_, stream), "spiked");
}

SpikedComponents spiked_components(const SpikedResult& result) {
  const SymmetricEigen inside = symmetric_eigen(result.inside);
  SpikedComponents components{result.frame * inside.vectors, {}};
  for (Eigen::Index j = 0; j < components.loadings.cols(); ++j) {
    fix_sign(components.loadings.col(j));
  }
  components.explained_variance =
      (inside.values.array() + result.noise_variance).cwiseMax(0.0).matrix();
  return components;
}

SpikedCovariance spiked_covariance(const SpikedResult& result) {
  const Eigen::Index p = result.frame.rows();
  const double variance = result.noise_variance;
  const Matrix identity = Matrix::Identity(p, p);
  const SymmetricEigen inside = symmetric_eigen(result.inside);
  const Vector clipped = inside.values.cwiseMax(-variance);  // then + sigma² is not negative
  const Matrix rotated = result.frame * inside.vectors;
  return {result.frame * result.inside * result.frame.transpose() + variance * identity,
          rotated * clipped.asDiagonal() * rotated.transpose() + variance * identity};
}

}  // namespace eigenveil
