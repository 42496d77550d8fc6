// Predictions for the methods that add noise: gauss, laplace, wishart, spiked, spiked-robust, oja.
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "mechanism/comparison/comparison.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"
#include "mechanism/moment/predicted_error.hpp"
#include "mechanism/oja/oja.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "mechanism/spiked/noisy_projector.hpp"
#include "mechanism/spiked/spiked.hpp"
#include "mechanism/wishart/wishart.hpp"
#include "random/chi_square.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"

namespace eigenveil {
namespace {

NoiseScale in_scaled_units(const MomentPlan& plan) {
  NoiseScale scale = plan.noise();
  scale.diagonal *= plan.bound().unit() * plan.bound().unit();
  scale.off_diagonal *= plan.bound().unit() * plan.bound().unit();
  return scale;
}

/// The largest eigenvalue of the bulk over its mean that still counts as flat.
constexpr double kFlatBulk = 1.05;

/// Both noisy steps on a made-up moment.
std::optional<Matrix> tried_frame(const GapPlan& plan, const Matrix& moment, RandomStream& stream) {
  const Eigen::Index k = plan.request().components;
  const SymmetricEigen top = largest_eigenpairs(moment, k + 1);
  double normal = 0.0;
  fill_standard_normal(stream, {&normal, 1});
  const double gap = top.values[k - 1] - top.values[k] + plan.gap_sd() * normal;
  const std::optional<double> sd = plan.projector_sd(plan.expected_lower(gap));
  if (!sd) {
    return std::nullopt;
  }
  return noisy_subspace(top.vectors.leftCols(k), symmetric_noise(*sd), stream);
}

/// Sum of x (x . w) over `rows` Gaussian rows with this spectrum, in O(p): the scores z = x . w are
/// normal with variance w'Dw; given them, Σ x z = |z|² Dw / w'Dw + |z| N(0, D - Dw w'D / w'Dw).
Vector made_up_batch(const Vector& spectrum, const Vector& direction, double rows,
                     RandomStream& stream) {
  const Vector image = spectrum.cwiseProduct(direction);
  const double variance = std::max(direction.dot(image), 1e-300);
  const double scores = variance * chi_square(stream, rows);
  Vector normal(spectrum.size());
  fill_standard_normal(stream, {normal.data(), static_cast<std::size_t>(normal.size())});
  const Vector row = spectrum.cwiseSqrt().cwiseProduct(normal);
  const Vector rest = row - image * (row.dot(direction) / variance);
  return image * (scores / variance) + std::sqrt(scores) * rest;
}

/// The pass on made-up batches: the same weights as OjaPass, contributions not cut.
Matrix tried_direction(const OjaPlan& plan, Eigen::Index rows, const Vector& spectrum,
                       RandomStream& stream) {
  const auto batch = static_cast<Eigen::Index>(plan.request().batch);
  Vector direction = haar_frame(stream, spectrum.size(), 1);
  Vector running = Vector::Zero(spectrum.size());
  Vector noise(spectrum.size());
  for (Eigen::Index done = 0, step = 1; done < rows; done += batch, ++step) {
    const auto size = static_cast<double>(std::min(batch, rows - done));
    fill_standard_normal(stream, {noise.data(), static_cast<std::size_t>(noise.size())});
    running += static_cast<double>(step) *
               (made_up_batch(spectrum, direction, size, stream) + plan.noise_sd() * noise);
    direction = running.normalized();
  }
  return direction;
}

}  // namespace

Matrix simulated_noise(const NoiseScale& scale, Eigen::Index p, RandomStream& stream) {
  const NoiseLaw law = scale.law;
  Matrix noise(p, p);
  if (law == NoiseLaw::Wishart) {  // the matrix that goes with (t, x) has one column more: the same
    const Matrix first = wishart_factor(stream, static_cast<double>(p) + 1.0, p);
    const Matrix second = wishart_factor(stream, static_cast<double>(p) + 1.0, p);
    noise = first.transpose() * first - second.transpose() * second;
    return noise * (scale.diagonal / (2.0 * std::sqrt(static_cast<double>(p) + 1.0)));
  }
  fill_standard_normal(stream, {noise.data(), static_cast<std::size_t>(noise.size())});
  if (law == NoiseLaw::Laplace) {  // a normal times sqrt of an exponential variable, variance 1
    noise = noise.unaryExpr(
        [&](double normal) { return normal * std::sqrt(-std::log(uniform(stream))); });
  }
  noise *= standard_deviation(law, scale.off_diagonal);
  noise.diagonal() *= scale.diagonal / scale.off_diagonal;
  noise.diagonal().array() += (std::sqrt(scale.trace_ratio) - 1.0) * noise.diagonal().mean();
  noise.triangularView<Eigen::StrictlyLower>() = noise.transpose();
  return noise;
}

PredictedError predicted_moment_error(MomentPlanner planner, const AssumedSetting& setting) {
  const Result<MomentPlan> plan =
      planner({setting.bound, setting.budget, setting.relation, setting.extension,
               setting.group_size, TraceNoise::Apart});
  if (!plan) {
    return PredictedError{0.0, setting.relation, Basis::Proved, plan.error().message, false};
  }
  const double sd = plan->off_diagonal_sd() / static_cast<double>(setting.rows);
  return PredictedError{
      predicted_subspace_error(setting.spectrum, setting.components, sd),
      setting.relation,
      Basis::Proved,
      "noise once on all products: a direction suffers by its own distance to the rest",
      true,
      [noise = in_scaled_units(*plan), k = setting.components](
          const Matrix& moment, RandomStream& stream) -> std::optional<Matrix> {
        return largest_eigenpairs(moment + simulated_noise(noise, moment.rows(), stream), k)
            .vectors;
      },
      pure_instead(setting, plan->guarantee())};
}

PredictedError predicted_spiked_error(const AssumedSetting& setting) {
  const Eigen::Index p = setting.spectrum.size();
  const Eigen::Index k = setting.components;
  PredictedError error{0.0, Relation::IndependentCopy, Basis::ModelProbability,
                       "noise on the projector at the model's sensitivity, if sigma^2 and lambda "
                       "are public"};
  if (k >= p) {
    error.available = false;
    error.note = "needs fewer components than columns";
    return error;
  }
  SpikedRequest request;
  request.rows = setting.rows;
  request.dimension = p;
  request.rank = k;
  request.noise_variance = setting.spectrum.tail(p - k).mean();
  if (setting.spectrum[k] > kFlatBulk * *request.noise_variance) {
    error.available = false;
    error.note = "the assumed spectrum is not spiked: its bulk is not flat, so the model is wrong";
    return error;
  }
  request.spike = setting.spectrum[k - 1] - *request.noise_variance;
  request.spread =
      *request.spike > 0.0 ? (setting.spectrum[0] - *request.noise_variance) / *request.spike : 1.0;
  request.row_radius = setting.bound.radius();
  request.budget = setting.budget;
  request.group_size = setting.group_size;
  const Result<SpikedPlan> plan = SpikedPlan::make(request);
  if (!plan) {
    error.available = false;
    error.note = plan.error().message;
    return error;
  }
  const double sd =
      projector_sensitivity(plan->model(), request.constants) / plan->mu_of("projector");
  error.error_f2 = projector_noise_error(p, k, sd * std::sqrt(0.5));
  error.trial = [k, sd](const Matrix& moment, RandomStream& stream) -> std::optional<Matrix> {
    return noisy_subspace(largest_eigenpairs(moment, k).vectors, symmetric_noise(sd), stream);
  };
  return error;
}

PredictedError predicted_robust_error(const AssumedSetting& setting) {
  PredictedError error{0.0, setting.relation, Basis::ProvedRealArithmetic,
                       "noise on the projector, fitted to a noisy eigengap"};
  const Result<GapPlan> plan =
      GapPlan::make({setting.bound, Units::Scaled, setting.budget, setting.relation,
                     setting.components, kDefaultVarianceShare, setting.group_size});
  if (!plan) {
    return PredictedError{0.0, setting.relation, error.basis, plan.error().message, false};
  }
  const Eigen::Index k = setting.components;
  const double gap =
      static_cast<double>(setting.rows) * (setting.spectrum[k - 1] - setting.spectrum[k]);
  const std::optional<double> sd = plan->projector_sd(plan->expected_lower(gap));
  if (!sd) {
    return PredictedError{0.0, setting.relation, error.basis,
                          "NULL is expected: the gap is too small for this budget", false};
  }
  error.error_f2 = projector_noise_error(setting.spectrum.size(), k, *sd * std::sqrt(0.5));
  error.trial = [plan = *plan](const Matrix& moment, RandomStream& stream) {
    return tried_frame(plan, moment, stream);
  };
  return error;
}

std::optional<PredictedError> predicted_oja_error(const AssumedSetting& setting, std::size_t batch,
                                                  const std::optional<double>& contribution) {
  if (setting.components != 1) {
    return std::nullopt;
  }
  const Relation relation =
      setting.relation == Relation::AddRemove ? Relation::ReplaceOne : setting.relation;
  const auto rows = static_cast<std::size_t>(setting.rows);
  const Result<OjaPlan> plan =
      OjaPlan::make({setting.bound.radius(), setting.bound.dimension(), batch, contribution,
                     setting.budget, relation, setting.group_size})
          .map([&](const OjaPlan& asked) { return asked.for_rows(rows); });
  if (!plan) {
    return PredictedError{0.0, relation, Basis::ProvedRealArithmetic, plan.error().message, false};
  }
  return PredictedError{
      predicted_oja_error(*plan, static_cast<double>(setting.rows), setting.spectrum),
      relation,
      Basis::ProvedRealArithmetic,
      "one pass over a stream in little memory",
      true,
      [plan = *plan, rows = setting.rows, spectrum = setting.spectrum](const Matrix& /*moment*/,
                                                                       RandomStream& stream) {
        return std::optional<Matrix>(tried_direction(plan, rows, spectrum, stream));
      }};
}

}  // namespace eigenveil
