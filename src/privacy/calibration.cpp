#include "eigenveil/privacy/calibration.hpp"

#include <fmt/format.h>

#include <cmath>

#include "eigenveil/privacy/conversion.hpp"
#include "privacy/bisection.hpp"
#include "privacy/normal_tail.hpp"
#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

using detail::enclose_down;
using detail::round_down;
using detail::Wide;

Result<void> check_positive(double value, std::string_view parameter) {
  if (value > 0.0 && std::isfinite(value)) {
    return {};
  }
  return bad_request(
      fmt::format("{{{}}} must be a positive, finite number; it is {}", parameter, value),
      std::string(parameter));
}

struct BudgetCheck {
  Result<void> operator()(const PureDp& budget) const {
    return check_positive(budget.epsilon, "epsilon");
  }
  Result<void> operator()(const ApproxDp& budget) const {
    if (!(budget.delta > 0.0 && budget.delta < 1.0)) {
      return bad_request(fmt::format("{{delta}} must lie strictly between 0 and 1; it is {} (leave "
                                     "it out for pure epsilon)",
                                     budget.delta),
                         "delta");
    }
    return check_positive(budget.epsilon, "epsilon");
  }
  Result<void> operator()(const Zcdp& budget) const { return check_positive(budget.rho, "rho"); }
  Result<void> operator()(const GaussianDp& budget) const {
    return check_positive(budget.mu, "mu");
  }
};

struct RowBudget {
  int size;

  Budget operator()(const PureDp& budget) const {
    return PureDp{round_down(Wide(budget.epsilon) / size)};
  }
  Budget operator()(const ApproxDp& budget) const {
    return GaussianDp{round_down(Wide(gaussian_mu_for(budget)) / size)};
  }
  Budget operator()(const Zcdp& budget) const {
    return Zcdp{round_down(Wide(budget.rho) / (Wide(size) * size))};
  }
  Budget operator()(const GaussianDp& budget) const {
    return GaussianDp{round_down(Wide(budget.mu) / size)};
  }
};

/// Largest pure epsilon that some other budget allows, by the tight conversion in each case.
struct PureBudget {
  PureDp operator()(const PureDp& budget) const { return budget; }
  PureDp operator()(const ApproxDp& budget) const {
    return largest(
        [&](double epsilon) { return delta_at(PureDp{epsilon}, budget.epsilon) <= budget.delta; });
  }
  PureDp operator()(const Zcdp& budget) const {
    return largest([&](double epsilon) { return pure_zcdp(epsilon).rho <= budget.rho; });
  }
  PureDp operator()(const GaussianDp& budget) const {
    return largest([&](double epsilon) { return pure_gdp(epsilon).mu <= budget.mu; });
  }
  template <class Predicate>
  static PureDp largest(Predicate&& allowed) {
    return {detail::last_passing(0.0, 1e300, allowed)};
  }
};

}  // namespace

Result<Budget> check_budget(const Budget& budget) {
  const Result<void> checked = std::visit(BudgetCheck{}, budget);
  if (!checked) {
    return error_of(checked);
  }
  return budget;
}

Result<Budget> budget_per_row(const Budget& budget, int size) {
  const Result<Budget> checked = check_budget(budget);
  if (!checked) {
    return error_of(checked);
  }
  if (size < 1) {
    return bad_request(fmt::format("{{group_size}} must be at least 1; it is {}", size));
  }
  return size == 1 ? budget : check_budget(std::visit(RowBudget{size}, budget));
}

double gaussian_mu_for(const ApproxDp& target) {
  if (!(target.epsilon >= 0.0) || !(target.delta > 0.0)) {
    return 0.0;
  }
  return detail::last_within(0.0, 1e154, target.delta,
                             [&](double mu) { return detail::gaussian_delta(mu, target.epsilon); });
}

Result<GaussianDp> gaussian_budget(const Budget& budget) {
  const Result<Budget> checked = check_budget(budget);
  if (!checked) {
    return error_of(checked);
  }
  if (const auto* approx = std::get_if<ApproxDp>(&budget)) {
    return GaussianDp{gaussian_mu_for(*approx)};
  }
  if (const auto* zcdp = std::get_if<Zcdp>(&budget)) {
    return GaussianDp{detail::root_down(2 * Wide(zcdp->rho))};
  }
  if (const auto* gaussian = std::get_if<GaussianDp>(&budget)) {
    return *gaussian;
  }
  return bad_request(
      "no Gaussian noise is purely private: add {delta}, or give {rho} or {mu}, or choose a method "
      "for pure epsilon");
}

Result<PureDp> pure_budget(const Budget& budget) {
  const Result<Budget> checked = check_budget(budget);
  if (!checked) {
    return error_of(checked);
  }
  return std::visit(PureBudget{}, budget);
}

Result<PureDp> pure_budget_per_row(const Budget& budget, int size) {
  return pure_budget(budget)
      .and_then([&](PureDp group) { return budget_per_row(group, size); })
      .map([](const Budget& row) { return std::get<PureDp>(row); });
}

Result<GaussianDp> classic_gaussian_budget(const ApproxDp& target) {
  const Result<Budget> checked = check_budget(target);
  if (!checked) {
    return error_of(checked);
  }
  if (!(target.epsilon < 1.0)) {
    return bad_request("the classic Gaussian calibration is only proved for {epsilon} below 1");
  }
  const Wide root = sqrt(2 * log(Wide(1.25) / Wide(target.delta)));
  return GaussianDp{enclose_down(Wide(target.epsilon) / root)};
}

}  // namespace eigenveil
