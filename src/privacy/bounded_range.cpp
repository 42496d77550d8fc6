#include "privacy/bounded_range.hpp"

#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "privacy/bisection.hpp"

namespace eigenveil {

GaussianDp bounded_range_gdp(double epsilon) {
  return pure_gdp(epsilon / 2.0);  // half of a double is a double
}

double range_for(Zcdp budget) {
  return down(std::sqrt(down(8.0 * budget.rho)), 2);
}

double range_for(GaussianDp budget) {
  return detail::last_passing(
      0.0, 1e300, [&](double epsilon) { return bounded_range_gdp(epsilon).mu <= budget.mu; });
}

}  // namespace eigenveil
