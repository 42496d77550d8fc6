#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/decompositions.hpp"
#include "core/distributions.hpp"
#include "core/parameter_names.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/mask/released_gram.hpp"

namespace eigenveil {
namespace {

constexpr const char* kNoSignal =
    "after correcting for the noise no signal is left in some direction of the predictors, so "
    "coefficients would be noise: use fewer predictors (of indicators that add up to the intercept "
    "leave one out), {ridge}, more rows or more budget";

Result<Eigen::Index> position(const ReleasedGram& gram, const std::string& name) {
  const auto found = std::find(gram.names.begin(), gram.names.end(), name);
  if (found == gram.names.end()) {
    return bad_request(fmt::format("the release has no column '{}'; it has {}", shown(name),
                                   fmt::join(shown(gram.names), ", ")));
  }
  return found - gram.names.begin();
}

/// At least so many independent rows of equal weight would sample as well (Kish's number of rows,
/// from below).
double independent_rows(const ReleasedGram& gram) {
  return gram.rows / gram.sampling_factor();
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
  Vector penalty;  ///< ridge, for sums over rows; the intercept goes free
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
      return bad_request(fmt::format("'{}' is named twice", shown(name)));
    }
    parts.x.push_back(*x);
  }
  if (parts.x.empty()) {
    return bad_request("name at least one predictor");
  }
  const bool population = request.target == CoefficientTarget::Population;
  const double rows = population ? independent_rows(gram) : gram.rows;
  if (rows <= static_cast<double>(parts.x.size()) + 1.0) {
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
  parts.penalty = Vector::Constant(parts.noise_x.size(), gram.rows * request.ridge);
  for (std::size_t i = 0; i < parts.x.size(); ++i) {
    if (gram.intercept && parts.x[i] == 0) {
      parts.penalty[static_cast<Eigen::Index>(i)] = 0.0;
    }
  }
  return parts;
}

/// A direction of the predictors among all columns.
Vector among_all(const ReleasedGram& gram, const Parts& parts, const Vector& v) {
  Vector direction = Vector::Zero(gram.products.rows());
  direction(parts.x) = v;
  return direction;
}

/// The smallest eigenvalue, columns brought to one scale, in deviations of its noise; 0 where there
/// is nothing to invert.
double weakest_signal(const ReleasedGram& gram, const Parts& parts) {
  const Vector size =
      (parts.gram_x.diagonal() + gram.rows * parts.noise_x).cwiseMax(1e-300).cwiseSqrt();
  const Vector inverse = size.cwiseInverse();
  Matrix scaled = inverse.asDiagonal() * parts.gram_x * inverse.asDiagonal();
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  double weakest = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < eigen.values.size(); ++k) {
    const Vector direction = inverse.cwiseProduct(eigen.vectors.col(k));
    const double sd =
        std::sqrt(std::max(0.0, direction_variance(gram, among_all(gram, parts, direction))));
    const double helped = eigen.values[k] + parts.penalty.dot(direction.cwiseAbs2());
    if (!(helped > 1e-12)) {
      return 0.0;
    }
    weakest = std::min(weakest, helped / sd);
  }
  return weakest;
}

/// Otherwise the inverse is noise, and so would be every interval.
Result<void> check_signal(const ReleasedGram& gram, const Parts& parts) {
  if (!(weakest_signal(gram, parts) > kLeastSignal)) {
    return bad_request(kNoSignal);
  }
  return {};
}

/// Covariance of the score M_xy - (M_xx + penalty) beta at the true beta, t^2 A + B(beta), t^2
/// the residual variance (docs/proofs/masking.md, "Estimates"). A is the part below.
Matrix residual_part(const ReleasedGram& gram, const Parts& parts, CoefficientTarget target) {
  Matrix part = Matrix::Zero(parts.gram_x.rows(), parts.gram_x.cols());
  if (target == CoefficientTarget::Population) {
    part = gram.sampling_factor() * parts.gram_x;
  }
  part.diagonal() += gram.rows * parts.noise_x;
  return part;
}

/// B, for noise on cells and for noise on the entries of the Gram.
Matrix noise_part(const ReleasedGram& gram, const Parts& parts, const Vector& beta) {
  if (gram.masked()) {
    const Vector shifted = parts.noise_x.cwiseProduct(beta);
    const double cells = parts.noise_y + beta.dot(shifted);
    Matrix covariance = cells * parts.gram_x;
    covariance.diagonal() += gram.rows * cells * parts.noise_x;
    covariance += gram.rows * shifted * shifted.transpose();
    const Vector pulled = parts.penalty.cwiseProduct(beta);
    return covariance - pulled * shifted.transpose() - shifted * pulled.transpose();
  }
  const Matrix square = gram.entry_sd.cwiseAbs2();
  Matrix covariance = square(parts.x, parts.x);
  const Vector row_sums = covariance * beta.cwiseAbs2();
  covariance = beta.asDiagonal() * covariance * beta.asDiagonal();
  for (Eigen::Index i = 0; i < beta.size(); ++i) {
    covariance(i, i) = square(parts.x[static_cast<std::size_t>(i)], parts.y) + row_sums[i];
  }
  return covariance;
}

/// The normal equations with what their noise is made of.
struct Equations {
  Matrix inverse;  ///< (M_xx + penalty)^-1
  Vector beta;
  Matrix residual_part;
  double residual_variance = 0.0;
  double residual_degrees = 0.0;  ///< what its sum of squares was divided by
  CoefficientTarget target;

  Matrix score_covariance(const ReleasedGram& gram, const Parts& parts, const Vector& at) const {
    Matrix covariance = residual_variance * residual_part + noise_part(gram, parts, at);
    if (target == CoefficientTarget::Population) {  // normal x: the penalty leaves x'e a mean
      const Vector pulled = parts.penalty.cwiseProduct(at);
      covariance += pulled * pulled.transpose() / independent_rows(gram);
    }
    return covariance;
  }
};

/// Solves, and estimates the residual variance: least squares makes the squares smaller than at the
/// true beta by u'(M_xx)^-1 u on average, u the score.
Result<Equations> solve(const ReleasedGram& gram, const Parts& parts, CoefficientTarget target) {
  Equations found;
  Matrix penalised = parts.gram_x;
  penalised.diagonal() += parts.penalty;
  found.inverse =
      detail::solve_symmetric(penalised, Matrix::Identity(penalised.rows(), penalised.cols()));
  found.beta = found.inverse * parts.gram_xy;
  found.residual_part = residual_part(gram, parts, target);
  found.target = target;
  const double squares = parts.gram_y - 2.0 * found.beta.dot(parts.gram_xy) +
                         found.beta.dot(parts.gram_x * found.beta);
  const double lost = found.inverse.cwiseProduct(noise_part(gram, parts, found.beta)).sum();
  found.residual_degrees = gram.rows - found.inverse.cwiseProduct(found.residual_part).sum();
  if (!(found.residual_degrees > 0.0)) {
    return bad_request(kNoSignal);
  }
  found.residual_variance = std::max(0.0, (squares + std::max(0.0, lost)) / found.residual_degrees);
  return found;
}

/// Degrees of freedom of the estimated variance of a score about the population (Satterthwaite):
/// V = t^2 w'Aw + known, and the estimate of t^2 varies with the rows and with the noise of the
/// Gram. A t^2 below its own deviation is not told from it, so the formula is read there.
double score_degrees(const ReleasedGram& gram, const Parts& parts, const Equations& equations,
                     const Vector& w) {
  const double of_rows = independent_rows(gram) - static_cast<double>(equations.beta.size());
  const double factor = gram.sampling_factor();
  const double weight = w.dot(equations.residual_part * w);
  if (!(weight > 0.0)) {  // only where a penalty props up the predictors
    return of_rows;
  }
  Vector residual = among_all(gram, parts, -equations.beta);
  residual[parts.y] = 1.0;
  const double of_noise = direction_variance(gram, residual);
  const auto variance_at = [&](double t2) {
    return (2.0 * t2 * t2 * factor * factor * of_rows + of_noise) /
           (equations.residual_degrees * equations.residual_degrees);
  };
  const double found = equations.residual_variance;
  const double t2 = std::max(found, std::sqrt(variance_at(found)));
  const double variance =
      w.dot(equations.score_covariance(gram, parts, equations.beta) * w) + (t2 - found) * weight;
  const double degrees = 2.0 * variance * variance / (weight * weight * variance_at(t2));
  return degrees > 0.0 ? std::min(of_rows, degrees) : of_rows;  // 0/0 without noise or residuals
}

/// About the raw rows the noise has a known variance; about the population it is estimated.
double quantile_of(const ReleasedGram& gram, const Parts& parts, const Equations& equations,
                   const Vector& direction, double tail) {
  if (equations.target == CoefficientTarget::RawData) {
    return normal_upper_quantile(tail);
  }
  return students_t_upper_quantile(score_degrees(gram, parts, equations, direction), tail);
}

/// All values of a'beta that a test of its score does not refute (Fieller): the noise on the
/// predictors enters with the value under test, so the interval need not be symmetric.
/// D |x| <= quantile sqrt(q(x)), x the distance from the estimate, q a quadratic. One coefficient
/// is a unit vector a; the intercept in original units is another combination.
struct Interval {
  double low;
  double high;
  double standard_error;
};
Result<Interval> interval_of(const ReleasedGram& gram, const Parts& parts,
                             const Equations& equations, const Vector& a, double tail) {
  const double scale = 1.0 / a.dot(equations.inverse * a);
  const Vector direction = scale * (equations.inverse * a);
  const double quantile = quantile_of(gram, parts, equations, direction, tail);
  const auto variance = [&](double x) {
    const Vector at = equations.beta + x * direction;
    return direction.dot(equations.score_covariance(gram, parts, at) * direction);
  };
  const double q0 = std::max(0.0, variance(0.0));
  const double step = std::max(std::sqrt(q0) / std::abs(scale), 1e-300);
  const double right = variance(step);
  const double left = variance(-step);
  const double q1 = (right - left) / (2.0 * step);
  const double q2 = (right + left - 2.0 * q0) / (2.0 * step * step);
  const double c = quantile * quantile;
  const double curvature = scale * scale - c * q2;
  if (!(curvature > 0.0) || !(scale > 0.0)) {
    return bad_request(kNoSignal);
  }
  const double middle = c * q1 / (2.0 * curvature);
  const double half = std::sqrt(middle * middle + c * q0 / curvature);
  const double found = a.dot(equations.beta);
  return Interval{found + middle - half, found + middle + half, std::sqrt(q0) / scale};
}

/// Coefficients as they are reported: column j holds the combination a of coefficient j, to which
/// shift[j] is added. Columns x' = x - c give y' = b0' + b x', so b0 = b0' + c_y - b c.
struct Reported {
  Matrix combinations;
  Vector shift;
  bool original_intercept = false;
};
Reported reported(const ReleasedGram& gram, const Parts& parts) {
  const auto k = static_cast<Eigen::Index>(parts.x.size());
  Reported result{Matrix::Identity(k, k), Vector::Zero(k)};
  const auto constant = std::find(parts.x.begin(), parts.x.end(), Eigen::Index{0});
  if (!gram.intercept || constant == parts.x.end() || gram.midpoints.size() == 0) {
    return result;
  }
  const Eigen::Index j = constant - parts.x.begin();
  result.combinations.col(j) -= Vector(gram.midpoints(parts.x));  // that of the constant is 0
  result.shift[j] = gram.midpoints[parts.y];
  result.original_intercept = true;
  return result;
}

Result<Regression> fit(const ReleasedGram& gram, const RegressionRequest& request) {
  const Result<Parts> parts = parts_of(gram, request);
  if (!parts) {
    return error_of(parts);
  }
  if (const Result<void> signal = check_signal(gram, *parts); !signal) {
    return error_of(signal);
  }
  const double n = gram.rows;
  const Result<Equations> solved = solve(gram, *parts, request.target);
  if (!solved) {
    return error_of(solved);
  }
  const Eigen::Index k = solved->beta.size();
  Regression result;
  result.names = request.predictors;
  const Reported shown = reported(gram, *parts);
  result.original_intercept = shown.original_intercept;
  result.coefficients = shown.combinations.transpose() * solved->beta + shown.shift;
  result.standard_errors = result.low = result.high = Vector(k);
  for (Eigen::Index j = 0; j < k; ++j) {
    const Result<Interval> interval =
        interval_of(gram, *parts, *solved, shown.combinations.col(j), (1.0 - request.level) / 2.0);
    if (!interval) {
      return error_of(interval);
    }
    result.standard_errors[j] = interval->standard_error;
    result.low[j] = interval->low + shown.shift[j];
    result.high[j] = interval->high + shown.shift[j];
  }
  const Matrix spread = solved->inverse * shown.combinations;
  result.covariance =
      spread.transpose() * solved->score_covariance(gram, *parts, solved->beta) * spread;
  ReleasedGram independent = gram;  // an estimate, not a limit: degrees of rows as they are
  independent.weight_bound = independent.rows_together = 1.0;
  const Result<Equations> population = solve(independent, *parts, CoefficientTarget::Population);
  result.residual_sd = std::sqrt((population ? *population : *solved).residual_variance);
  Matrix noisy = parts->gram_x;
  noisy.diagonal() += n * parts->noise_x + parts->penalty;
  const Vector uncorrected = detail::solve_symmetric(noisy, parts->gram_xy);
  result.uncorrected = shown.combinations.transpose() * uncorrected + shown.shift;
  return result;
}

}  // namespace

Result<Regression> regress(const ReleasedGram& gram, const RegressionRequest& request) {
  const auto& named = request.predictors;
  if (!gram.centered || std::count(named.begin(), named.end(), kInterceptColumn) > 0) {
    return fit(gram, request);
  }
  RegressionRequest about_mean = request;
  about_mean.predictors.insert(about_mean.predictors.begin(), kInterceptColumn);
  return fit(gram, about_mean).map([](Regression found) {
    found.original_intercept = false;
    found.names.erase(found.names.begin());
    for (Vector* values : {&found.coefficients, &found.standard_errors, &found.low, &found.high,
                           &found.uncorrected}) {
      *values = Vector(values->tail(values->size() - 1));
    }
    const Eigen::Index k = found.coefficients.size();
    found.covariance = Matrix(found.covariance.bottomRightCorner(k, k));
    return found;
  });
}

Result<PredictedRegression> predict_regression(const ReleasedGram& assumed,
                                               const RegressionRequest& request) {
  const Result<Parts> parts = parts_of(assumed, request);
  if (!parts) {
    return error_of(parts);
  }
  ReleasedGram exact = assumed;  // whose residuals no noise has made smaller
  exact.entry_sd.setZero();
  return solve(exact, *parts, CoefficientTarget::Population).map([&](const Equations& solved) {
    const auto errors = [&](const Matrix& of_score) -> Vector {
      return (solved.inverse * of_score * solved.inverse).diagonal().cwiseMax(0.0).cwiseSqrt();
    };
    return PredictedRegression{
        solved.beta, errors(noise_part(assumed, *parts, solved.beta)),
        errors(solved.residual_variance *
               residual_part(assumed, *parts, CoefficientTarget::Population)),
        weakest_signal(assumed, *parts)};
  });
}

std::string measured_from(const ReleasedGram& gram, const Regression& fit) {
  if (fit.original_intercept) {
    return "zero";
  }
  const bool named = std::count(fit.names.begin(), fit.names.end(), kInterceptColumn) > 0;
  if (gram.centered && !named) {
    return "private mean";
  }
  return gram.from_midpoints ? "public midpoints" : "zero";
}

}  // namespace eigenveil
