#include <cmath>

#include "core/distributions.hpp"
#include "core/outward.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "mechanism/mask/mask_calibration.hpp"

namespace eigenveil {
namespace {

/// Beyond this Boost's quantile takes long or gives up; Birge's tail bound is off by less than the
/// printed digits there.
constexpr double kLargestDegrees = 1e7;

/// Upper delta-quantile of the non-central chi-square, or an upper bound on it: Birge (2001),
/// P(w >= d + c + 2 sqrt((d + 2c) x) + 2x) <= e^-x.
double upper_quantile(double delta, double degrees, double noncentrality) {
  if (degrees <= kLargestDegrees && noncentrality <= kLargestDegrees) {
    return non_central_chi_squared_upper_quantile(degrees, noncentrality, delta);
  }
  const double x = -std::log(delta);
  return degrees + noncentrality + 2.0 * std::sqrt((degrees + 2.0 * noncentrality) * x) + 2.0 * x;
}

struct Condition {
  double linear;    ///< L
  double constant;  ///< B
  double degrees;   ///< 2 (n - p)
  double square_norm;
};

/// g falls with s (the quantile falls with R^2/s^2, -s^2 epsilon falls), so its root is unique.
double root_of(const Condition& condition, const ApproxDp& target) {
  const auto excess = [&](double s) {
    const double q =
        upper_quantile(target.delta, condition.degrees, condition.square_norm / (s * s));
    return condition.linear / condition.degrees * q + condition.constant - s * s * target.epsilon;
  };
  double high = std::sqrt((condition.linear + condition.constant) / target.epsilon);
  while (excess(high) > 0.0) {
    high *= 1.5;
  }
  double low = high / 2.0;
  while (excess(low) <= 0.0) {
    high = low;
    low /= 2.0;
  }
  while (high > low * (1.0 + 1e-11)) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0.0 ? low : high) = middle;
  }
  return high * (1.0 + 1e-10);
}

Result<void> check(std::int64_t rows, std::int64_t dimension, const ApproxDp& target) {
  if (dimension < 1 || rows <= dimension || rows > kLargestMaskRows) {
    return bad_request("masking needs more rows than columns in every block");
  }
  return check_budget(target).map([](const Budget&) {});
}

}  // namespace

Result<double> general_mask_noise(const MaskShape& shape, double change, const ApproxDp& target) {
  if (!(shape.row_norm > 0.0) || !(change > 0.0)) {
    return bad_request("the norm of a row and its largest change must be positive");
  }
  const double r = shape.row_norm;
  return check(shape.rows, shape.dimension, target).map([&] {
    return root_of({std::min(2.0 * r * change, r * r), std::min(r * change, r * r / 2.0),
                    2.0 * static_cast<double>(shape.rows - shape.dimension), r * r},
                   target);
  });
}

Result<double> published_mask_noise(std::int64_t rows, std::int64_t dimension,
                                    const ApproxDp& target) {
  const auto p = static_cast<double>(dimension);
  return check(rows, dimension, target).map([&] {
    return root_of(
        {2.0 * std::sqrt(p) + 1.0, std::sqrt(p), 2.0 * static_cast<double>(rows - dimension), p},
        target);
  });
}

Result<double> relaxed_mask_noise(std::int64_t rows, std::int64_t dimension,
                                  const ApproxDp& target) {
  if (!(target.epsilon < 1.0)) {
    return bad_request("Corollary 3.5 is only stated for {epsilon} below 1");
  }
  const auto n = static_cast<double>(rows);
  const auto p = static_cast<double>(dimension);
  return check(rows, dimension, target).map([&] {
    return up(std::sqrt((2.0 * n - p - std::log(target.delta)) / (2.0 * (n - p))) * 3.0 *
                  std::sqrt(std::sqrt(p)) / std::sqrt(target.epsilon),
              8);
  });
}

UnmaskedNoise unmasked_noise(double change, const ApproxDp& target) {
  const double q = normal_upper_quantile(target.delta);
  const double root = std::sqrt(-std::log(target.delta));
  UnmaskedNoise noise;
  noise.necessary = change * q / target.epsilon;
  noise.sufficient = change * q / target.epsilon * (1.0 + 1.0 / (2.0 * q * q));
  noise.analytic = up(change / gaussian_mu_for(target));
  noise.corollary_necessary = change * root / target.epsilon;
  noise.corollary_sufficient = change * 1.7 * root / target.epsilon;
  return noise;
}

}  // namespace eigenveil
