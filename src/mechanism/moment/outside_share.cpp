#include "mechanism/moment/outside_share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace eigenveil {

NoisyMoment inside_moment(NoisyMoment extended, const Schema& schema, const RowBound& bound) {
  const Eigen::Index inside = extended.products.rows() - 1;
  extended.products = extended.products.topLeftCorner(inside, inside).eval();
  if (extended.sums) {
    extended.sums = extended.sums->head(inside).eval();
  }
  extended.trace_sd = extended.product_sd * std::sqrt(static_cast<double>(inside));
  extended.schema = schema;
  extended.bound = bound;
  return extended;
}

/// S = I / (I + O) for the trace I of the K products inside, whose noises are independent under
/// every law, and O = the last product over c^2: dS = (O dI - I dO) / (I + O)^2.
ShareInside share_inside(const NoisyMoment& extended, double constant) {
  constexpr double kDeviations = 4.0;  // of the noise that the whole must stand above
  const Eigen::Index directions = extended.products.rows() - 1;
  const double inside = extended.products.diagonal().head(directions).sum();
  const double outside = extended.products(directions, directions) / (constant * constant);
  const double inside_sd = extended.product_sd * std::sqrt(static_cast<double>(directions));
  const double outside_sd = extended.product_sd / (constant * constant);
  const double whole = inside + outside;
  if (!(whole > kDeviations * std::hypot(inside_sd, outside_sd))) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none};
  }
  return {std::clamp(inside / whole, 0.0, 1.0),
          std::hypot(outside * inside_sd, inside * outside_sd) / (whole * whole)};
}

}  // namespace eigenveil
