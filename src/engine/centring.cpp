#include "engine/centring.hpp"

#include <fmt/format.h>

namespace eigenveil {

bool subtracts_mean(std::string_view method) {
  return method == "gauss" || method == "laplace" || method == "wishart";
}

std::string uncentred_warning(std::string_view method) {
  return fmt::format(
      "method {} works about the public midpoint, not about the mean: a mean far from it comes out "
      "as the first component and counts as variance. Give a public {{center}}, "
      "take {{method gauss}} (with {{delta}}) or {{method wishart}}, which subtract a private "
      "mean, "
      "or say {{center none}} if this is meant",
      method);
}

}  // namespace eigenveil
