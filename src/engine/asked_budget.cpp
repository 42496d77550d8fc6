#include "engine/asked_budget.hpp"

namespace eigenveil {

Result<Budget> asked_budget(const BudgetNumbers& given) {
  const auto& [epsilon, delta, rho, mu] = given;
  const int notions = (epsilon ? 1 : 0) + (rho ? 1 : 0) + (mu ? 1 : 0);
  if (notions == 0) {
    return bad_request(
        delta ? "{delta} needs {epsilon} beside it"
              : "a privacy budget is missing. It decides how much one person can show in the "
                "result, so it has no default. Give exactly one of {epsilon E} (pure), {epsilon E} "
                "{delta D}, {rho R}, or {mu M}; {epsilon 1} {delta 1e-6} is a common start",
        "epsilon");
  }
  if (notions > 1 || (delta && !epsilon)) {
    return bad_request(
        "give exactly one budget: {epsilon E}, {epsilon E} {delta D}, {rho R}, or {mu M}",
        "epsilon");
  }
  if (epsilon) {
    return check_budget(delta ? Budget(ApproxDp{*epsilon, *delta}) : Budget(PureDp{*epsilon}));
  }
  return check_budget(rho ? Budget(Zcdp{*rho}) : Budget(GaussianDp{*mu}));
}

}  // namespace eigenveil
