#include "mechanism/moment/counted_moment.hpp"

#include <cmath>
#include <limits>

namespace eigenveil {

NoisyMoment counted_moment(NoisyMoment extended, const CountedColumns& columns) {
  const double c = columns.constant;
  const double w = columns.weight_bound;
  const auto p = static_cast<Eigen::Index>(columns.bound.dimension());
  NoisyMoment moment{columns.schema, columns.bound, 0.0, false, {}, {}};
  moment.count = w * extended.products(0, 0) / (c * c);
  moment.sums = w / c * extended.products.col(0).tail(p);
  moment.products = w * extended.products.bottomRightCorner(p, p);
  moment.product_sd = w * extended.product_sd;
  moment.off_diagonal_sd = w * extended.off_diagonal_sd;
  moment.trace_sd = moment.product_sd * std::sqrt(static_cast<double>(p));
  moment.sum_sd = w * extended.off_diagonal_sd / c;
  moment.count_sd = w * extended.product_sd / (c * c);
  moment.law = extended.law;
  return moment;
}

EffectiveRows effective_rows(const NoisyMoment& extended, const CountedColumns& columns) {
  constexpr double kDeviations = 4.0;  // of the noise that both sums must stand above
  const double w = columns.weight_bound;
  const double c2 = columns.constant * columns.constant;
  const double ce = columns.constant * columns.square_constant;
  // c r times c r, and c r times e r^3.
  const double sum = w * extended.products(0, 0) / c2;
  const double sum_sd = w * extended.product_sd / c2;
  const double squares = w * w * extended.products(0, 1) / ce;
  const double squares_sd = w * w * extended.off_diagonal_sd / ce;
  if (!(sum > kDeviations * sum_sd) || !(squares > kDeviations * squares_sd)) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none};
  }
  const double rows = sum * sum / squares;
  return {rows, rows * std::hypot(2.0 * sum_sd / sum, squares_sd / squares)};
}

}  // namespace eigenveil
