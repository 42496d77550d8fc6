#include "mechanism/moment/noise_reach.hpp"

#include <algorithm>
#include <cmath>

#include "core/distributions.hpp"

namespace eigenveil {
namespace {

constexpr double kFalseAlarm = 0.05;

/// The 95% quantile of the largest eigenvalue lies this many deviations of an entry, over the sixth
/// root of the number of columns, above the spectral norm in the limit: at most, measured.
double quantile_beyond(NoiseLaw law) {
  return law == NoiseLaw::Gaussian ? 1.0 : 2.0;
}

/// `widest`: deviation of the noise on products of the widest column; `columns`: how many columns
/// of its width would have this norm.
NoiseReach reach_of(NoiseLaw law, double norm, double widest, double columns) {
  NoiseReach reach;
  reach.factor = spectral_factor(law);
  reach.norm = norm;
  reach.floor = reach.apart =
      norm + quantile_beyond(law) * widest * std::pow(std::max(1.0, columns), -1.0 / 6.0);
  return reach;
}

/// The mean of the p - k smallest eigenvalues of noise lies at most this share of its largest below
/// zero: k large ones make up for them; by the norm alone; by Cauchy-Schwarz from the spread.
double mean_of_lowest(double k, double rest, double factor) {
  const double odds = k / rest;
  return std::min({1.0, odds, std::sqrt(odds) / (2.0 * factor)});
}

/// What a component must exceed beside directions with this mean and spread. `length`: of the
/// direction in units of the widest column; `below`: how far under zero the noise may put the mean.
double beside_rest(const NoiseReach& reach, double length, double below, double mean,
                   double spread) {
  return std::max(reach.floor * length,
                  mean + std::hypot(reach.apart * (length + below), 2.0 * spread));
}

/// `left`: squared lengths of the directions left out, added up.
double mean_under_zero(Eigen::Index components, Eigen::Index rest, double left, double factor) {
  return std::min(1.0, std::sqrt(std::max(0.0, left))) *
         mean_of_lowest(static_cast<double>(components), static_cast<double>(rest), factor);
}

/// Mean and squared deviations of the smallest of some numbers, one more at a time.
class Smallest {
 public:
  void add(double value) {
    ++count_;
    const double off = value - mean_;
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (value - mean_);
  }
  Eigen::Index count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const { return count_ > 0 ? squares_ / static_cast<double>(count_) : 0.0; }

 private:
  Eigen::Index count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

/// All lengths are 1. `of_noise`: what noise adds to the variance among the rest.
double edge_in_one_unit(const Smallest& rest, Eigen::Index components, double of_noise,
                        const NoiseReach& reach) {
  if (rest.count() == 0) {
    return reach.floor;
  }
  const double below =
      mean_under_zero(components, rest.count(), static_cast<double>(rest.count()), reach.factor);
  return beside_rest(reach, 1.0, below, rest.mean(),
                     std::sqrt(std::max(0.0, rest.variance() - of_noise)));
}

ToldDirections told_in_one_unit(const Vector& variances, Eigen::Index most, double of_noise,
                                const NoiseReach& reach) {
  Smallest rest;
  for (Eigen::Index j = variances.size(); j > most; --j) {
    rest.add(variances[j - 1]);
  }
  for (Eigen::Index k = most; k > 0; --k) {
    const double edge = edge_in_one_unit(rest, k, of_noise, reach);
    if (variances[k - 1] > edge || k == 1) {
      return {variances[k - 1] > edge ? k : 0, edge};
    }
    rest.add(variances[k - 1]);
  }
  return {};
}

/// Noise of spectral norm f shows a variance of (f / 2 factor)² among eigenvalues left out.
double variance_of_noise(const NoiseReach& reach) {
  const double spread = reach.norm / (2.0 * reach.factor);
  return spread * spread;
}

}  // namespace

NoiseReach noise_reach(const EntryNoise& noise, double mean_norm, double count) {
  const double widest = noise.scales.maxCoeff();
  const double length = noise.scales.norm();
  const double z = normal_upper_quantile(kFalseAlarm);
  const double entry = noise.product * widest;
  const double norm =
      2.0 * spectral_factor(noise.law) * length * std::hypot(entry, noise.sum * mean_norm) / count;
  NoiseReach reach =
      reach_of(noise.law, norm, entry * widest / count, length * length / (widest * widest));
  const double own = reach.floor - norm;
  const double of_mean =
      z * std::hypot(noise.sum * widest * mean_norm, noise.count * mean_norm * mean_norm) / count;
  const double of_trace = z * noise.shared * widest * widest / count;
  reach.apart = norm + std::hypot(own, of_mean);
  reach.floor = norm + std::hypot(own, of_mean, of_trace);
  return reach;
}

NoiseReach noise_reach(const Matrix& entry_sd, NoiseLaw law) {
  Matrix squares = entry_sd.array().isFinite().select(entry_sd.array().square(), 0.0);
  const double row = squares.size() > 0 ? squares.rowwise().sum().maxCoeff() : 0.0;
  squares.diagonal() /= 2.0;
  const double largest = squares.size() > 0 ? squares.maxCoeff() : 0.0;
  return reach_of(law, 2.0 * spectral_factor(law) * std::sqrt(row), std::sqrt(largest),
                  largest > 0.0 ? row / largest : 1.0);
}

/// Noise of spectral norm f on eigenvalues with mean m and variance v gives a spectrum that ends
/// near m + sqrt(4 v + f²). The noisy eigenvalues left out show v + (f / 2 factor)². Along a
/// direction u the norm of D N D shrinks from max(d) |d| to |D u| |d|, and so it does for the
/// directions left out, whose lengths |D u| have squares that add up to what is left of |d|².
Vector noise_edge(const Vector& eigenvalues, const Matrix& loadings, const Vector& scales,
                  const NoiseReach& reach) {
  const double widest = scales.maxCoeff();
  const Vector lengths = (scales.asDiagonal() * loadings).colwise().norm() / widest;
  const auto rest = eigenvalues.tail(eigenvalues.size() - loadings.cols());
  if (rest.size() == 0) {
    return reach.floor * lengths;
  }
  const double mean = rest.mean();
  const double spread =
      std::sqrt(std::max(0.0, (rest.array() - mean).square().mean() - variance_of_noise(reach)));
  const double left = scales.squaredNorm() / (widest * widest) - lengths.squaredNorm();
  const double below = mean_under_zero(loadings.cols(), rest.size(), left, reach.factor);
  Vector edge(loadings.cols());
  for (Eigen::Index j = 0; j < edge.size(); ++j) {
    edge[j] = beside_rest(reach, lengths[j], below, mean, spread);
  }
  return edge;
}

double predicted_edge(const Vector& spectrum, Eigen::Index components, const NoiseReach& reach) {
  Smallest rest;
  for (Eigen::Index j = spectrum.size(); j > components; --j) {
    rest.add(spectrum[j - 1]);
  }
  return edge_in_one_unit(rest, components, 0.0, reach);
}

ToldDirections predicted_directions(const Vector& spectrum, Eigen::Index most,
                                    const NoiseReach& reach) {
  return told_in_one_unit(spectrum, most, 0.0, reach);
}

ToldDirections told_directions(const Vector& eigenvalues, const NoiseReach& reach) {
  const Eigen::Index most = std::max<Eigen::Index>(1, eigenvalues.size() - 1);
  return told_in_one_unit(eigenvalues, std::min(most, eigenvalues.size()), variance_of_noise(reach),
                          reach);
}

}  // namespace eigenveil
