#include <algorithm>
#include <cmath>
#include <limits>

#include "core/distributions.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/mask/released_gram.hpp"
#include "mechanism/moment/component_verdicts.hpp"
#include "mechanism/moment/principal_components.hpp"

// Formulas and their proof: docs/proofs/masking.md, "Eigenvalues".
namespace eigenveil {
namespace {

/// What no row is longer than; infinite where the release does not say.
double longest_row(const ReleasedGram& gram) {
  return gram.longest_row > 0.0 ? gram.longest_row : std::numeric_limits<double>::infinity();
}

/// Columns of data, without the intercept.
Vector of_columns(const ReleasedGram& gram, const Vector& values) {
  return gram.intercept ? Vector(values.tail(values.size() - 1)) : values;
}

Vector column_scales_of(const ReleasedGram& gram) {
  const Vector all = gram.scales.size() > 0 ? gram.scales : Vector::Ones(gram.products.rows());
  return of_columns(gram, all);
}

EntryNoise entry_noise(const ReleasedGram& gram) {
  EntryNoise noise;
  noise.scales = column_scales_of(gram);
  const Eigen::Index first = gram.intercept ? 1 : 0;
  const auto p = noise.scales.size();
  for (Eigen::Index i = 0; i < p; ++i) {
    for (Eigen::Index j = 0; j < p; ++j) {
      const double sd = gram.entry_sd(first + i, first + j) / (noise.scales[i] * noise.scales[j]);
      noise.product = std::max(noise.product, i == j ? sd / std::sqrt(2.0) : sd);
    }
    noise.sum =
        gram.intercept ? std::max(noise.sum, gram.entry_sd(0, 1 + i) / noise.scales[i]) : 0.0;
  }
  noise.count = gram.intercept ? gram.entry_sd(0, 0) : gram.rows_sd;
  return noise;
}

}  // namespace

EigenvalueLimits limits_of_entries(const EntryNoise& noise, double rows, double mean_norm) {
  constexpr double kInvSqrtTwoPi = 0.3989422804014327;
  const double n = rows;
  const double widest = noise.scales.maxCoeff();
  const double length = noise.scales.norm();
  const bool plain = noise.sum == 0.0 && noise.count == 0.0;
  const double of_sums = noise.sum * (length + widest * normal_upper_quantile(0.005));
  const double of_count = noise.count * normal_upper_quantile(0.0025);
  EigenvalueLimits limits{0.0, 0.0, n - of_count, n + of_count};
  if (!(limits.fewest > 0.0)) {
    return limits;
  }
  const double mean = (mean_norm + of_sums / n) / (1.0 - of_count / n);
  const double narrowest = noise.scales.minCoeff();
  const double average =
      2.0 * noise.product * widest * length + noise.sum * mean * length +
      (noise.count * mean * mean + noise.shared * (widest * widest - narrowest * narrowest)) *
          kInvSqrtTwoPi;
  const double of_squares = std::hypot(std::sqrt(2.0) * noise.product, noise.shared);
  const double deviation = std::hypot(of_squares * widest * widest, 2.0 * noise.sum * widest * mean,
                                      noise.count * mean * mean);
  limits.below = average + deviation * normal_upper_quantile(plain ? 0.025 : 0.02);
  const double shift = of_sums + of_count * mean;  // of the released mean, times n
  limits.above = limits.below + shift * shift / n;
  return limits;
}

namespace {

/// Noise on the cells, C = C0 T with C0 of independent standard normals: sizes that hold together
/// with probability 0.95, for rows Y about their mean m.
class CellLimits {
 public:
  CellLimits(const ReleasedGram& gram, const MomentEstimate& moment, double largest_value)
      : n_(gram.rows),
        p_(static_cast<double>(moment.names.size())),
        cells_(of_columns(gram, gram.cell_sd)),
        constant_(gram.intercept && moment.mean.size() > 0 ? gram.cell_sd[0] : 0.0),
        found_mean_(moment.mean.size() > 0 ? moment.mean.norm() : 0.0),
        found_(largest_value),
        norm_(std::sqrt(n_) * longest_row(gram)),
        mean_(moment.mean.size() > 0 ? longest_row(gram) : 0.0),
        frobenius_(norm_) {}

  /// From a bound that holds for all rows, to better ones: each step holds on the same event.
  double error() {
    double off = one_error();
    for (int step = 0; step < 50; ++step) {
      norm_ = std::min(norm_, std::sqrt(std::max(0.0, n_ * found_ + off)));
      mean_ = std::min(mean_, found_mean_ + sums() / n_);
      off = std::min(off, one_error());
    }
    return off;
  }

 private:
  // Ten events of probability 0.005 each; exp(-t^2 / 2) covers normal tails as well.
  static double t() { return std::sqrt(2.0 * std::log(200.0)); }

  /// n (m~ - m) = 1'C + e'X + e'C, e the noise on the constant.
  double sums() const {
    const double one = cells_.norm() + cells_.maxCoeff() * t();
    const double whole = std::hypot(norm_, std::sqrt(n_) * mean_);  // |X|
    return std::sqrt(n_) * one + constant_ * (frobenius_ + whole * t()) +
           constant_ * (std::sqrt(n_) + t()) * one;
  }

  double one_error() const {
    const double root = std::sqrt(n_);
    const double widest = std::hypot(cells_.maxCoeff(), constant_ * mean_);  // |T|
    const double length = std::hypot(cells_.norm(), constant_ * mean_);      // |T|_F
    const double rows = std::min(frobenius_, std::sqrt(p_) * norm_);         // |Y|_F
    const double cross = 2.0 * (norm_ * length + widest * rows + norm_ * widest * t());
    const double around = std::sqrt(p_ + (constant_ > 0.0 ? 1.0 : 0.0)) + t();
    const double square = widest * widest * (2.0 * root * around + around * around);
    if (constant_ == 0.0) {
      return cross + square;
    }
    const double shift = sums();
    const double of_constant =
        2.0 * root * constant_ * t() + constant_ * constant_ * (2.0 * root * t() + t() * t() + 1.0);
    return cross + square + shift * shift / n_ +
           of_constant * (2.0 * mean_ * shift / n_ + shift * shift / (n_ * n_));
  }

  double n_;
  double p_;
  Vector cells_;
  double constant_;
  double found_mean_;
  double found_;
  double norm_;       ///< bound on the spectral norm of Y
  double mean_;       ///< on |m|
  double frobenius_;  ///< on |X|_F
};

/// Masked rows: |Cu| <= sqrt(n) |Tu| + |T|_F + |T| z for all u at once, but for probability
/// P(N > z), so u'(C'C - n T'T)u is at most the value at |Tu| = |T|.
NoiseReach reach_of(const ReleasedGram& gram, const MomentEstimate& moment, const Vector& scales) {
  const double n = gram.rows;
  if (!gram.masked()) {
    EntryNoise noise = entry_noise(gram);
    noise.sum = moment.mean.size() > 0 ? noise.sum : 0.0;
    return noise_reach(noise, moment.mean.size() > 0 ? moment.mean.norm() : 0.0, n);
  }
  const double widest = scales.maxCoeff();
  const auto largest = [&](double around) {
    return (2.0 * std::sqrt(n) * widest + around) * around / n;
  };
  const double limit = largest(scales.norm() + widest * normal_upper_quantile(0.05));
  return {largest(scales.norm()), limit, limit, 1.0};
}

/// Scales of the noise by column: of cells about the mean, or of the columns themselves.
Vector noise_scales(const ReleasedGram& gram, const MomentEstimate& moment) {
  if (!gram.masked()) {
    return column_scales_of(gram);
  }
  Vector scales = of_columns(gram, gram.cell_sd);
  if (gram.intercept && moment.mean.size() > 0) {
    scales = (scales.cwiseAbs2() + gram.cell_sd[0] * gram.cell_sd[0] * moment.mean.cwiseAbs2())
                 .cwiseSqrt();
  }
  return scales;
}

}  // namespace

EigenvalueLimits eigenvalue_limits(const ReleasedGram& gram, const MomentEstimate& moment,
                                   double largest_value) {
  if (!gram.masked()) {
    return limits_of_entries(entry_noise(gram), gram.rows,
                             moment.mean.size() > 0 ? moment.mean.norm() : 0.0);
  }
  const double off = CellLimits(gram, moment, largest_value).error();
  return {off, off, gram.rows, gram.rows};
}

Result<ComponentEstimate> components_of(const ReleasedGram& gram, const MomentEstimate& moment,
                                        Eigen::Index count) {
  const SymmetricEigen eigen = symmetric_eigen(moment.value);
  const EigenvalueLimits limits = eigenvalue_limits(gram, moment, eigen.values[0]);
  if (!(limits.fewest > 0.0)) {
    return bad_request(
        "the noise on the number of rows is as large as the number, so variances would be noise: "
        "release again with more rows or more budget");
  }
  ComponentEstimate result;
  const Eigen::Index kept = std::min(count, eigen.values.size());
  result.loadings = eigen.vectors.leftCols(kept);
  for (Eigen::Index k = 0; k < kept; ++k) {
    fix_sign(result.loadings.col(k));
  }
  const Vector scales = noise_scales(gram, moment);
  result.noise_edge =
      noise_edge(eigen.values, result.loadings, scales, reach_of(gram, moment, scales));
  const double largest = longest_row(gram) * longest_row(gram);
  const ComponentVerdicts verdicts =
      judge_components(eigen.values.head(kept), result.noise_edge, {}, largest);
  result.variance = verdicts.variance;
  result.below_noise = verdicts.below_noise;
  result.clipped = verdicts.clipped;
  const Vector sums = gram.rows * eigen.values.head(kept);
  result.low = ((sums.array() - limits.below) / limits.most).max(0.0).min(largest);
  result.high = ((sums.array() + limits.above) / limits.fewest).max(0.0).min(largest);
  return result;
}

}  // namespace eigenveil
