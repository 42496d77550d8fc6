#include "mechanism/sharp/sharp_privacy.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace eigenveil {
namespace {

double square(double value) {
  return value * value;
}

}  // namespace

EmpiricalHilbert::EmpiricalHilbert(const Vector& eigenvalues, Eigen::Index components)
    : bulk_(eigenvalues.tail(eigenvalues.size() - components)),
      dimension_(static_cast<double>(eigenvalues.size())) {}

double EmpiricalHilbert::value(double at) const {
  return (at - bulk_.array()).inverse().sum() / dimension_;
}

double EmpiricalHilbert::derivative(double at) const {
  return -kernel(at, at);
}

double EmpiricalHilbert::second_derivative(double at) const {
  return 2.0 * (at - bulk_.array()).cube().inverse().sum() / dimension_;
}

double EmpiricalHilbert::kernel(double first, double second) const {
  return ((first - bulk_.array()) * (second - bulk_.array())).inverse().sum() / dimension_;
}

Result<SharpPrivacy> SharpPrivacy::make(Vector eigenvalues, double rows, Eigen::Index components,
                                        double norm_share) {
  if (components < 1 || components >= eigenvalues.size()) {
    return bad_request("sharp privacy needs 1 <= k < p: at least one direction must stay behind");
  }
  if (!(rows >= 1.0) || !(norm_share > 0.0) || !(norm_share <= 1.0)) {
    return bad_request("sharp privacy needs at least one row and a row norm of at most sqrt(p)");
  }
  if (!eigenvalues.allFinite() ||
      !std::is_sorted(eigenvalues.begin(), eigenvalues.end(), std::greater<>())) {
    return bad_request("the eigenvalues must be finite and given largest first");
  }
  if (!(eigenvalues[components - 1] > eigenvalues[components])) {
    return bad_request(
        "sharp privacy needs a gap behind component k; these eigenvalues tie there, choose "
        "another k");
  }
  return SharpPrivacy(std::move(eigenvalues), rows, components, norm_share);
}

SharpPrivacy::SharpPrivacy(Vector eigenvalues, double rows, Eigen::Index components,
                           double norm_share)
    : eigenvalues_(std::move(eigenvalues)),
      rows_(rows),
      components_(components),
      norm_share_(norm_share),
      hilbert_(eigenvalues_, components),
      thresholds_(components) {
  for (Eigen::Index i = 0; i < components; ++i) {
    thresholds_[i] = hilbert_.value(lambda(i));
  }
}

double SharpPrivacy::theta() const {
  return rows_ / std::pow(dimension(), 1.5);
}
double SharpPrivacy::gap() const {
  return lambda(components_ - 1) - lambda(components_);
}
double SharpPrivacy::threshold() const {
  return thresholds_[components_ - 1];
}
double SharpPrivacy::slope() const {
  return hilbert_.derivative(lambda(components_ - 1));
}
double SharpPrivacy::mu_min() const {
  return norm_share_ * std::sqrt(-slope() / 2.0) / theta();
}
double SharpPrivacy::plateau_end() const {
  return threshold() - gap() * slope();
}

std::optional<double> SharpPrivacy::mu(double beta) const {
  const double y = beta - threshold();
  if (!(y > 0.0)) {
    return std::nullopt;
  }
  if (beta <= plateau_end()) {
    return mu_min();
  }
  return norm_share_ * y / (theta() * std::sqrt(2.0 * gap() * (2.0 * y + gap() * slope())));
}

std::optional<double> SharpPrivacy::beta(double target_mu) const {
  const double w2 = square(target_mu / norm_share_);
  const double plateau2 = square(mu_min() / norm_share_);
  if (!(w2 >= plateau2)) {
    return std::nullopt;
  }
  return 2.0 * square(theta()) * gap() * (w2 + std::sqrt(w2 * (w2 - plateau2))) + threshold();
}

double SharpPrivacy::worst_case_epsilon(double beta) const {
  return norm_share_ * square(dimension()) * beta / (2.0 * rows_);
}
double SharpPrivacy::published_epsilon(double beta) const {
  return 2.0 * worst_case_epsilon(beta);
}

double SharpPrivacy::error_operator2(double beta) const {
  return beta > threshold() ? threshold() / beta : 1.0;
}

double SharpPrivacy::error_frobenius2(double beta) const {
  double error = 0.0;
  for (const double at : thresholds_) {
    error += beta > at ? at / beta : 1.0;
  }
  return 2.0 * error;
}

double SharpPrivacy::renyi(double beta, double order) const {
  const std::optional<double> at = mu(beta);
  return at ? order * square(*at) / 2.0 : std::numeric_limits<double>::infinity();
}

double SharpPrivacy::worst_case_weight(double beta) const {
  const double y = beta - threshold();
  return beta <= plateau_end() ? 1.0 : y / (2.0 * y + gap() * slope());
}

double SharpPrivacy::ratio_variance(double beta, const Matrix& perturbation) const {
  assert(perturbation.rows() == eigenvalues_.size() && perturbation.cols() == eigenvalues_.size());
  double variance = 0.0;
  for (Eigen::Index j = 0; j < components_; ++j) {
    for (Eigen::Index l = 0; l < components_; ++l) {
      variance += 0.5 * hilbert_.kernel(lambda(j), lambda(l)) * square(perturbation(j, l));
    }
    for (Eigen::Index i = components_; i < eigenvalues_.size(); ++i) {
      variance += (beta - thresholds_[j]) / (lambda(j) - lambda(i)) * square(perturbation(i, j));
    }
  }
  return variance;
}

double SharpPrivacy::spherical_integral_rate(double beta) const {
  double rate = 0.0;
  for (Eigen::Index j = 0; j < components_; ++j) {
    const double logs =
        (lambda(j) - eigenvalues_.tail(eigenvalues_.size() - components_).array()).log().sum();
    rate += 0.5 * (beta * lambda(j) - 1.0 - std::log(beta) - logs / dimension());
  }
  return rate;
}

}  // namespace eigenveil
