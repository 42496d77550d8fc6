#include "sampling/bingham_request.hpp"

#include <cmath>

namespace eigenveil::detail {

std::optional<Error> check_bingham_request(const Vector& eigenvalues, double exponent,
                                           Eigen::Index columns) {
  const auto wrong = [](const char* message) { return Error{ErrorCode::BadRequest, message}; };
  const Eigen::Index rows = eigenvalues.size();
  if (columns < 1 || columns > rows) {
    return wrong("the number of columns must lie between 1 and the number of eigenvalues");
  }
  if (!(exponent >= 0.0) || !std::isfinite(exponent)) {
    return wrong("the exponent must be finite and not negative (negate the spectrum instead)");
  }
  if (!eigenvalues.allFinite()) {
    return wrong("every eigenvalue must be finite");
  }
  for (Eigen::Index i = 1; i < rows; ++i) {
    if (eigenvalues[i] > eigenvalues[i - 1]) {
      return wrong("the eigenvalues must be given largest first");
    }
  }
  constexpr double kLargestExponent = 1e100;  // squares and sums stay finite
  if (!(exponent * (eigenvalues[0] - eigenvalues[rows - 1]) <= kLargestExponent)) {
    return wrong("the exponent times the range of the spectrum must not exceed 1e100");
  }
  return std::nullopt;
}

}  // namespace eigenveil::detail
