#include "papers/spiked_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/symmetric_eigen.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "mechanism/moment/sample_covariance.hpp"
#include "mechanism/oja/oja.hpp"
#include "mechanism/spiked/noisy_projector.hpp"
#include "mechanism/spiked/spiked_model.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"

namespace eigenveil::papers {
namespace {

SpikedModel model_of(const SpikedSample& sample) {
  const SpikedSetting& s = sample.setting;
  return {s.rows, s.dimension, s.rank, sample.noise_variance, s.spike, 1.0};
}

/// The paper's noise: sqrt(2 ln(1.25/delta)) D / epsilon on every entry alike.
SymmetricNoise classic_noise(double sensitivity, double epsilon, double delta) {
  return symmetric_noise(sensitivity * std::sqrt(2.0 * std::log(1.25 / delta)) / epsilon, true);
}
SymmetricNoise tight_noise(double sensitivity, double epsilon, double delta) {
  return symmetric_noise(sensitivity / gaussian_mu_for({epsilon, delta}));
}

double largest_squared_norm(const SpikedSample& sample) {
  return sample.columns.colwise().squaredNorm().maxCoeff();
}

/// Rows clipped to the model's radius, which the paper only scales by.
Matrix clipped_covariance(const SpikedSample& sample, double radius_squared) {
  Matrix columns = sample.columns;
  for (Eigen::Index i = 0; i < columns.cols(); ++i) {
    const double norm2 = columns.col(i).squaredNorm();
    if (norm2 > radius_squared) {
      columns.col(i) *= std::sqrt(radius_squared / norm2);
    }
  }
  return columns * columns.transpose() / static_cast<double>(columns.cols());
}

/// Liu et al.'s stream with our accounting: contributions cut at the model's typical largest.
Matrix oja_direction(const SpikedSample& sample, double radius_squared, RandomStream& stream) {
  const SpikedSetting& s = sample.setting;
  const double contribution = std::sqrt(radius_squared * 2.0 * (s.spike + sample.noise_variance) *
                                        std::log(static_cast<double>(s.rows)));
  const Result<OjaPlan> plan =
      OjaPlan::make({std::sqrt(radius_squared), static_cast<std::size_t>(s.dimension),
                     static_cast<std::size_t>(std::max<Eigen::Index>(1, s.rows / 10)), contribution,
                     ApproxDp{s.epsilon, s.delta}, Relation::ReplaceOne});
  OjaPass pass(*plan, stream);
  for (const auto& row : sample.columns.colwise()) {
    const double norm2 = row.squaredNorm();
    pass.add(norm2 > radius_squared ? Vector(row * std::sqrt(radius_squared / norm2))
                                    : Vector(row));
  }
  return pass.finish().value();
}

/// Rank-r part of a noisy covariance with the known noise variance around it.
Matrix rank_limited(const Matrix& noisy, Eigen::Index rank, double variance) {
  const SymmetricEigen top = largest_eigenpairs(noisy, rank);
  const Vector spikes = top.values.array() - variance;
  return top.vectors * spikes.asDiagonal() * top.vectors.transpose() +
         variance * Matrix::Identity(noisy.rows(), noisy.cols());
}

/// U~ L~ U~ᵀ + sigma² I from a noisy projector and a noisy matrix inside it.
Matrix two_part_covariance(const SpikedSample& sample, const std::optional<SymmetricNoise>& first,
                           const std::optional<SymmetricNoise>& second, RandomStream& stream) {
  const SpikedSetting& s = sample.setting;
  const SampleCovariance covariance = SampleCovariance::of_columns(sample.columns);
  Matrix frame = covariance.top(s.rank).vectors;
  if (first) {
    frame = noisy_subspace(frame, *first, stream);
  }
  const double variance = sample.noise_variance;
  Matrix inside = covariance.compress(frame) - variance * Matrix::Identity(s.rank, s.rank);
  if (second) {
    inside = add_symmetric_noise(inside, *second, stream);
  }
  return frame * inside * frame.transpose() + variance * Matrix::Identity(s.dimension, s.dimension);
}

Matrix tight_covariance(const SpikedSample& sample, RandomStream& stream) {
  const SpikedSetting& s = sample.setting;
  const SpikedModel model = model_of(sample);
  const double mu = gaussian_mu_for({s.epsilon, s.delta}) * std::sqrt(0.5);
  return two_part_covariance(sample, symmetric_noise(projector_sensitivity(model, {}) / mu),
                             symmetric_noise(covariance_sensitivity(model, {}) / mu), stream);
}

}  // namespace

Matrix published_covariance(const SpikedSample& sample, const PublishedParts& parts,
                            RandomStream& stream) {
  const SpikedSetting& s = sample.setting;
  const SpikedModel model = model_of(sample);
  const double share = parts.whole_budget_each ? 1.0 : 0.5;
  const auto noise = [&](bool wanted, double sensitivity) {
    return wanted ? std::optional(classic_noise(sensitivity, share * s.epsilon, share * s.delta))
                  : std::nullopt;
  };
  return two_part_covariance(
      sample, noise(parts.projector_noise, projector_sensitivity(model, parts.constants)),
      noise(parts.eigenvalue_noise, covariance_sensitivity(model, parts.constants)), stream);
}

Matrix published_subspace(const SpikedSample& sample, const SpikedConstants& constants,
                          RandomStream& stream) {
  const SpikedSetting& s = sample.setting;
  const double d1 = projector_sensitivity(model_of(sample), constants);
  return noisy_subspace(SampleCovariance::of_columns(sample.columns).top(s.rank).vectors,
                        classic_noise(d1, s.epsilon, s.delta), stream);
}

SpikedTruth draw_spiked(const SpikedSetting& setting, RandomStream& stream) {
  const Matrix basis = haar_frame(stream, setting.dimension, setting.rank);
  Matrix columns(setting.dimension, setting.rows);
  fill_standard_normal(stream, {columns.data(), static_cast<std::size_t>(columns.size())});
  Matrix scores(setting.rank, setting.rows);
  fill_standard_normal(stream, {scores.data(), static_cast<std::size_t>(scores.size())});
  columns += std::sqrt(setting.spike) * basis * scores;
  return {{std::move(columns), setting, 1.0}, basis};
}

double projector_distance(const Matrix& first, const Matrix& second) {
  const double overlap = (first.transpose() * second).squaredNorm();
  return std::sqrt(
      std::max(0.0, static_cast<double>(first.cols() + second.cols()) - 2.0 * overlap));
}

std::map<std::string, Matrix> released_subspaces(const SpikedSample& sample, RandomStream& stream) {
  const SpikedSetting& s = sample.setting;
  const SpikedModel model = model_of(sample);
  const Matrix frame = SampleCovariance::of_columns(sample.columns).top(s.rank).vectors;
  const double d1 = projector_sensitivity(model, {});
  const auto n = static_cast<double>(s.rows);
  const double radius2 = model_radius_squared(model, {});
  const double star2 = largest_squared_norm(sample);
  const Matrix clipped = clipped_covariance(sample, radius2);
  const auto noisy_top = [&](const SymmetricNoise& noise) {
    return largest_eigenpairs(add_symmetric_noise(clipped, noise, stream), s.rank).vectors;
  };
  std::map<std::string, Matrix> released = {
      {kPublished, noisy_subspace(frame, classic_noise(d1, s.epsilon, s.delta), stream)},
      {kTight, noisy_subspace(frame, tight_noise(d1, s.epsilon, s.delta), stream)},
      {kDpGauss, noisy_top(classic_noise(radius2 / n, s.epsilon, s.delta))},
      {kDpGaussStar, noisy_top(classic_noise(star2 / n, s.epsilon, s.delta))},
      {kGaussTight, noisy_top(tight_noise(radius2 / n, s.epsilon, s.delta))},
      {kNonPrivate, frame}};
  if (s.rank == 1) {
    released[kDpOja] = oja_direction(sample, radius2, stream);
  }
  return released;
}

std::map<std::string, Matrix> released_covariances(const SpikedSample& sample,
                                                   RandomStream& stream) {
  const SpikedSetting& s = sample.setting;
  const auto n = static_cast<double>(s.rows);
  const double radius2 = model_radius_squared(model_of(sample), {});
  const Matrix clipped = clipped_covariance(sample, radius2);
  const auto limited = [&](double sensitivity, bool tight) {
    const SymmetricNoise noise = tight ? tight_noise(sensitivity, s.epsilon, s.delta)
                                       : classic_noise(sensitivity, s.epsilon, s.delta);
    return rank_limited(add_symmetric_noise(clipped, noise, stream), s.rank, sample.noise_variance);
  };
  return {{kPublished, published_covariance(sample, {}, stream)},
          {kTight, tight_covariance(sample, stream)},
          {kDpGauss, limited(radius2 / n, false)},
          {kDpGaussStar, limited(largest_squared_norm(sample) / n, false)},
          {kGaussTight, limited(radius2 / n, true)},
          {kNonPrivate, rank_limited(clipped, s.rank, sample.noise_variance)}};
}

}  // namespace eigenveil::papers
