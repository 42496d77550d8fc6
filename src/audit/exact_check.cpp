#include "audit/exact_check.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace eigenveil {

double hockey_stick(const OutputLaw& first, const OutputLaw& second, double epsilon) {
  assert(first.size() == second.size() && "both laws list the same outputs");
  const double factor = std::exp(epsilon);
  double excess = 0.0;
  for (std::size_t output = 0; output < first.size(); ++output) {
    excess += std::max(0.0, first[output] - factor * second[output]);
  }
  return excess;
}

double exact_delta(std::span<const OutputLaw> laws,
                   const std::function<bool(std::size_t, std::size_t)>& neighbours,
                   double epsilon) {
  double worst = 0.0;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    for (std::size_t j = 0; j < laws.size(); ++j) {
      if (i != j && neighbours(i, j)) {
        worst = std::max(worst, hockey_stick(laws[i], laws[j], epsilon));
      }
    }
  }
  return worst;
}

}  // namespace eigenveil
