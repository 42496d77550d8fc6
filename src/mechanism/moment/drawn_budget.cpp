#include "mechanism/moment/drawn_budget.hpp"

#include <algorithm>
#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "privacy/bounded_range.hpp"

namespace eigenveil {
namespace {

constexpr int kUlps = 4;

/// A share of a budget, rounded down; nothing and everything stay what they are.
double part_of(double whole, double share) {
  return share > 0.0 && share < 1.0 ? std::max(0.0, down(share * whole)) : share * whole;
}
double times(double size, double loss) {
  return loss > 0.0 ? up(size * loss) : 0.0;
}

double rho_of(const PerRowLoss& beside) {
  if (const auto* pure = std::get_if<PureDp>(&beside)) {
    return pure_zcdp(pure->epsilon).rho;
  }
  const double mu = std::get<GaussianDp>(beside).mu;
  return up(mu * mu) / 2.0;
}

double group_mu_of(const PerRowLoss& beside, double size) {
  const auto* pure = std::get_if<PureDp>(&beside);
  return pure != nullptr ? pure_gdp(times(size, pure->epsilon)).mu
                         : up(size * std::get<GaussianDp>(beside).mu);
}

/// What a part of rho or mu buys of noise, for one row of the group.
PerRowLoss noise_for(const Budget& part, double size) {
  return GaussianDp{down(gaussian_budget(part)->mu / size)};
}

/// Both parts of a budget that adds up: rho, or mu².
template <class Part>
DrawnBudget divide(const Part& measured, const Part& drawn, double share, double size) {
  DrawnBudget result;
  result.directions = PureDp{share < 1.0 ? down(range_for(drawn) / size) : 0.0};
  result.beside = share > 0.0 ? noise_for(measured, size) : PerRowLoss(PureDp{0.0});
  return result;
}

struct Divide {
  double size;
  double share;

  DrawnBudget operator()(const Zcdp& budget) const {
    const double measured = part_of(budget.rho, share);
    return divide(Zcdp{measured}, Zcdp{down(budget.rho - measured)}, share, size);
  }
  DrawnBudget operator()(const GaussianDp& budget) const {
    const double measured = share < 1.0 ? down(budget.mu * std::sqrt(share), kUlps) : budget.mu;
    const double drawn = down(budget.mu * std::sqrt(1.0 - share), kUlps);
    return divide(GaussianDp{measured}, GaussianDp{drawn}, share, size);
  }
  DrawnBudget operator()(const PureDp& per_row) const {
    const double measured = part_of(per_row.epsilon, share);
    DrawnBudget result;
    result.directions = PureDp{share < 1.0 ? down(per_row.epsilon - measured) : 0.0};
    result.beside = PureDp{measured};
    return result;
  }
};

void add_composed(DrawnBudget& divided, double size) {
  divided.rho_per_row = {
      up(bounded_range_zcdp(divided.directions.epsilon).rho + rho_of(divided.beside))};
  const double drawn = bounded_range_gdp(times(size, divided.directions.epsilon)).mu;
  const double measured = group_mu_of(divided.beside, size);
  divided.mu = {up(std::sqrt(up(up(drawn * drawn) + up(measured * measured))), kUlps)};
}

}  // namespace

std::vector<Loss> DrawnBudget::further_losses() const {
  return std::isfinite(mu.mu) ? std::vector<Loss>{mu} : std::vector<Loss>{};
}

Result<DrawnBudget> divide_drawn_budget(const Budget& budget, int group_size, double share) {
  const Result<Budget> checked = budget_per_row(budget, group_size);  // refuses bad numbers
  if (!checked) {
    return error_of(checked);
  }
  const double size = group_size;
  const Divide rule{size, share};
  DrawnBudget divided;
  if (const auto* rho = std::get_if<Zcdp>(&budget)) {
    divided = rule(*rho);
    divided.whole = *rho;
  } else if (const auto* mu = std::get_if<GaussianDp>(&budget)) {
    divided = rule(*mu);
    divided.whole = *mu;
  } else {
    const Result<PureDp> per_row = pure_budget_per_row(budget, group_size);
    if (!per_row) {
      return error_of(per_row);
    }
    const Result<Loss> whole = group_loss(*per_row, group_size);
    if (!whole) {
      return error_of(whole);
    }
    divided = rule(*per_row);
    divided.whole = *whole;
  }
  add_composed(divided, size);
  return divided;
}

}  // namespace eigenveil
