#include "privacy/pair_per_row.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/outward.hpp"
#include "eigenveil/privacy/calibration.hpp"

namespace eigenveil {

Result<ApproxDp> pair_per_row(const ApproxDp& budget, int size) {
  constexpr int kUlps = 16;
  if (const Result<Budget> checked = check_budget(budget); !checked) {
    return error_of(checked);
  }
  if (size < 1) {
    return bad_request(fmt::format("{{group_size}} must be at least 1; it is {}", size));
  }
  if (size == 1) {
    return budget;
  }
  const double epsilon = down(budget.epsilon / size);
  const double terms = up(std::expm1(up(epsilon * size)) / std::expm1(epsilon), kUlps);
  const ApproxDp pair{epsilon, down(budget.delta / terms, kUlps)};
  if (!(pair.delta > 0.0)) {
    return bad_request(
        "epsilon and delta cannot be split over a group of this size: the delta of one row would "
        "be too small to count with; use a smaller epsilon or a larger delta");
  }
  return pair;
}

}  // namespace eigenveil
