#include "eigenveil/privacy/conversion.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/bisection.hpp"
#include "privacy/loss_rules.hpp"
#include "privacy/normal_tail.hpp"
#include "privacy/renyi_bounds.hpp"
#include "privacy/trade_off_curve.hpp"

namespace eigenveil {
namespace {

using detail::enclose_down;
using detail::enclose_up;
using detail::kInfinity;
using detail::round_up;
using detail::Wide;

struct DeltaAt {
  double epsilon;

  double operator()(const PureDp& loss) const { return (*this)(ApproxDp{loss.epsilon, 0.0}); }
  double operator()(const ApproxDp& loss) const {
    if (epsilon >= loss.epsilon) {
      return loss.delta;
    }
    // Randomised response below its own epsilon: (e^eps0 - e^eps) / (1 + e^eps0).
    const Wide gap = Wide(epsilon) - Wide(loss.epsilon);
    const Wide response = -expm1(gap) / (1 + exp(-Wide(loss.epsilon)));
    return std::min(1.0, enclose_up(Wide(loss.delta) + (1 - Wide(loss.delta)) * response));
  }
  double operator()(const Zcdp& loss) const {
    return loss.rho == 0.0 ? 0.0 : detail::renyi_delta(detail::renyi_bound_of(loss), epsilon);
  }
  double operator()(const GaussianDp& loss) const {
    return detail::gaussian_delta(loss.mu, epsilon);
  }
  double operator()(const RenyiCurve& loss) const {
    return detail::renyi_delta(detail::renyi_bound_of(loss), epsilon);
  }
  double operator()(const TradeOffCurve& loss) const { return detail::curve_delta(loss, epsilon); }
};

/// Smallest epsilon whose certified delta is small enough; infinite when none below 1e300 is.
double epsilon_by_bisection(const Loss& loss, double delta) {
  const auto passes = [&](double epsilon) { return std::visit(DeltaAt{epsilon}, loss) <= delta; };
  if (passes(0.0)) {
    return 0.0;
  }
  double failing = 0.0;
  double passing = 0x1p-60;
  while (!passes(passing)) {
    failing = passing;
    passing *= 2.0;
    if (passing >= 1e300) {
      return kInfinity;
    }
  }
  return detail::first_passing(failing, passing, passes);
}

struct EpsilonAt {
  double delta;

  double operator()(const PureDp& loss) const { return (*this)(ApproxDp{loss.epsilon, 0.0}); }
  double operator()(const ApproxDp& loss) const {
    if (delta < loss.delta) {
      return kInfinity;
    }
    // Solve delta0 + (1 - delta0) (e^eps0 - e^eps)/(1 + e^eps0) = delta for eps.
    const Wide share = (Wide(delta) - Wide(loss.delta)) / (1 - Wide(loss.delta));
    const Wide removed = share * (1 + exp(-Wide(loss.epsilon)));
    if (removed >= 1) {
      return 0.0;
    }
    const Wide shift = log1p(-removed);
    const Wide value = Wide(loss.epsilon) + shift + abs(shift) * detail::wide_slack();
    return std::max(0.0, round_up(value));
  }
  double operator()(const Zcdp& loss) const {
    return loss.rho == 0.0 ? 0.0 : detail::renyi_epsilon(detail::renyi_bound_of(loss), delta);
  }
  double operator()(const GaussianDp& loss) const {
    if (loss.mu == 0.0) {
      return 0.0;
    }
    return delta > 0.0 ? epsilon_by_bisection(loss, delta) : kInfinity;
  }
  double operator()(const RenyiCurve& loss) const {
    return detail::renyi_epsilon(detail::renyi_bound_of(loss), delta);
  }
  double operator()(const TradeOffCurve& loss) const {
    const bool out_of_reach = detail::curve_delta(loss, kInfinity) > delta;
    return out_of_reach ? kInfinity : epsilon_by_bisection(loss, delta);
  }
};

struct TradeOffAt {
  double type_one;

  double operator()(const PureDp& loss) const { return (*this)(ApproxDp{loss.epsilon, 0.0}); }
  double operator()(const ApproxDp& loss) const {
    const Wide accepted = 1 - Wide(loss.delta);
    // Products with the exponential carry its error; the sum is exact to 1e-49 of its largest term.
    const Wide growth = exp(Wide(loss.epsilon)) * Wide(type_one) * (1 + detail::wide_slack());
    const Wide steep = accepted - growth;
    const Wide shallow = exp(-Wide(loss.epsilon)) * (accepted - Wide(type_one));
    const Wide best = std::max(steep, shallow);
    return best > 0 ? std::max(0.0, enclose_down(best)) : 0.0;
  }
  double operator()(const Zcdp& loss) const {
    if (loss.rho == 0.0) {
      return std::max(0.0, down(1.0 - type_one));
    }
    return detail::renyi_trade_off(detail::renyi_bound_of(loss), type_one);
  }
  double operator()(const GaussianDp& loss) const {
    return detail::gaussian_trade_off(loss.mu, type_one);
  }
  double operator()(const RenyiCurve& loss) const {
    return detail::renyi_trade_off(detail::renyi_bound_of(loss), type_one);
  }
  double operator()(const TradeOffCurve& loss) const {
    return detail::curve_trade_off(loss, type_one);
  }
};

struct RenyiAt {
  double order;

  double operator()(const PureDp& loss) const {
    const Wide moment = detail::randomised_response_moment(Wide(loss.epsilon), Wide(order));
    return std::min(loss.epsilon, enclose_up(moment / (Wide(order) - 1)));
  }
  double operator()(const ApproxDp& loss) const {
    return loss.delta == 0.0 ? (*this)(PureDp{loss.epsilon}) : kInfinity;
  }
  double operator()(const Zcdp& loss) const { return round_up(Wide(order) * Wide(loss.rho)); }
  double operator()(const GaussianDp& loss) const {
    return round_up(Wide(order) * Wide(loss.mu) * Wide(loss.mu) / 2);
  }
  double operator()(const RenyiCurve& loss) const {
    return detail::interpolated_divergence(loss, order);
  }
  double operator()(const TradeOffCurve& loss) const { return detail::curve_renyi(loss, order); }
};

}  // namespace

double delta_at(const Loss& loss, double epsilon) {
  if (!detail::is_well_formed(loss) || !(epsilon >= 0.0)) {
    return 1.0;
  }
  if (std::isinf(epsilon)) {
    // Only a delta or a curve that starts below one leaves mass at an infinite loss.
    const bool keeps_mass =
        std::holds_alternative<ApproxDp>(loss) || std::holds_alternative<TradeOffCurve>(loss);
    return keeps_mass ? std::visit(DeltaAt{std::numeric_limits<double>::max()}, loss) : 0.0;
  }
  return std::visit(DeltaAt{epsilon}, loss);
}

double epsilon_at(const Loss& loss, double delta) {
  if (!detail::is_well_formed(loss) || !(delta >= 0.0)) {
    return kInfinity;
  }
  return delta >= 1.0 ? 0.0 : std::visit(EpsilonAt{delta}, loss);
}

double trade_off(const Loss& loss, double type_one) {
  if (!detail::is_well_formed(loss) || !(type_one <= 1.0)) {
    return 0.0;
  }
  return std::visit(TradeOffAt{std::max(0.0, type_one)}, loss);
}

double renyi_divergence(const Loss& loss, double order) {
  if (!detail::is_well_formed(loss) || !(order > 1.0) || std::isinf(order)) {
    if (std::isinf(order) && std::holds_alternative<PureDp>(loss)) {
      return std::get<PureDp>(loss).epsilon;
    }
    return kInfinity;
  }
  return std::visit(RenyiAt{order}, loss);
}

double zcdp_epsilon(double rho, double delta) {
  return epsilon_at(Zcdp{rho}, delta);
}

Zcdp pure_zcdp(double epsilon) {
  return {enclose_up(Wide(epsilon) * tanh(Wide(epsilon) / 2))};
}

GaussianDp pure_gdp(double epsilon) {
  if (epsilon == 0.0) {
    return {0.0};
  }
  if (epsilon > 700.0) {
    return {kInfinity};
  }
  // 1/(1 + e^eps) rounded down moves the quantile up; near 1/2 the quantile is as small as epsilon,
  // so its error is bounded against epsilon.
  const Wide kink = (1 - detail::wide_slack() * Wide(epsilon)) / (1 + exp(Wide(epsilon)));
  const Wide quantile = detail::lower_quantile(kink);
  return {round_up(2 * quantile + 16 * (1 + abs(quantile)) * detail::wide_slack())};
}

Zcdp bounded_range_zcdp(double epsilon) {
  return {round_up(Wide(epsilon) * Wide(epsilon) / 8)};
}

}  // namespace eigenveil
