#include "sampling/bingham_gibbs.hpp"

#include <optional>
#include <utility>

#include "eigenveil/core/cancellation.hpp"
#include "random/haar.hpp"
#include "sampling/bingham_request.hpp"
#include "sampling/conditional_column.hpp"

namespace eigenveil {

BinghamGibbsSampler::BinghamGibbsSampler(Vector eigenvalues, double exponent, Eigen::Index columns,
                                         int sweeps)
    : eigenvalues_(std::move(eigenvalues)),
      exponent_(exponent),
      columns_(columns),
      sweeps_(sweeps) {}

Result<BinghamGibbsSampler> BinghamGibbsSampler::make(const Vector& eigenvalues, double exponent,
                                                      Eigen::Index columns, int sweeps) {
  if (std::optional<Error> error = detail::check_bingham_request(eigenvalues, exponent, columns)) {
    return tl::unexpected<Error>(std::move(*error));
  }
  if (sweeps < 1) {
    return bad_request("a Gibbs chain needs at least one sweep");
  }
  return BinghamGibbsSampler(eigenvalues, exponent, columns, sweeps);
}

void BinghamGibbsSampler::sweep(RandomStream& stream, Matrix& frame) const {
  Matrix others(frame.rows(), columns_ - 1);
  for (Eigen::Index j = 0; j < columns_; ++j) {
    stop_if_cancelled();
    others.leftCols(j) = frame.leftCols(j);
    others.rightCols(columns_ - 1 - j) = frame.rightCols(columns_ - 1 - j);
    Vector column = detail::ConditionalColumn(eigenvalues_, exponent_, others).draw(stream);
    // Rounding errors would add up over many sweeps.
    column -= others * (others.transpose() * column);
    frame.col(j) = column.normalized();
  }
}

Matrix BinghamGibbsSampler::draw(RandomStream& stream) const {
  Matrix frame = haar_frame(stream, eigenvalues_.size(), columns_);
  for (int i = 0; i < sweeps_; ++i) {
    sweep(stream, frame);
  }
  return frame;
}

}  // namespace eigenveil
