#include "privacy/loss_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "privacy/trade_off_curve.hpp"

namespace eigenveil::detail {
namespace {

bool is_loss_parameter(double value) {
  return value >= 0.0 && std::isfinite(value);
}

struct RangeCheck {
  bool operator()(const PureDp& loss) const { return is_loss_parameter(loss.epsilon); }
  bool operator()(const ApproxDp& loss) const {
    return is_loss_parameter(loss.epsilon) && loss.delta >= 0.0 && loss.delta <= 1.0;
  }
  bool operator()(const Zcdp& loss) const { return is_loss_parameter(loss.rho); }
  bool operator()(const GaussianDp& loss) const { return is_loss_parameter(loss.mu); }
  bool operator()(const RenyiCurve& loss) const {
    if (loss.orders.empty() || loss.orders.size() != loss.divergences.size()) {
      return false;
    }
    double previous = 1.0;
    for (std::size_t i = 0; i < loss.orders.size(); ++i) {
      if (!(loss.orders[i] > previous) || !std::isfinite(loss.orders[i]) ||
          !is_loss_parameter(loss.divergences[i])) {
        return false;
      }
      previous = loss.orders[i];
    }
    return true;
  }
  bool operator()(const TradeOffCurve& loss) const { return is_well_formed(loss); }
};

}  // namespace

bool is_well_formed(const Loss& loss) {
  return std::visit(RangeCheck{}, loss);
}

RenyiBound renyi_bound_of(const Zcdp& loss) {
  const double rho = loss.rho;
  return {[rho](double s) { return (1.0 + s) * rho; },
          [rho](const Wide& s) {
            return s == 0 ? Wide(rho) : (1 + s) * Wide(rho) * (1 + wide_slack());
          },
          {}};
}

RenyiBound renyi_bound_of(const RenyiCurve& loss) {
  std::vector<double> excess;
  for (const double order : loss.orders) {
    // order - 1 rounded down: the divergence listed at `order` also bounds every smaller order.
    const double s = round_down(Wide(order) - 1);
    if (s > 0.0) {
      excess.push_back(s);
    }
  }
  const auto at = [loss](double s) {
    const auto next =
        std::lower_bound(loss.orders.begin(), loss.orders.end(), s,
                         [](double order, double value) { return Wide(order) - 1 < Wide(value); });
    if (next == loss.orders.end()) {
      return kInfinity;
    }
    return loss.divergences[static_cast<std::size_t>(next - loss.orders.begin())];
  };
  return {at, [at](const Wide& s) { return Wide(at(round_up(s))); }, excess};
}

Wide randomised_response_moment(const Wide& epsilon, const Wide& order) {
  // log(cosh((order - 1/2) eps) / cosh(eps/2)), written without cancellation on either side.
  if (order * epsilon > 100) {
    return (order - 1) * epsilon + log1p(exp(-(2 * order - 1) * epsilon)) - log1p(exp(-epsilon));
  }
  return log1p(2 * sinh(order * epsilon / 2) * sinh((order - 1) * epsilon / 2) / cosh(epsilon / 2));
}

double interpolated_divergence(const RenyiCurve& curve, double order) {
  const auto next = std::lower_bound(curve.orders.begin(), curve.orders.end(), order);
  if (next == curve.orders.end()) {
    return kInfinity;
  }
  const auto i = static_cast<std::size_t>(next - curve.orders.begin());
  const double monotone = curve.divergences[i];
  if (i == 0 || *next == order) {
    return monotone;
  }
  const Wide left = (Wide(curve.orders[i - 1]) - 1) * Wide(curve.divergences[i - 1]);
  const Wide right = (Wide(curve.orders[i]) - 1) * Wide(curve.divergences[i]);
  const Wide share = (Wide(order) - Wide(curve.orders[i - 1])) /
                     (Wide(curve.orders[i]) - Wide(curve.orders[i - 1]));
  const Wide moment = left + share * (right - left);
  return std::min(monotone, enclose_up(moment / (Wide(order) - 1)));
}

}  // namespace eigenveil::detail
