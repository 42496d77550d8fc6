#include "audit/binomial_bounds.hpp"

#include "core/distributions.hpp"

namespace eigenveil {

double binomial_lower(std::uint64_t successes, std::uint64_t trials, double error) {
  if (successes == 0) {
    return 0.0;
  }
  const auto k = static_cast<double>(successes);
  const auto n = static_cast<double>(trials);
  return beta_quantile(k, n - k + 1.0, error);
}

double binomial_upper(std::uint64_t successes, std::uint64_t trials, double error) {
  return 1.0 - binomial_lower(trials - successes, trials, error);
}

}  // namespace eigenveil
