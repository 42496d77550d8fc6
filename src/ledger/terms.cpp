#include "ledger/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "eigenveil/privacy/conversion.hpp"
#include "privacy/normal_tail.hpp"
#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

using detail::enclose_up;
using detail::round_down;
using detail::Wide;

/// Where the promise has no delta to compare with.
constexpr double kDrawsAlone = 1e-6;

struct CapsFor {
  double share;

  LedgerCaps operator()(const PureDp& promise) const { return {0.0, promise.epsilon, 0.0}; }
  LedgerCaps operator()(const ApproxDp& promise) const {
    const double epsilon = round_down(Wide(share) * Wide(promise.epsilon));
    const double delta = round_down(Wide(share) * Wide(promise.delta));
    const ApproxDp rest{round_down(Wide(promise.epsilon) - Wide(epsilon)),
                        round_down(Wide(promise.delta) - Wide(delta))};
    return {gaussian_mu_for(rest), epsilon, delta};
  }
  LedgerCaps operator()(const Zcdp& promise) const {
    return {detail::root_down(2 * Wide(promise.rho)), 0.0, 0.0};
  }
  LedgerCaps operator()(const GaussianDp& promise) const { return {promise.mu, 0.0, 0.0}; }
};

/// delta_GDP at an epsilon of either sign: H_y = 1 - e^y + e^y H_-y for a symmetric pair.
double signed_gaussian_delta(double mu, double epsilon) {
  if (epsilon >= 0.0) {
    return detail::gaussian_delta(mu, epsilon);
  }
  const Wide growth = exp(Wide(epsilon));
  const Wide value = 1 - growth * (1 - Wide(detail::gaussian_delta(mu, -epsilon)));
  return std::min(1.0, enclose_up(value + growth * detail::wide_slack()));
}

/// delta of randomised response with E, leaking with probability D, beside a Gaussian:
/// D + (1 - D) (p delta_GDP(e - E) + (1 - p) delta_GDP(e + E)), p = e^E / (1 + e^E).
double leaky_response_beside_gaussian(const LedgerCaps& caps, double epsilon) {
  // The differences are rounded to the side of the larger delta.
  const double near = down(epsilon - caps.epsilon);
  const double far = down(epsilon + caps.epsilon);
  const Wide high = Wide(signed_gaussian_delta(caps.mu, near));
  const Wide low = Wide(signed_gaussian_delta(caps.mu, far));
  const Wide likely = 1 / (1 + exp(-Wide(caps.epsilon)));
  const Wide inside = likely * high + (1 - likely) * low;
  return std::min(1.0, enclose_up(Wide(caps.delta) + (1 - Wide(caps.delta)) * inside));
}

/// Whether a mu keeps to what is left for it.
struct CapsKeep {
  const LedgerCaps& caps;

  bool operator()(const PureDp& promise) const {
    return !caps.has_gaussian() && caps.delta == 0.0 && caps.epsilon <= promise.epsilon;
  }
  bool operator()(const ApproxDp& promise) const {
    if (!(caps.epsilon <= promise.epsilon)) {
      return false;
    }
    const double rest = round_down(Wide(promise.epsilon) - Wide(caps.epsilon));
    const double gaussian = caps.has_gaussian() ? detail::gaussian_delta(caps.mu, rest) : 0.0;
    return Wide(caps.delta) + Wide(gaussian) <= Wide(promise.delta);
  }
  bool operator()(const Zcdp& promise) const {
    return !caps.has_basic() && Wide(caps.mu) * Wide(caps.mu) <= 2 * Wide(promise.rho);
  }
  bool operator()(const GaussianDp& promise) const {
    return !caps.has_basic() && caps.mu <= promise.mu;
  }
  bool operator()(const RenyiCurve&) const { return false; }
  bool operator()(const TradeOffCurve&) const { return false; }
};

bool is_cap(double value) {
  return value >= 0.0 && std::isfinite(value);
}

}  // namespace

Result<LedgerCaps> check_caps(const LedgerCaps& caps) {
  if (!is_cap(caps.mu) || !is_cap(caps.epsilon) || !(caps.delta >= 0.0 && caps.delta < 1.0) ||
      !(caps.draws >= 0.0 && caps.draws < 1.0)) {
    return bad_request(
        "the caps of a ledger are finite numbers of at least 0, delta and draws below 1");
  }
  if (!caps.has_gaussian() && !caps.has_basic()) {
    return bad_request(
        "a ledger needs a promise: give {epsilon} with {delta}, {epsilon} alone (pure), {mu} or "
        "{rho}");
  }
  if (caps.delta > 0.0 && !caps.has_basic()) {
    return bad_request("a cap on delta needs a cap on epsilon beside it");
  }
  return caps;
}

Result<LedgerCaps> caps_for(const Budget& promise, double basic_share) {
  if (const Result<Budget> checked = check_budget(promise); !checked) {
    return error_of(checked);
  }
  if (!(basic_share >= 0.0 && basic_share <= 1.0)) {
    return bad_request("{basic_share} lies between 0 and 1", "basic_share");
  }
  LedgerCaps caps = std::visit(CapsFor{basic_share}, promise);
  caps.draws = default_draws(std::visit([](const auto& loss) { return Loss(loss); }, promise));
  return check_caps(caps);
}

double default_draws(const Loss& promise) {
  const auto* pair = std::get_if<ApproxDp>(&promise);
  return pair != nullptr ? pair->delta : kDrawsAlone;
}

bool caps_keep(const Loss& promise, const LedgerCaps& caps) {
  return check_caps(caps).has_value() && std::visit(CapsKeep{caps}, promise);
}

double draw_delta(double error, double epsilon) {
  if (error == 0.0) {
    return 0.0;
  }
  return std::min(1.0, enclose_up((1 + exp(Wide(epsilon))) * Wide(error)));
}

double whole_delta(const LedgerCaps& caps, double epsilon) {
  if (!(epsilon >= caps.epsilon)) {
    return 1.0;
  }
  const double rest = round_down(Wide(epsilon) - Wide(caps.epsilon));
  const double gaussian = caps.has_gaussian() ? detail::gaussian_delta(caps.mu, rest) : 0.0;
  const Wide sum = Wide(caps.delta) + Wide(gaussian);
  const bool exact =
      sum - Wide(caps.delta) == Wide(gaussian) && sum - Wide(gaussian) == Wide(caps.delta);
  return std::min(1.0, exact ? detail::round_up(sum) : enclose_up(sum));
}

Loss promise_of(const LedgerCaps& caps) {
  if (!caps.has_basic()) {
    return GaussianDp{caps.mu};
  }
  if (!caps.has_gaussian()) {
    return caps.delta > 0.0 ? Loss(ApproxDp{caps.epsilon, caps.delta}) : Loss(PureDp{caps.epsilon});
  }
  // Something must be left for the Gaussian: as much again, or half of what lies below 1.
  const double delta =
      caps.delta > 0.0 ? std::min(2.0 * caps.delta, 0.5 * (1.0 + caps.delta)) : 1e-6;
  const double rest = round_down(Wide(delta) - Wide(caps.delta));
  const double gaussian = epsilon_at(GaussianDp{caps.mu}, rest);
  return ApproxDp{detail::round_up(Wide(caps.epsilon) + Wide(gaussian)), delta};
}

Loss whole_loss(const LedgerCaps& caps) {
  if (!caps.has_basic() || !caps.has_gaussian()) {
    return promise_of(caps);
  }
  std::vector<ApproxDp> proved;
  // Up to where the Gaussian tail is below 1e-17; the convex minorant joins the points.
  const double last = caps.epsilon + 9.0 * caps.mu + 0.5 * caps.mu * caps.mu;
  constexpr int kPoints = 160;
  for (int i = 0; i <= kPoints; ++i) {
    const double epsilon = last * i / kPoints;
    proved.push_back({epsilon, leaky_response_beside_gaussian(caps, epsilon)});
  }
  return trade_off_curve_of(proved);
}

Loss whole_loss_with_draws(const LedgerCaps& caps) {
  const Loss exact = whole_loss(caps);
  const double mu = caps.mu;
  const double last = caps.epsilon + 9.0 * mu + 0.5 * mu * mu;
  std::vector<ApproxDp> proved;
  constexpr int kPoints = 320;
  for (int i = 0; i <= kPoints; ++i) {
    const double epsilon = last * i / kPoints;
    const Wide sum = Wide(delta_at(exact, epsilon)) + Wide(draw_delta(caps.draws, epsilon));
    proved.push_back({epsilon, std::min(1.0, enclose_up(sum))});
  }
  return trade_off_curve_of(proved);
}

std::string unit_in_words(const LedgerTerms& terms) {
  if (!terms.unit.person.empty()) {
    return fmt::format("one person (all rows with the same {})", terms.unit.person);
  }
  return terms.unit.rows == 1 ? "one row" : fmt::format("{} rows together", terms.unit.rows);
}

std::string promise_in_words(const LedgerTerms& terms) {
  Guarantee whole;
  whole.relation = terms.relation;
  whole.loss = terms.promise;
  whole.basis = Basis::Proved;
  whole.group_size = terms.unit.rows;
  whole.person = terms.unit.person;
  const std::string text = in_words(whole);
  return text.substr(0, text.find(';'));
}

}  // namespace eigenveil
