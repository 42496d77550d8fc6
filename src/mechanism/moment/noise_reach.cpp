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

/// What is shared may push either way, so that 2.5% are left for each: 1.960 / 1.645.
constexpr double kBothSides = 1.1916;

/// How much of a noisy count is there, but for the false alarm: a mean was divided by it.
constexpr double kLeastShareOfCount = 1e-3;

/// What the directions left out are in units of the widest column.
struct LeftOut {
  double kept;         ///< how many were not
  double count;        ///< how many they are
  double mean_square;  ///< of their lengths |D u| / max(d)
};

/// How far below zero the noise along the directions left out may lie on average, in one unit: the
/// large eigenvalues make up for them (`odds`: of each left out); by the norm alone; by
/// Cauchy-Schwarz from the spread.
double below_in_one_unit(double odds, const NoiseReach& reach) {
  return reach.apart * std::min({1.0, odds, std::sqrt(odds) / (2.0 * reach.factor)});
}

/// The same in any units: by their lengths, or by Cauchy-Schwarz from the squares of all entries.
double below_of(const LeftOut& left, const Vector& scales, const NoiseReach& reach) {
  const double odds = left.kept / left.count;
  const double widest2 = std::pow(scales.maxCoeff(), 2);
  const double uneven = 1.0 - std::pow(scales.minCoeff(), 2) / widest2;
  if (uneven <= 0.0) {
    return below_in_one_unit(odds, reach);
  }
  const double length2 = scales.squaredNorm();
  const double deviation = reach.norm / (2.0 * reach.factor * std::sqrt(length2 * widest2));
  const double entries = std::hypot(length2, scales.cwiseAbs2().norm());
  const double beyond =
      normal_upper_quantile(kFalseAlarm / 2.0) * std::sqrt(2.0) * widest2 * uneven;
  return std::min(reach.apart * std::sqrt(left.mean_square),
                  std::sqrt(odds / (left.kept + left.count)) * deviation * (entries + beyond));
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
  const double odds = static_cast<double>(components) / static_cast<double>(rest.count());
  const double spread = std::sqrt(std::max(0.0, rest.variance() - of_noise));
  const double noise = reach.apart + below_in_one_unit(odds, reach);
  return std::max(reach.floor, rest.mean() + std::hypot(noise, 2.0 * spread));
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
  // The mean in sums was divided by a count that noise may have raised, which lowered it.
  const double fewest = std::max(count - z * noise.count, kLeastShareOfCount * count);
  const double of_sums = noise.sum * mean_norm * (count / fewest);
  const double of_count = noise.count * mean_norm * mean_norm * (count / fewest);
  const double norm =
      2.0 * spectral_factor(noise.law) * length * std::hypot(entry, of_sums) / count;
  NoiseReach reach =
      reach_of(noise.law, norm, entry * widest / count, length * length / (widest * widest));
  const double own = reach.floor - norm;
  const double of_mean = z * std::hypot(of_sums * widest, of_count) / count;
  reach.shared = z * noise.shared * widest * widest / count;
  reach.apart = norm + std::hypot(own, of_mean);
  reach.floor = norm + std::hypot(own, of_mean, reach.shared);
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
/// direction u noise D N D shows at most |D u| / max(d) of what it shows along any; what all scaled
/// columns share, t D², shows t |D u|² less its mean along the directions left out.
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
  const auto others = static_cast<double>(rest.size());
  const double squares = scales.squaredNorm() / (widest * widest) - lengths.squaredNorm();
  const LeftOut left{static_cast<double>(loadings.cols()), others,
                     std::clamp(squares / others, 0.0, 1.0)};
  const double below = below_of(left, scales, reach);
  Vector edge(loadings.cols());
  for (Eigen::Index j = 0; j < edge.size(); ++j) {
    const double shared =
        kBothSides * reach.shared * std::abs(lengths[j] * lengths[j] - left.mean_square);
    const double own = std::hypot((reach.apart - reach.norm) * lengths[j], shared);
    const double beside_rest =
        mean + std::hypot(reach.norm * lengths[j] + own + below, 2.0 * spread);
    edge[j] = std::max(reach.floor * lengths[j], beside_rest);
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
