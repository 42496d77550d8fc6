#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "eigenveil/core/symmetric_eigen.hpp"
#include "eigenveil/mechanism/released_gram.hpp"

namespace eigenveil {
namespace {

Result<Eigen::Index> position(const ReleasedGram& gram, const std::string& name) {
  const auto found = std::find(gram.names.begin(), gram.names.end(), name);
  if (found == gram.names.end()) {
    return bad_request(fmt::format("the release has no column '{}'; it has {}", name,
                                   fmt::join(gram.names, ", ")));
  }
  return found - gram.names.begin();
}

/// The parts of a release that a regression of y on x uses.
struct Parts {
  std::vector<Eigen::Index> x;
  Eigen::Index y = 0;
  Matrix gram_x;  ///< noise-corrected
  Vector gram_xy;
  double gram_y = 0.0;
  Vector noise_x;  ///< variance of the noise on a cell; zero when the Gram was noised
  double noise_y = 0.0;
};

Result<Parts> parts_of(const ReleasedGram& gram, const RegressionRequest& request) {
  Parts parts;
  const Result<Eigen::Index> y = position(gram, request.response);
  if (!y) {
    return error_of(y);
  }
  parts.y = *y;
  for (const std::string& name : request.predictors) {
    const Result<Eigen::Index> x = position(gram, name);
    if (!x) {
      return error_of(x);
    }
    if (*x == parts.y || std::count(parts.x.begin(), parts.x.end(), *x) > 0) {
      return bad_request(fmt::format("'{}' is named twice", name));
    }
    parts.x.push_back(*x);
  }
  if (parts.x.empty()) {
    return bad_request("name at least one predictor");
  }
  if (gram.rows <= static_cast<double>(parts.x.size()) + 1.0) {
    return bad_request("there are too few rows for this many predictors");
  }
  const Matrix corrected = gram.corrected();
  parts.gram_x = corrected(parts.x, parts.x);
  parts.gram_xy = Vector(corrected.col(parts.y))(parts.x);
  parts.gram_y = corrected(parts.y, parts.y);
  parts.noise_x = Vector::Zero(static_cast<Eigen::Index>(parts.x.size()));
  if (gram.masked()) {
    parts.noise_x = Vector(gram.cell_sd.cwiseAbs2())(parts.x);
    parts.noise_y = gram.cell_sd[parts.y] * gram.cell_sd[parts.y];
  }
  return parts;
}

/// Variance of v'Ev, E the noise of the predictors' Gram.
double direction_variance(const ReleasedGram& gram, const Parts& parts, const Vector& v) {
  const Vector v2 = v.cwiseAbs2();
  if (gram.masked()) {
    const double a = v2.dot(parts.noise_x);
    return 4.0 * a * std::max(0.0, v.dot(parts.gram_x * v)) + 2.0 * gram.rows * a * a;
  }
  const Matrix square = gram.entry_sd(parts.x, parts.x).cwiseAbs2();
  return 2.0 * v2.dot(square * v2) - square.diagonal().dot(v2.cwiseAbs2());
}

/// The smallest eigenvalue, columns brought to one scale, must stand clear of its noise: otherwise
/// the inverse is noise, and so would be every interval.
Result<void> check_signal(const ReleasedGram& gram, const Parts& parts, double ridge) {
  constexpr double kDeviations = 4.0;
  const Vector size =
      (parts.gram_x.diagonal() + gram.rows * parts.noise_x).cwiseMax(1e-300).cwiseSqrt();
  const Vector inverse = size.cwiseInverse();
  Matrix scaled = inverse.asDiagonal() * parts.gram_x * inverse.asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  for (Eigen::Index k = 0; k < eigen.values.size(); ++k) {
    const Vector direction = inverse.cwiseProduct(eigen.vectors.col(k));
    const double sd = std::sqrt(std::max(0.0, direction_variance(gram, parts, direction)));
    const double helped = eigen.values[k] + gram.rows * ridge * direction.squaredNorm();
    if (!(helped > kDeviations * sd) || !(helped > 1e-12)) {
      return bad_request(
          "after correcting for the noise no signal is left in some direction of the predictors, "
          "so coefficients would be noise: use fewer predictors, --ridge, more rows or more "
          "budget");
    }
  }
  return {};
}

/// Covariance of the score M_xy - M_xx beta about zero (docs/proofs/masking.md, "Estimates").
Matrix score_covariance(const ReleasedGram& gram, const Parts& parts, const Vector& beta,
                        double residual_variance, CoefficientTarget target) {
  const double n = gram.rows;
  const bool population = target == CoefficientTarget::Population;
  if (gram.masked()) {
    const Vector shifted = parts.noise_x.cwiseProduct(beta);
    const double cells = parts.noise_y + beta.dot(shifted);
    const double total = residual_variance + cells;
    Matrix covariance = (population ? total : cells) * parts.gram_x;
    covariance.diagonal() += n * total * parts.noise_x;
    return covariance + n * shifted * shifted.transpose();
  }
  const Matrix square = gram.entry_sd.cwiseAbs2();
  Matrix covariance = square(parts.x, parts.x);
  const Vector row_sums = covariance * beta.cwiseAbs2();
  covariance = beta.asDiagonal() * covariance * beta.asDiagonal();
  for (Eigen::Index i = 0; i < beta.size(); ++i) {
    covariance(i, i) = square(parts.x[static_cast<std::size_t>(i)], parts.y) + row_sums[i];
  }
  return population ? Matrix(covariance + residual_variance * parts.gram_x) : covariance;
}

Vector ridge_solution(const Matrix& gram_x, const Vector& gram_xy, double penalty) {
  Matrix penalised = gram_x;
  penalised.diagonal().array() += penalty;
  return penalised.ldlt().solve(gram_xy);
}

}  // namespace

Result<Regression> regress(const ReleasedGram& gram, const RegressionRequest& request) {
  const Result<Parts> found = parts_of(gram, request);
  if (!found) {
    return error_of(found);
  }
  const Parts& parts = *found;
  if (const Result<void> signal = check_signal(gram, parts, request.ridge); !signal) {
    return error_of(signal);
  }
  const double n = gram.rows;
  const auto k = static_cast<double>(parts.x.size());
  const double penalty = n * request.ridge;
  Regression result;
  result.names = request.predictors;
  result.coefficients = ridge_solution(parts.gram_x, parts.gram_xy, penalty);
  const Vector& beta = result.coefficients;
  const double squares =
      parts.gram_y - 2.0 * beta.dot(parts.gram_xy) + beta.dot(parts.gram_x * beta);
  // (n / (n - k)) belongs to the residual with noise, which is what least squares made small.
  const double cells = parts.noise_y + beta.cwiseAbs2().dot(parts.noise_x);
  const double residual_variance = std::max(0.0, (squares + n * cells) / (n - k) - cells);
  result.residual_sd = std::sqrt(residual_variance);
  Matrix penalised = parts.gram_x;
  penalised.diagonal().array() += penalty;
  const Matrix inverse = penalised.ldlt().solve(Matrix::Identity(beta.size(), beta.size()));
  const Matrix covariance = inverse *
                            score_covariance(gram, parts, beta, residual_variance, request.target) *
                            inverse.transpose();
  result.standard_errors = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  const double t = boost::math::quantile(
      boost::math::complement(boost::math::students_t(n - k), (1.0 - request.level) / 2.0));
  result.low = beta - t * result.standard_errors;
  result.high = beta + t * result.standard_errors;
  Matrix noisy = parts.gram_x;
  noisy.diagonal() += n * parts.noise_x;
  result.uncorrected = ridge_solution(noisy, parts.gram_xy, penalty);
  return result;
}

}  // namespace eigenveil
