#pragma once

#include <variant>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// What the user is willing to spend: exactly one of --epsilon, --epsilon --delta, --rho, --mu.
using Budget = std::variant<PureDp, ApproxDp, Zcdp, GaussianDp>;

/// Checks ranges (epsilon, rho, mu positive and finite; 0 < delta < 1) with a message naming the
/// flag.
[[nodiscard]] Result<Budget> check_budget(const Budget& budget);

/// Budget for one row so that groups of `size` rows are protected at `budget`. Exact group privacy:
/// epsilon/G, mu/G, rho/G^2; for (epsilon, delta) the largest mu whose group of G meets it.
[[nodiscard]] Result<Budget> budget_per_row(const Budget& budget, int size);

/// Largest mu such that mu-GDP implies (epsilon, delta)-DP: the analytic Gaussian calibration
/// (Balle, Wang 2018), exact for every epsilon, rounded down.
double gaussian_mu_for(const ApproxDp& target);

/// Largest mu for a budget spent by one Gaussian mechanism: rho -> sqrt(2 rho); pure epsilon is
/// refused, because no Gaussian noise is purely private.
[[nodiscard]] Result<GaussianDp> gaussian_budget(const Budget& budget);

/// Largest pure epsilon for a budget spent by one purely private mechanism (Laplace, exponential):
/// the epsilon whose tight delta, zCDP or GDP conversion meets the budget, rounded down.
[[nodiscard]] Result<PureDp> pure_budget(const Budget& budget);

/// The same for one row, so that groups of `size` rows have `budget`: converted first and divided
/// then, because a group of a pure loss is pure (through mu or rho most of it would be wasted).
[[nodiscard]] Result<PureDp> pure_budget_per_row(const Budget& budget, int size);

/// The textbook sigma = sqrt(2 ln(1.25/delta)) D / epsilon (Dwork, Roth 2014), as mu; proved for
/// epsilon < 1 only. For comparison in plans: gaussian_mu_for is never smaller.
[[nodiscard]] Result<GaussianDp> classic_gaussian_budget(const ApproxDp& target);

}  // namespace eigenveil
