#include "mechanism/pairwise/pairwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/symmetric_eigen.hpp"
#include "mechanism/moment/component_verdicts.hpp"
#include "mechanism/moment/correlation.hpp"

namespace eigenveil {
namespace {

/// How far the rows that have both columns must stand above the noise on their number.
constexpr double kPairDeviations = 4.0;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Matrix without_gaps(const Matrix& values) {
  return values.unaryExpr([](double value) { return std::isfinite(value) ? value : 0.0; });
}

}  // namespace

Result<PairwiseGram> pairwise_gram(const PublishedPairwise& published) {
  PairwiseGram gram;
  gram.names = published.names;
  gram.indicators = 1 + std::ssize(published.indicated);
  gram.indicator.assign(gram.names.size(), 0);
  for (std::size_t k = 0; k < published.indicated.size(); ++k) {
    const auto found = std::find(gram.names.begin(), gram.names.end(), published.indicated[k]);
    if (found == gram.names.end()) {
      return bad_request("the release contradicts itself: a pairwise column is no column");
    }
    gram.indicator[static_cast<std::size_t>(found - gram.names.begin())] =
        static_cast<Eigen::Index>(k) + 1;
  }
  const Eigen::Index size = gram.indicators + gram.columns();
  const bool sound = published.sums.rows() == size && published.sums.cols() == size &&
                     published.sums.allFinite() && published.scales.size() == gram.columns() &&
                     published.scales.allFinite() && published.constant > 0.0 &&
                     published.diagonal_sd >= 0.0 && published.off_diagonal_sd >= 0.0;
  if (!sound) {
    return bad_request("the release contradicts itself: its pairwise sums do not fit its columns");
  }
  gram.sums = published.sums;
  // Indicators stood in the rows as c m, columns as x over their scales.
  Vector scale = Vector::Constant(size, 1.0 / published.constant);
  scale.tail(gram.columns()) = published.scales;
  gram.entry_sd = published.off_diagonal_sd * scale * scale.transpose();
  gram.entry_sd.diagonal() = published.diagonal_sd * scale.cwiseAbs2();
  return gram;
}

PairwiseGram pairwise_gram(const NoisyMoment& extended, const CountedColumns& columns,
                           Units units) {
  PublishedPairwise published;
  published.names = columns.schema.columns;
  std::vector<Eigen::Index> kept = {0};
  const Eigen::Index first = columns.square_constant > 0.0 ? 2 : 1;
  for (Eigen::Index i = first; i < extended.products.rows(); ++i) {
    kept.push_back(i);
  }
  for (const std::size_t j : columns.indicated) {
    published.indicated.push_back(columns.schema.columns[j]);
  }
  published.constant = columns.constant;
  published.scales = column_scales(columns.bound, units);
  const double w = columns.weight_bound;
  published.diagonal_sd = w * extended.product_sd;
  published.off_diagonal_sd = w * extended.off_diagonal_sd;
  const auto size = static_cast<Eigen::Index>(kept.size());
  Vector scale = Vector::Constant(size, 1.0 / columns.constant);
  scale.tail(published.scales.size()) = published.scales;
  published.sums = w * (scale.asDiagonal() * extended.products(kept, kept) * scale.asDiagonal());
  PairwiseGram gram = *pairwise_gram(published);  // made of one table: it cannot contradict itself
  if (units == Units::Original) {
    gram.midpoints.resize(gram.columns());
    for (Eigen::Index j = 0; j < gram.columns(); ++j) {
      gram.midpoints[j] = columns.bound.midpoint(static_cast<std::size_t>(j));
    }
  }
  return gram;
}

Estimated PairwiseGram::count(Eigen::Index i, Eigen::Index j) const {
  return Estimated::entry(sums, indicator[static_cast<std::size_t>(i)],
                          indicator[static_cast<std::size_t>(j)]);
}

Estimated PairwiseGram::sum(Eigen::Index i, Eigen::Index j) const {
  return Estimated::entry(sums, indicator[static_cast<std::size_t>(j)], indicators + i);
}

bool PairwiseGram::has_pair(Eigen::Index i, Eigen::Index j) const {
  const Estimated rows_with_both = count(i, j);
  return rows_with_both.value > 0.0 &&
         rows_with_both.value > kPairDeviations * rows_with_both.sd(entry_sd);
}

Estimated PairwiseGram::covariance(Eigen::Index i, Eigen::Index j) const {
  const Estimated n = count(i, j);
  return Estimated::entry(sums, indicators + i, indicators + j) / n -
         (sum(i, j) / n) * (sum(j, i) / n);
}

Estimated PairwiseGram::mean(Eigen::Index i) const {
  return sum(i, i) / count(i, i);
}

MomentEstimate covariance(const PairwiseGram& gram) {
  const Eigen::Index p = gram.columns();
  MomentEstimate estimate;
  estimate.names = gram.names;
  estimate.value = Matrix::Constant(p, p, kNone);
  estimate.standard_error = Matrix::Constant(p, p, kNone);
  estimate.mean = Vector::Constant(p, kNone);
  estimate.mean_standard_error = Vector::Constant(p, kNone);
  for (Eigen::Index i = 0; i < p; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      if (gram.has_pair(i, j)) {
        const Estimated entry = gram.covariance(i, j);
        estimate.value(i, j) = estimate.value(j, i) = entry.value;
        estimate.standard_error(i, j) = estimate.standard_error(j, i) = entry.sd(gram.entry_sd);
      }
    }
    if (gram.has_pair(i, i)) {
      const Estimated mean = gram.mean(i);
      estimate.mean[i] = mean.value;
      estimate.mean_standard_error[i] = mean.sd(gram.entry_sd);
    }
  }
  return estimate;
}

std::optional<PairwiseGram> as_pairwise(const ReleasedGram& gram) {
  if (gram.masked() || !gram.intercept) {
    return std::nullopt;
  }
  PairwiseGram whole;
  whole.names.assign(gram.names.begin() + 1, gram.names.end());
  whole.indicator.assign(whole.names.size(), 0);
  whole.sums = gram.products;
  whole.entry_sd = gram.entry_sd;
  return whole;
}

CorrelationEstimate correlation(const PairwiseGram& gram, const MomentEstimate& covariance) {
  const Eigen::Index p = gram.columns();
  CorrelationEstimate result{Matrix::Constant(p, p, kNone), Matrix::Constant(p, p, kNone)};
  const std::vector<Eigen::Index> passing = columns_with_variance(
      covariance.value.diagonal(), covariance.standard_error.diagonal());  // NaN never passes
  std::vector<bool> kept(static_cast<std::size_t>(p), false);
  std::vector<Estimated> deviations(static_cast<std::size_t>(p));
  for (const Eigen::Index j : passing) {
    kept[static_cast<std::size_t>(j)] = true;
    deviations[static_cast<std::size_t>(j)] = square_root(gram.covariance(j, j));
  }
  for (Eigen::Index i = 0; i < p; ++i) {
    if (!kept[static_cast<std::size_t>(i)]) {
      result.left_out.push_back(gram.names[static_cast<std::size_t>(i)]);
      continue;
    }
    result.value(i, i) = 1.0;
    result.standard_error(i, i) = 0.0;
    for (Eigen::Index j = 0; j < i; ++j) {
      if (kept[static_cast<std::size_t>(j)] && gram.has_pair(i, j)) {
        const Estimated r = gram.covariance(i, j) / (deviations[static_cast<std::size_t>(i)] *
                                                     deviations[static_cast<std::size_t>(j)]);
        result.value(i, j) = result.value(j, i) = std::clamp(r.value, -1.0, 1.0);
        result.standard_error(i, j) = result.standard_error(j, i) = r.sd(gram.entry_sd);
      }
    }
  }
  return result;
}

Result<ComponentEstimate> components_of(const PairwiseGram& gram, const MomentEstimate& covariance,
                                        Eigen::Index count) {
  if (!covariance.value.allFinite()) {
    return bad_request(
        "noise hides how many rows have both of some columns, and an unknown covariance leaves "
        "components without limits: release fewer columns, or with a larger budget");
  }
  NoisyCovariance noisy;
  noisy.raw = covariance.value;
  noisy.scales = Vector::Ones(gram.columns());
  noisy.reach = noise_reach(covariance.standard_error, NoiseLaw::Gaussian);
  const double reach =  // the norm, and 1.64 deviations of the worst single direction
      noisy.reach.norm + 1.64 * std::sqrt(2.0) * covariance.standard_error.maxCoeff();
  PrincipalComponents found = principal_components(std::move(noisy), count);
  const double largest = gram.longest_row > 0.0 ? gram.longest_row * gram.longest_row
                                                : std::numeric_limits<double>::infinity();
  const ComponentVerdicts verdicts =
      judge_components(found.explained_variance, found.noise_edge, {}, largest);
  ComponentEstimate estimate;
  estimate.variance = verdicts.variance;
  estimate.low = (found.explained_variance.array() - reach).cwiseMax(0.0);
  estimate.high = (found.explained_variance.array() + reach).cwiseMin(largest);
  estimate.noise_edge = found.noise_edge;
  estimate.below_noise = verdicts.below_noise;
  estimate.clipped = verdicts.clipped;
  estimate.loadings = std::move(found.loadings);
  return estimate;
}

PairwiseCovariance noisy_covariance(const PairwiseGram& gram, const Vector& scales, NoiseLaw law) {
  const MomentEstimate estimate = covariance(gram);
  PairwiseCovariance result;
  for (Eigen::Index i = 0; i < gram.columns(); ++i) {
    const std::string& own = gram.names[static_cast<std::size_t>(i)];
    if (!gram.has_pair(i, i)) {
      result.refused.push_back(own);
      continue;
    }
    for (Eigen::Index j = 0; j < i; ++j) {
      if (gram.has_pair(j, j) && !gram.has_pair(i, j)) {
        result.refused.push_back(gram.names[static_cast<std::size_t>(j)] + ", " + own);
      }
    }
  }
  NoisyCovariance& noisy = result.covariance;
  noisy.raw = without_gaps(estimate.value);
  noisy.entry_sd = without_gaps(estimate.standard_error);
  for (Eigen::Index i = 0; i < gram.columns(); ++i) {
    if (!gram.has_pair(i, i)) {  // pairs of a column without a variance say nothing
      noisy.raw.row(i).setZero();
      noisy.raw.col(i).setZero();
    }
  }
  noisy.mean = without_gaps(estimate.mean);
  noisy.scaled_mean = noisy.mean.cwiseQuotient(scales);
  noisy.count = std::max(1.0, gram.rows());
  noisy.scales = scales;
  noisy.variance_sd = noisy.entry_sd.diagonal();
  noisy.noise.law = law;
  noisy.reach = noise_reach(noisy.entry_sd, law);
  return result;
}

}  // namespace eigenveil
