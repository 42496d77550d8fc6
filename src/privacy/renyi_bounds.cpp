#include "privacy/renyi_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/bisection.hpp"

namespace eigenveil::detail {
namespace {

/// Minimises over the usable orders. Any order gives a valid bound, so a missed minimum costs
/// tightness and never privacy: a scan over log s finds the valley, golden sections descend it.
template <class Objective>
double best_excess_order(const RenyiBound& bound, Objective&& objective) {
  double best = 1.0;
  double best_value = kInfinity;
  const auto consider = [&](double excess) {
    const double value = objective(excess);
    if (value < best_value) {
      best_value = value;
      best = excess;
    }
    return value;
  };
  if (!bound.excess_orders.empty()) {
    best = bound.excess_orders.front();
    std::for_each(bound.excess_orders.begin(), bound.excess_orders.end(), consider);
    return best;
  }
  constexpr double kStep = 0.5;
  for (double log_excess = -45.0; log_excess <= 90.0; log_excess += kStep) {
    consider(std::exp(log_excess));
  }
  constexpr double kGolden = 0.6180339887498949;
  double low = std::log(best) - kStep;
  double high = std::log(best) + kStep;
  for (int section = 0; section < 40; ++section) {
    const double left = high - kGolden * (high - low);
    const double right = low + kGolden * (high - low);
    if (consider(std::exp(left)) <= consider(std::exp(right))) {
      high = right;
    } else {
      low = left;
    }
  }
  return best;
}

/// TV <= sqrt(KL/2) (Pinsker) and TV <= sqrt(1 - e^-KL) (Bretagnolle, Huber); KL is at most the
/// divergence of any order above 1.
double total_variation_bound(const RenyiBound& bound) {
  const Wide smallest = bound.excess_orders.empty() ? Wide(0) : Wide(bound.excess_orders.front());
  const Wide divergence = bound.certified(smallest);
  const Wide huber = -expm1(-divergence) * (1 + wide_slack());
  return std::min(1.0, root_up(std::min(divergence / 2, huber)));
}

/// log of both sums that decide whether Bernoulli laws (a, 1-b) are within order 1 + s.
template <class Number>
Number log_moment(Number log_p0, Number log_p1, Number log_q0, Number log_q1, const Number& s) {
  const Number first = (1 + s) * log_p0 - s * log_q0;
  const Number second = (1 + s) * log_p1 - s * log_q1;
  const Number larger = std::max(first, second);
  const Number gap = std::min(first, second) - larger;
  using std::exp;
  using std::log1p;
  return larger + log1p(exp(gap));
}

/// `unit` bounds the relative error of one operation on Number; orders near 1 compare moments close
/// to zero, where rounding noise must not look like a broken bound.
template <class Number>
bool breaks_bound(const Number& a, const Number& b, const Number& s, const Number& limit,
                  const Number& unit) {
  using std::log;
  using std::log1p;
  const Number log_a = log(a);
  const Number log_not_a = log1p(-a);
  const Number log_b = log(b);
  const Number log_not_b = log1p(-b);
  const Number noise = 16 * unit * (1 + s) * (1 - log_a - log_not_a - log_b - log_not_b);
  return log_moment(log_not_b, log_b, log_a, log_not_a, s) > limit + noise ||
         log_moment(log_a, log_not_a, log_not_b, log_b, s) > limit + noise;
}

/// Largest b in (0, 1 - a) that breaks the bound at order 1 + s, in doubles: only a candidate.
double candidate_type_two(const RenyiBound& bound, double a, double s) {
  const double limit = s * bound.divergence(s);
  if (!std::isfinite(limit) || !(s > 0.0)) {
    return 0.0;
  }
  return last_passing(0.0, 1.0 - a,
                      [&](double b) { return breaks_bound<double>(a, b, s, limit, 0x1p-53); });
}

}  // namespace

double renyi_delta(const RenyiBound& bound, double epsilon) {
  const double fallback = total_variation_bound(bound);
  // log delta = s (D - eps) - s log(1 + 1/s) - log(1 + s), with order 1 + s.
  const double s = best_excess_order(bound, [&](double excess) {
    return excess * (bound.divergence(excess) - epsilon) - excess * std::log1p(1.0 / excess) -
           std::log1p(excess);
  });
  const Wide wide_s(s);
  const Wide exponent = wide_s * (bound.certified(wide_s) - Wide(epsilon)) -
                        wide_s * log1p(1 / wide_s) - log1p(wide_s);
  if (!(exponent < 0)) {
    return fallback;
  }
  if (exponent < -760) {
    return std::numeric_limits<double>::denorm_min();
  }
  return std::min(fallback, enclose_up(exp(exponent + abs(exponent) * wide_slack())));
}

double renyi_epsilon(const RenyiBound& bound, double delta) {
  if (total_variation_bound(bound) <= delta) {
    return 0.0;
  }
  if (!(delta > 0.0)) {
    return kInfinity;
  }
  const double log_inverse = -std::log(delta);
  const double s = best_excess_order(bound, [&](double excess) {
    return bound.divergence(excess) + (log_inverse - std::log1p(excess)) / excess -
           std::log1p(1.0 / excess);
  });
  const Wide wide_s(s);
  const Wide divergence = bound.certified(wide_s);
  const Wide rest = (-log(Wide(delta)) - log1p(wide_s)) / wide_s - log1p(1 / wide_s);
  const Wide slack = (divergence + abs(rest) + 1) * wide_slack();
  return std::max(0.0, round_up(divergence + rest + slack));
}

double renyi_trade_off(const RenyiBound& bound, double type_one) {
  if (type_one <= 0.0) {
    return 1.0;
  }
  if (type_one >= 1.0) {
    return 0.0;
  }
  const double s = best_excess_order(
      bound, [&](double excess) { return -candidate_type_two(bound, type_one, excess); });
  const double candidate = candidate_type_two(bound, type_one, s);
  const Wide limit = Wide(s) * bound.certified(Wide(s)) * (1 + wide_slack());
  // The candidate came from doubles; step down until 50 digits confirm that it breaks the bound.
  for (double shrink = 1e-15; shrink < 1.0; shrink *= 4.0) {
    const double b = candidate * (1.0 - shrink);
    if (b > 0.0 && breaks_bound<Wide>(Wide(type_one), Wide(b), Wide(s), limit, wide_slack())) {
      return b;
    }
  }
  return 0.0;
}

}  // namespace eigenveil::detail
