#include "mechanism/moment/counted_moment.hpp"

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
  moment.sum_sd = w * extended.off_diagonal_sd / c;
  moment.count_sd = w * extended.product_sd / (c * c);
  moment.law = extended.law;
  return moment;
}

}  // namespace eigenveil
