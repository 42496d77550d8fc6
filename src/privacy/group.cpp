#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eigenveil/privacy/conversion.hpp"
#include "privacy/loss_rules.hpp"
#include "privacy/trade_off_curve.hpp"

namespace eigenveil {
namespace {

using detail::enclose_up;
using detail::kInfinity;
using detail::round_up;
using detail::Wide;

/// Hoelder: D_order(P||Q) <= (order - 1/p)/(order - 1) D_{p order}(P||R) + D_{q(order - 1/p)}(R||Q)
/// for 1/p + 1/q = 1 (Mironov 2017, Prop. 11). `near` bounds D(.||.) over one row, `far` the rest.
Wide chained_divergence(const RenyiCurve& near, const RenyiCurve& far, double order,
                        double inverse_p) {
  const Wide shifted = Wide(order) - Wide(inverse_p);
  // Orders rounded up: a larger order only has a larger divergence.
  const double first_order = round_up(Wide(order) / Wide(inverse_p));
  const double second_order = round_up(shifted / (1 - Wide(inverse_p)));
  const double first = detail::interpolated_divergence(near, first_order);
  const double second = detail::interpolated_divergence(far, second_order);
  if (std::isinf(first) || std::isinf(second)) {
    return Wide(kInfinity);
  }
  return shifted / (Wide(order) - 1) * Wide(first) + Wide(second);
}

RenyiCurve chain_once(const RenyiCurve& near, const RenyiCurve& far) {
  constexpr int kShares = 64;
  RenyiCurve result;
  for (const double order : near.orders) {
    Wide smallest(kInfinity);
    for (int share = 1; share < kShares; ++share) {
      const double inverse_p = static_cast<double>(share) / kShares;
      smallest = std::min(smallest, chained_divergence(near, far, order, inverse_p));
      smallest = std::min(smallest, chained_divergence(far, near, order, inverse_p));
    }
    if (isfinite(smallest)) {
      result.orders.push_back(order);
      result.divergences.push_back(enclose_up(smallest));
    }
  }
  return result;
}

struct GroupLoss {
  int size;

  Result<Loss> operator()(const PureDp& loss) const {
    return PureDp{round_up(Wide(size) * Wide(loss.epsilon))};
  }
  Result<Loss> operator()(const ApproxDp& loss) const {
    // delta (1 + e^eps + ... + e^{(G-1) eps}).
    const double epsilon = round_up(Wide(size) * Wide(loss.epsilon));
    const Wide factor = loss.epsilon == 0.0
                            ? Wide(size)
                            : expm1(Wide(size) * Wide(loss.epsilon)) / expm1(Wide(loss.epsilon));
    const Wide delta = Wide(loss.delta) * factor;
    // A sum past one says nothing, and an overflowing factor times zero is still zero.
    const bool vacuous = loss.delta > 0.0 && !(delta < 1);
    return ApproxDp{epsilon, vacuous ? 1.0 : loss.delta == 0.0 ? 0.0 : enclose_up(delta)};
  }
  Result<Loss> operator()(const Zcdp& loss) const {
    return Zcdp{round_up(Wide(size) * Wide(size) * Wide(loss.rho))};
  }
  Result<Loss> operator()(const GaussianDp& loss) const {
    return GaussianDp{round_up(Wide(size) * Wide(loss.mu))};
  }
  Result<Loss> operator()(const RenyiCurve& loss) const {
    RenyiCurve result = loss;
    for (int step = 1; step < size; ++step) {
      result = chain_once(loss, result);
      if (result.orders.empty()) {
        return bad_request(
            fmt::format("the Renyi curve lists no orders high enough for groups of {} rows; give "
                        "orders up to about {} times the ones wanted",
                        size, size));
      }
    }
    return result;
  }
  Result<Loss> operator()(const TradeOffCurve& loss) const {
    return detail::group_curve(loss, size);
  }
};

}  // namespace

Result<Loss> group_loss(const Loss& loss, int size) {
  if (size < 1) {
    return bad_request("a group needs at least one row");
  }
  if (!detail::is_well_formed(loss)) {
    return bad_request("the privacy loss has impossible parameters");
  }
  if (size == 1) {
    return loss;
  }
  return std::visit(GroupLoss{size}, loss);
}

Result<Guarantee> to_replace_one(const Guarantee& guarantee) {
  if (guarantee.relation == Relation::ReplaceOne) {
    return guarantee;
  }
  if (guarantee.relation != Relation::AddRemove && guarantee.relation != Relation::ZeroRow) {
    return bad_request(
        fmt::format("a guarantee for {} says nothing about replacing a row by an arbitrary one",
                    name_of(guarantee.relation)));
  }
  // Old row -> no row (or the zero row) -> new row: a group of two.
  const Result<Loss> doubled = group_loss(guarantee.loss, 2);
  if (!doubled) {
    return error_of(doubled);
  }
  Guarantee converted = guarantee;
  converted.relation = Relation::ReplaceOne;
  converted.loss = *doubled;
  return converted;
}

Result<Guarantee> to_relation(const Guarantee& guarantee, Relation target) {
  if (guarantee.relation == target) {
    return guarantee;
  }
  if (target == Relation::ReplaceOne) {
    return to_replace_one(guarantee);
  }
  return bad_request(fmt::format("no rule leads from {} to {}; state the release for {} itself",
                                 name_of(guarantee.relation), name_of(target), name_of(target)));
}

}  // namespace eigenveil
