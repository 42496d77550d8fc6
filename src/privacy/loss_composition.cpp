#include "privacy/loss_composition.hpp"

#include <algorithm>
#include <cmath>

#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "privacy/hockey_stick.hpp"
#include "privacy/loss_rules.hpp"
#include "privacy/privacy_loss_distribution.hpp"
#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

using detail::round_up;
using detail::Wide;

template <class Kind>
bool is(const Loss& loss) {
  return std::holds_alternative<Kind>(loss);
}

template <class... Kinds>
bool all_are(const std::vector<Loss>& losses) {
  return std::all_of(losses.begin(), losses.end(),
                     [](const Loss& loss) { return (is<Kinds>(loss) || ...); });
}

template <class... Kinds>
bool any_is(const std::vector<Loss>& losses) {
  return std::any_of(losses.begin(), losses.end(),
                     [](const Loss& loss) { return (is<Kinds>(loss) || ...); });
}

template <class Kind, class Field>
Wide sum_of(const std::vector<Loss>& losses, Field&& field) {
  Wide sum = 0;
  for (const Loss& loss : losses) {
    if (const auto* kind = std::get_if<Kind>(&loss)) {
      sum += field(*kind);
    }
  }
  return sum;
}

Wide total_epsilon(const std::vector<Loss>& losses) {
  return sum_of<PureDp>(losses, [](const PureDp& loss) { return Wide(loss.epsilon); }) +
         sum_of<ApproxDp>(losses, [](const ApproxDp& loss) { return Wide(loss.epsilon); });
}
Wide total_delta(const std::vector<Loss>& losses) {
  return sum_of<ApproxDp>(losses, [](const ApproxDp& loss) { return Wide(loss.delta); });
}
Wide total_rho(const std::vector<Loss>& losses) {
  return sum_of<Zcdp>(losses, [](const Zcdp& loss) { return Wide(loss.rho); });
}
Wide total_square_mu(const std::vector<Loss>& losses) {
  return sum_of<GaussianDp>(losses,
                            [](const GaussianDp& loss) { return Wide(loss.mu) * Wide(loss.mu); });
}

/// Orders that every listed curve covers; without a listed curve a geometric grid from 1 + 2^-6 to
/// 1 + 2^20, four per octave.
std::vector<double> common_orders(const std::vector<Loss>& losses) {
  std::vector<double> orders;
  double last = detail::kInfinity;
  for (const Loss& loss : losses) {
    if (const auto* curve = std::get_if<RenyiCurve>(&loss)) {
      orders.insert(orders.end(), curve->orders.begin(), curve->orders.end());
      last = std::min(last, curve->orders.back());
    }
  }
  if (orders.empty()) {
    for (int quarter = -24; quarter <= 80; ++quarter) {
      orders.push_back(1.0 + std::exp2(quarter / 4.0));
    }
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  std::erase_if(orders, [&](double order) { return order > last; });
  return orders;
}

Loss add_renyi(const std::vector<Loss>& losses) {
  RenyiCurve total;
  for (const double order : common_orders(losses)) {
    Wide sum = 0;
    for (const Loss& loss : losses) {
      sum += Wide(renyi_divergence(loss, order));
    }
    total.orders.push_back(order);
    total.divergences.push_back(round_up(sum));
  }
  return total;
}

/// Grid for the numerical rule: about a thousand cells up to the largest loss, more when a much
/// smaller loss would otherwise fall into a few cells. A power of two.
double common_step(const std::vector<Loss>& losses) {
  double largest = 0.0;
  double smallest = detail::kInfinity;
  for (const Loss& loss : losses) {
    const double floor = delta_at(loss, detail::kInfinity);
    const double top = epsilon_at(loss, std::min(1.0, floor + PrivacyLossDistribution::kTailMass));
    largest = std::max(largest, top);
    smallest = top > 0.0 ? std::min(smallest, top) : smallest;
  }
  const double wanted = std::max(largest / 8192.0, std::min(largest / 1024.0, smallest / 128.0));
  return wanted > 0.0 && std::isfinite(wanted) ? std::exp2(std::floor(std::log2(wanted))) : 0x1p-10;
}

Result<Loss> add_numerically(const std::vector<Loss>& losses) {
  const double step = common_step(losses);
  Result<PrivacyLossDistribution> total = PrivacyLossDistribution::from_masses(step, 0, {1.0}, 0.0);
  for (const Loss& loss : losses) {
    const Result<PrivacyLossDistribution> next = PrivacyLossDistribution::of(loss, step);
    if (!next) {
      return error_of(next);
    }
    total = total->compose(*next);
    if (!total) {
      return error_of(total);
    }
  }
  return total->trade_off_curve();
}

/// One entry per kind that adds in closed form; curves stay as they are.
std::vector<Loss> summed_by_kind(const std::vector<Loss>& losses) {
  std::vector<Loss> summed;
  if (any_is<ApproxDp>(losses)) {
    summed.push_back(
        ApproxDp{round_up(total_epsilon(losses)), std::min(1.0, round_up(total_delta(losses)))});
  } else if (any_is<PureDp>(losses)) {
    summed.push_back(PureDp{round_up(total_epsilon(losses))});
  }
  if (any_is<GaussianDp>(losses)) {
    summed.push_back(GaussianDp{detail::root_up(total_square_mu(losses))});
  }
  std::vector<Loss> renyi;
  if (any_is<Zcdp>(losses)) {
    renyi.push_back(Zcdp{round_up(total_rho(losses))});
  }
  for (const Loss& loss : losses) {
    if (is<RenyiCurve>(loss)) {
      renyi.push_back(loss);
    }
    if (is<TradeOffCurve>(loss)) {
      summed.push_back(loss);
    }
  }
  if (renyi.size() > 1) {
    renyi = {add_renyi(renyi)};
  }
  summed.insert(summed.end(), renyi.begin(), renyi.end());
  return summed;
}

Result<void> check_losses(const std::vector<Loss>& losses) {
  const bool fine = std::all_of(losses.begin(), losses.end(),
                                [](const Loss& loss) { return detail::is_well_formed(loss); });
  if (!fine) {
    return bad_request("a privacy loss has impossible parameters");
  }
  return {};
}

}  // namespace

Result<Loss> compose_losses(const std::vector<Loss>& losses) {
  const Result<void> checked = check_losses(losses);
  if (!checked) {
    return error_of(checked);
  }
  if (losses.empty()) {
    return PureDp{0.0};
  }
  if (losses.size() == 1) {
    return losses.front();
  }
  if (any_is<Zcdp>(losses) && all_are<Zcdp, GaussianDp>(losses)) {
    return Zcdp{round_up(total_rho(losses) + total_square_mu(losses) / 2)};
  }
  const std::vector<Loss> summed = summed_by_kind(losses);
  if (summed.size() == 1 && !is<TradeOffCurve>(summed.front())) {
    return summed.front();
  }
  // Pure and Gaussian releases have exact loss distributions; zCDP and Renyi releases do not, and
  // with them the sum of divergences is what is known.
  if (any_is<Zcdp, RenyiCurve>(summed) && all_are<PureDp, GaussianDp, Zcdp, RenyiCurve>(summed)) {
    return add_renyi(summed);
  }
  return add_numerically(summed);
}

namespace detail {
namespace {

template <class Kind, class Field>
double largest_of(const std::vector<Loss>& losses, Field&& field) {
  double largest = 0.0;
  for (const Loss& loss : losses) {
    if (const auto* kind = std::get_if<Kind>(&loss)) {
      largest = std::max(largest, field(*kind));
    }
  }
  return largest;
}

Loss largest_renyi(const std::vector<Loss>& losses) {
  RenyiCurve largest;
  for (const double order : common_orders(losses)) {
    double divergence = 0.0;
    for (const Loss& loss : losses) {
      divergence = std::max(divergence, renyi_divergence(loss, order));
    }
    largest.orders.push_back(order);
    largest.divergences.push_back(divergence);
  }
  return largest;
}

Loss largest_curve(const std::vector<Loss>& losses) {
  constexpr int kLines = 512;
  double top = 0.0;
  for (const Loss& loss : losses) {
    const double floor = delta_at(loss, kInfinity);
    top =
        std::max(top, epsilon_at(loss, std::min(1.0, floor + PrivacyLossDistribution::kTailMass)));
  }
  std::vector<DeltaPoint> points;
  for (int i = 0; i <= kLines; ++i) {
    DeltaPoint point{top * i / kLines, 0.0};
    for (const Loss& loss : losses) {
      point.delta = std::max(point.delta, delta_at(loss, point.epsilon));
    }
    points.push_back(point);
  }
  return curve_through(points);
}

}  // namespace

Result<Loss> largest_loss(const std::vector<Loss>& losses) {
  const Result<void> checked = check_losses(losses);
  if (!checked) {
    return error_of(checked);
  }
  if (all_are<PureDp>(losses)) {
    return PureDp{largest_of<PureDp>(losses, [](const PureDp& loss) { return loss.epsilon; })};
  }
  if (all_are<GaussianDp>(losses)) {
    return GaussianDp{
        largest_of<GaussianDp>(losses, [](const GaussianDp& loss) { return loss.mu; })};
  }
  if (all_are<PureDp, ApproxDp>(losses)) {
    return ApproxDp{
        std::max(largest_of<PureDp>(losses, [](const PureDp& loss) { return loss.epsilon; }),
                 largest_of<ApproxDp>(losses, [](const ApproxDp& loss) { return loss.epsilon; })),
        largest_of<ApproxDp>(losses, [](const ApproxDp& loss) { return loss.delta; })};
  }
  if (all_are<Zcdp, GaussianDp>(losses)) {
    const double mu =
        largest_of<GaussianDp>(losses, [](const GaussianDp& loss) { return loss.mu; });
    return Zcdp{std::max(largest_of<Zcdp>(losses, [](const Zcdp& loss) { return loss.rho; }),
                         round_up(Wide(mu) * Wide(mu) / 2))};
  }
  if (all_are<PureDp, GaussianDp, Zcdp, RenyiCurve>(losses) && any_is<Zcdp, RenyiCurve>(losses)) {
    return largest_renyi(losses);
  }
  return largest_curve(losses);
}

}  // namespace detail
}  // namespace eigenveil
