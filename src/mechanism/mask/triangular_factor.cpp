#include "mechanism/mask/triangular_factor.hpp"

#include "core/lapacke.hpp"

namespace eigenveil::detail {

Matrix triangular_factor(Matrix stacked) {
  const Eigen::Index p = stacked.cols();
  Vector reflectors(p);
  LAPACKE_dgeqrf(LAPACK_COL_MAJOR, static_cast<lapack_int>(stacked.rows()),
                 static_cast<lapack_int>(p), stacked.data(),
                 static_cast<lapack_int>(stacked.rows()), reflectors.data());
  Matrix upper = stacked.topRows(p).triangularView<Eigen::Upper>();
  for (Eigen::Index i = 0; i < p; ++i) {
    if (upper(i, i) < 0.0) {
      upper.row(i) *= -1.0;
    }
  }
  return upper;
}

}  // namespace eigenveil::detail
