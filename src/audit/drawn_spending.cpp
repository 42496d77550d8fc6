#include "audit/drawn_spending.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/distributions.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "privacy/bounded_range.hpp"

namespace eigenveil {
namespace {

/// Ranges beyond it announce as surely as they can.
constexpr double kLargestMu = 30.0;

/// Of bounded_range_gdp, in closed form: for laws, which are asked for often and claim nothing.
double range_near(double mu) {
  return 2.0 * std::log(normal_cdf(0.5 * mu) / normal_cdf(-0.5 * mu));
}

}  // namespace

Result<SpendingUnit> SpendingUnit::of(const Budget& budget) {
  if (const auto* pure = std::get_if<PureDp>(&budget)) {
    return SpendingUnit(Kind::Pure, pure->epsilon);
  }
  if (const auto* rho = std::get_if<Zcdp>(&budget)) {
    return SpendingUnit(Kind::Rho, rho->rho);
  }
  if (const auto* gaussian = std::get_if<GaussianDp>(&budget)) {
    return SpendingUnit(Kind::Mu, gaussian->mu);
  }
  return bad_request("this audit attacks pure epsilon, rho or mu: a draw has no delta");
}

Budget SpendingUnit::budget(double amount) const {
  switch (kind_) {
    case Kind::Rho:
      return Zcdp{amount};
    case Kind::Mu:
      return GaussianDp{amount};
    default:
      return PureDp{amount};
  }
}

Loss SpendingUnit::loss(double amount) const {
  return std::visit([](const auto& budget) -> Loss { return budget; }, budget(amount));
}

double SpendingUnit::total(const Spending& spent) const {
  return mu() ? std::hypot(spent.directions, spent.inside) : spent.directions + spent.inside;
}

double SpendingUnit::share(const Spending& spent) const {
  const double part = spent.inside / total(spent);
  return mu() ? part * part : part;
}

Spending SpendingUnit::divide(double share) const {
  return mu() ? Spending{whole_ * std::sqrt(1.0 - share), whole_ * std::sqrt(share)}
              : Spending{whole_ * (1.0 - share), whole_ * share};
}

double SpendingUnit::range(double directions) const {
  switch (kind_) {
    case Kind::Rho:
      return range_for(Zcdp{directions});
    case Kind::Mu:
      return range_for(GaussianDp{directions});
    default:
      return directions;
  }
}

double SpendingUnit::for_range(double range) const {
  switch (kind_) {
    case Kind::Rho:
      return bounded_range_zcdp(range).rho;
    case Kind::Mu:
      return bounded_range_gdp(range).mu;
    default:
      return range;
  }
}

double SpendingUnit::for_noise(double inside, double factor) const {
  return inside * (kind_ == Kind::Rho ? factor * factor : factor);
}

SpendingUnit::Law SpendingUnit::law_of_draw(Law announced, double directions) const {
  if (kind_ != Kind::Mu) {
    return law_of_noise(std::move(announced));
  }
  return [announced = std::move(announced), directions](double factor) {
    return announced(range_near(std::min(kLargestMu, factor * directions)) /
                     range_near(directions));
  };
}

SpendingUnit::Law SpendingUnit::law_of_noise(Law announced) const {
  if (kind_ != Kind::Rho) {
    return announced;
  }
  return [claimed = announced(1.0)](double factor) { return factor * claimed; };
}

}  // namespace eigenveil
