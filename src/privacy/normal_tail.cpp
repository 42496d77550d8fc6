#include "privacy/normal_tail.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>

namespace eigenveil::detail {
namespace {

/// Beyond this point both tails are below the smallest double (Phi(-39) < 1e-332).
constexpr double kUnderflowPoint = 39.0;

const Wide& half_log_two_pi() {
  static const Wide kValue = log(2 * boost::math::constants::pi<Wide>()) / 2;
  return kValue;
}

Wide normal_density(const Wide& t) {
  return exp(-t * t / 2 - half_log_two_pi());
}

/// M(t) = sqrt(pi/2) e^{t^2/2} - sum t^{2k+1}/(2k+1)!!; all terms of the sum are positive, and for
/// t < 5 the difference costs at most seven digits.
Wide mills_by_series(const Wide& t) {
  const Wide square = t * t;
  Wide term = t;
  Wide sum = t;
  for (int k = 3; term > sum * Wide(1e-51); k += 2) {
    term = term * square / k;
    sum += term;
  }
  static const Wide kRootHalfPi = sqrt(boost::math::constants::pi<Wide>() / 2);
  return kRootHalfPi * exp(square / 2) - sum;
}

/// Laplace: M(t) = 1/(t + 1/(t + 2/(t + 3/(t + ...)))), cut after `depth` levels.
Wide mills_convergent(const Wide& t, int depth) {
  Wide tail = t;
  for (int k = depth; k >= 1; --k) {
    tail = t + k / tail;
  }
  return 1 / tail;
}

/// Neighbouring convergents of a continued fraction with positive terms enclose its value, so their
/// difference is a certificate and not an estimate.
Wide mills_by_fraction(const Wide& t) {
  int depth = 40 + static_cast<int>(1400.0 / static_cast<double>(t * t));
  Wide shallow = mills_convergent(t, depth);
  Wide deep = mills_convergent(t, depth + 1);
  while (abs(deep - shallow) > deep * wide_slack() / 4) {
    depth *= 2;
    shallow = mills_convergent(t, depth);
    deep = mills_convergent(t, depth + 1);
  }
  return deep;
}

}  // namespace

Wide mills_ratio(const Wide& t) {
  if (t < 0) {
    return 1 / normal_density(t) - mills_ratio(-t);
  }
  return t < 5 ? mills_by_series(t) : mills_by_fraction(t);
}

Wide upper_tail(const Wide& t) {
  if (t < 0) {
    return 1 - upper_tail(-t);
  }
  return normal_density(t) * mills_ratio(t);
}

Wide lower_quantile(const Wide& probability) {
  using DoublePolicy = boost::math::policies::policy<
      boost::math::policies::promote_double<false>,
      boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;
  Wide z = std::sqrt(2.0) *
           boost::math::erfc_inv(2.0 * static_cast<double>(probability), DoublePolicy());
  // Newton on log Phi(-z), which is concave and nearly quadratic: 15 digits become 30, then 60.
  for (int step = 0; step < 3; ++step) {
    z += log(upper_tail(z) / probability) * upper_tail(z) / normal_density(z);
  }
  Wide margin = (1 + abs(z)) * wide_slack();
  while (upper_tail(z) * (1 - 2 * wide_slack()) < probability) {
    z -= margin;
    margin *= 2;
  }
  return z;
}

double gaussian_delta(double mu, double epsilon) {
  if (!(mu > 0.0)) {
    return mu == 0.0 ? 0.0 : 1.0;
  }
  const Wide ratio = Wide(epsilon) / Wide(mu);
  const Wide x = ratio - Wide(mu) / 2;
  const Wide y = ratio + Wide(mu) / 2;
  if (!(x < kUnderflowPoint)) {
    return std::numeric_limits<double>::denorm_min();
  }
  if (x < -kUnderflowPoint) {
    return 1.0;
  }
  // delta = phi(x) (M(x) - M(y)), because e^eps phi(y) = phi(x).
  const Wide at_x = mills_ratio(x);
  const Wide at_y = y > 1e4 ? Wide(0) : mills_ratio(y);
  const Wide difference = at_x - at_y + at_x * wide_slack() * 2;
  // M is convex, so M(x) - M(y) <= -mu M'(x) = mu (1 - x M(x)): the sharper bound when mu is tiny.
  const Wide tangent = Wide(mu) * (1 - x * at_x + abs(x) * at_x * wide_slack() * 2);
  const Wide bound = normal_density(x) * std::min(difference, tangent);
  return std::min(1.0, enclose_up(bound));
}

double gaussian_trade_off(double mu, double type_one) {
  if (type_one <= 0.0) {
    return 1.0;
  }
  if (type_one >= 1.0 || !(mu < 1e3)) {
    return 0.0;
  }
  const Wide threshold = lower_quantile(Wide(type_one)) - Wide(mu);
  // Phi(threshold); the quantile's own margin moves the value by less than one slack times 1e3.
  const Wide value = upper_tail(-threshold);
  return std::max(0.0, round_down(value * (1 - 4 * wide_slack())));
}

}  // namespace eigenveil::detail
