#include "sampling/orbit_rejection.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>

#include "core/decompositions.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

/// Smallest x >= 0 (up to rounding, from above) with sum_i 1 / (a_i + x) <= 1, for a_i >= 0.
double balance_point(const Vector& a) {
  const auto excess = [&a](double x) { return (a.array() + x).inverse().sum() > 1.0; };
  if (!excess(0.0)) {
    return 0.0;
  }
  double low = 0.0;
  auto high = static_cast<double>(a.size());
  while (high - low > 1e-12 * high) {
    const double middle = 0.5 * (low + high);
    (excess(middle) ? low : high) = middle;
  }
  return high;
}

/// Independent standard normal real and imaginary parts.
void fill_complex_normal(RandomStream& stream, std::complex<double>* values, Index count) {
  fill_standard_normal(stream,
                       {reinterpret_cast<double*>(values), 2 * static_cast<std::size_t>(count)});
}

}  // namespace

GaussianBlock::GaussianBlock(const Vector& weights, Index rank)
    : GaussianBlock(Matrix(weights.head(rank).transpose().replicate(weights.size() - rank, 1) -
                           weights.tail(weights.size() - rank).replicate(1, rank))) {}

GaussianBlock::GaussianBlock(const Matrix& rates)
    : deviations_(rates.rows(), rates.cols()), tilts_(rates.cols()) {
  for (Index j = 0; j < rates.cols(); ++j) {
    tilts_[j] = balance_point(rates.col(j));
    deviations_.col(j) = (2.0 * (rates.col(j).array() + tilts_[j])).rsqrt();
  }
}

std::optional<ComplexMatrix> GaussianBlock::attempt(RandomStream& stream) const {
  const Index rank = deviations_.cols();
  const Index rest = deviations_.rows();
  ComplexMatrix frame(rest + rank, rank);
  auto tail = frame.bottomRows(rest);
  // Columns of a contraction have norm at most 1, which also bounds the weight e^{tilt |z_j|²}.
  double slack = 0.0;
  for (Index j = 0; j < rank; ++j) {
    fill_complex_normal(stream, tail.col(j).data(), rest);
    tail.col(j).array() *= deviations_.col(j).array();
    const double room = 1.0 - tail.col(j).squaredNorm();
    if (room < 0.0) {
      return std::nullopt;
    }
    slack += tilts_[j] * room;
  }
  if (slack > 0.0 && uniform(stream) > std::exp(-slack)) {
    return std::nullopt;
  }
  ComplexMatrix gap = ComplexMatrix::Identity(rank, rank);
  gap.selfadjointView<Eigen::Lower>().rankUpdate(tail.adjoint(), -1.0);
  const detail::ComplexSelfAdjointEigen eigen = detail::self_adjoint_eigen(gap);
  if (eigen.eigenvalues()[0] < 0.0) {
    return std::nullopt;
  }
  frame.topRows(rank) = eigen.operatorSqrt();
  return frame;
}

MatrixAngularGaussian::MatrixAngularGaussian(const Vector& weights, Index rank)
    : rank_(rank), costs_(weights[0] - weights.array()), b_(balance_point(costs_)) {
  deviations_ = (2.0 * (1.0 + costs_.array() / b_)).rsqrt();
}

std::optional<ComplexMatrix> MatrixAngularGaussian::attempt(RandomStream& stream) const {
  const Index dimension = costs_.size();
  ComplexMatrix normals(dimension, rank_);
  fill_complex_normal(stream, normals.data(), normals.size());
  normals = deviations_.asDiagonal() * normals;
  const ComplexMatrix frame = detail::orthonormal_frame(normals);
  // With u_j the eigenvalues of Vᴴ A V: target / envelope = prod_j e^{-u_j} (1 + u_j/b)^d, largest
  // at u_j = d - b. The exponent is added, never subtracted.
  const ComplexMatrix weighted = costs_.cwiseSqrt().asDiagonal() * frame;
  const ComplexMatrix form = weighted.adjoint() * weighted;
  const detail::ComplexSelfAdjointEigen eigen =
      detail::self_adjoint_eigen(form, Eigen::EigenvaluesOnly);
  const auto d = static_cast<double>(dimension);
  double log_acceptance = 0.0;
  for (const double u : eigen.eigenvalues()) {
    log_acceptance += -u + d * std::log1p(std::max(u, 0.0) / b_) + (d - b_) - d * std::log(d / b_);
  }
  if (std::log(uniform(stream)) > log_acceptance) {
    return std::nullopt;
  }
  return frame;
}

VertexRejection::VertexRejection(const Vector& weights, const Vector& spectrum)
    : weights_(weights), spectrum_(spectrum) {
  assert(applies(weights, spectrum) && "the largest pattern is a simple vertex");
}

bool VertexRejection::applies(const Vector& weights, const Vector& spectrum) {
  const Index rank = spectrum.size();
  for (Index j = 0; j < rank; ++j) {
    const bool has_next = j + 1 < rank;
    if (has_next ? spectrum[j] <= spectrum[j + 1] : rank < weights.size() && spectrum[j] <= 0.0) {
      return false;
    }
    if (j + 1 < weights.size() && weights[j] <= weights[j + 1]) {
      return false;
    }
  }
  return true;
}

std::optional<GelfandTsetlinPattern> VertexRejection::attempt(RandomStream& stream) const {
  const Index dimension = weights_.size();
  const Index rank = spectrum_.size();
  GelfandTsetlinPattern pattern = GelfandTsetlinPattern::Zero(dimension, rank);
  pattern.row(dimension - 1) = spectrum_.transpose();
  for (Index i = dimension - 2; i >= 0; --i) {
    for (Index j = 0; j <= i && j < rank; ++j) {
      const double step = -std::log(uniform(stream)) / (weights_[j] - weights_[i + 1]);
      pattern(i, j) = pattern(i + 1, j) - step;
      if (pattern(i, j) < (j + 1 < rank ? pattern(i + 1, j + 1) : 0.0)) {
        return std::nullopt;
      }
    }
  }
  return pattern;
}

TiltedProjector::TiltedProjector(const Vector& weights, Vector spectrum)
    : costs_(weights[0] - weights.array()), spectrum_(std::move(spectrum)) {
  const Index rank = spectrum_.size();
  if (rank < weights.size()) {
    const Vector scaled = spectrum_[rank - 1] * weights;
    block_.emplace(scaled, rank);
    angular_.emplace(scaled, rank);
  }
}

std::optional<ComplexMatrix> TiltedProjector::attempt(RandomStream& stream) const {
  const Index dimension = costs_.size();
  const Index rank = spectrum_.size();
  ComplexMatrix frame;
  if (block_) {
    std::optional<ComplexMatrix> drawn = block_->attempt(stream);
    if (!drawn) {
      drawn = angular_->attempt(stream);
    }
    if (!drawn) {
      return std::nullopt;
    }
    frame = *drawn * complex_haar_frame(stream, rank, rank);
  } else {
    frame = complex_haar_frame(stream, dimension, rank);
  }
  // exp(sum_j (l_j - l_k) v_j^* (W - w_1) v_j), at most 1.
  const Vector spent = frame.cwiseAbs2().transpose() * costs_;
  const double smallest = spectrum_[rank - 1];
  const double cost = (spectrum_.array() - smallest).matrix().dot(spent);
  if (!(uniform(stream) < std::exp(-cost))) {
    return std::nullopt;
  }
  return ComplexMatrix(frame * spectrum_.cwiseSqrt().asDiagonal());
}

CapturedTop::CapturedTop(const Vector& weights, Vector spectrum,
                         std::shared_ptr<const ExactSampler<ComplexMatrix>> top)
    : spectrum_(std::move(spectrum)),
      top_costs_(weights.head(spectrum_.size()).array() - weights[spectrum_.size() - 1]),
      block_(Matrix(
          (weights[spectrum_.size() - 1] - weights.tail(weights.size() - spectrum_.size()).array())
              .matrix() *
          spectrum_.transpose())),
      top_(std::move(top)) {}

bool CapturedTop::applies(const Vector& weights, Index rank) {
  // What the first k rows lose is about sum_i 1 / (w_k - w_(k+i)) a column, each unit of it paid
  // with w_a - w_k.
  constexpr double kWorthTrying = 16.0;
  if (rank >= weights.size()) {
    return false;
  }
  const Vector gaps = weights[rank - 1] - weights.tail(weights.size() - rank).array();
  return gaps.minCoeff() > 0.0 &&
         (weights.head(rank).array() - weights[rank - 1]).sum() * gaps.cwiseInverse().sum() <=
             kWorthTrying;
}

/// U of a draw U diag(l) Uᴴ, uniform among those that give the same matrix: phases, and a Haar
/// unitary where l is tied.
ComplexMatrix CapturedTop::turned(RandomStream& stream) const {
  const Index rank = spectrum_.size();
  ComplexMatrix frame = top_->draw(stream) * spectrum_.cwiseSqrt().cwiseInverse().asDiagonal();
  for (Index first = 0; first < rank;) {
    Index end = first + 1;
    while (end < rank && spectrum_[end] == spectrum_[first]) {
      ++end;
    }
    const ComplexMatrix own = frame.middleCols(first, end - first);
    frame.middleCols(first, end - first) =
        own * complex_haar_frame(stream, end - first, end - first);
    first = end;
  }
  return frame;
}

std::optional<ComplexMatrix> CapturedTop::attempt(RandomStream& stream) const {
  const Index rank = spectrum_.size();
  std::optional<ComplexMatrix> frame = block_.attempt(stream);
  if (!frame) {
    return std::nullopt;
  }
  const ComplexMatrix root = frame->topRows(rank);  // S = (I - ZᴴZ)^½
  const ComplexMatrix left = root * spectrum_.asDiagonal() * root;
  const detail::ComplexSelfAdjointEigen eigen = detail::self_adjoint_eigen(left);
  const ComplexMatrix unitary = turned(stream);
  // exp(-tr((W - w_k) U (L - Lambda) Uᴴ)), Lambda <= L the eigenvalues of S L S.
  const Vector lost = spectrum_ - eigen.eigenvalues().reverse();
  const Vector paid = unitary.cwiseAbs2().transpose() * top_costs_;
  if (!(uniform(stream) < std::exp(-lost.cwiseMax(0.0).dot(paid)))) {
    return std::nullopt;
  }
  const ComplexMatrix basis = eigen.eigenvectors().rowwise().reverse();
  frame->topRows(rank) = unitary * basis.adjoint() * root;
  return ComplexMatrix(*frame * spectrum_.cwiseSqrt().asDiagonal());
}

}  // namespace eigenveil
