#include "mechanism/moment/assumed_spectrum.hpp"

#include <fmt/format.h>

namespace eigenveil {

Result<void> check_assumed_spectrum(const Vector& eigenvalues, const RowBound& bound) {
  constexpr double kRounding = 1e-6;  // for what was written down with few digits
  const double most = bound.radius() * bound.radius();
  if (eigenvalues.sum() > (1.0 + kRounding) * most) {
    return bad_request(
        fmt::format("the assumed eigenvalues sum to more than {:.6g}, the square of the row bound: "
                    "no table has them (they are in scaled units)",
                    most));
  }
  return {};
}

}  // namespace eigenveil
