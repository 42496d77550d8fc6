#include "mechanism/comparison/method_trials.hpp"

#include <algorithm>
#include <cmath>

#include "core/symmetric_eigen.hpp"
#include "eigenveil/core/cancellation.hpp"
#include "random/chi_square.hpp"

namespace eigenveil {
namespace {

constexpr std::uint64_t kSeed = 0x636F6D70617265;  // "compare"

/// Enough for errors within some percent: a subspace error averages over k (p - k) angles.
int table_count(Eigen::Index columns) {
  return static_cast<int>(std::clamp<Eigen::Index>(4000 / columns, 12, 60));
}

/// Σ x xᵀ of Gaussian rows in the eigenbasis of their covariance.
Matrix made_up_moment(const AssumedSetting& setting, RandomStream& stream) {
  const Matrix rows =
      wishart_factor(stream, static_cast<double>(setting.rows), setting.spectrum.size()) *
      setting.spectrum.cwiseMax(0.0).cwiseSqrt().asDiagonal();
  return rows.transpose() * rows;
}

}  // namespace

double worst_error_f2(const AssumedSetting& setting) {
  return 2.0 * static_cast<double>(
                   std::min(setting.components, setting.spectrum.size() - setting.components));
}

MethodTrials::MethodTrials(const AssumedSetting& setting)
    : components_(setting.components), worst_f2_(worst_error_f2(setting)) {
  RandomStream stream = RandomStream::seeded(kSeed);
  const int count = table_count(setting.spectrum.size());
  for (int i = 0; i < count; ++i) {
    stop_if_cancelled();
    moments_.push_back(made_up_moment(setting, stream));
    sampling_f2_ += error_f2(largest_eigenpairs(moments_.back(), components_).vectors) / count;
  }
}

double MethodTrials::error_f2(const Matrix& frame) const {
  // The directions of the assumption are the first unit vectors.
  const double shared = frame.topRows(components_).squaredNorm();
  return std::max(0.0, static_cast<double>(components_ + frame.cols()) - 2.0 * shared);
}

TriedMethod MethodTrials::run(const MethodTrial& trial) const {
  RandomStream stream = RandomStream::seeded(kSeed + 1);
  const auto count = static_cast<double>(moments_.size());
  TriedMethod tried;
  for (const Matrix& moment : moments_) {
    stop_if_cancelled();
    const std::optional<Matrix> frame = trial(moment, stream);
    tried.total_f2 += (frame ? error_f2(*frame) : worst_f2_) / count;
    tried.null_share += frame ? 0.0 : 1.0 / count;
  }
  return tried;
}

}  // namespace eigenveil
