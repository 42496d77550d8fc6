#include "conditional_column.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "angular_gaussian.hpp"
#include "eigenveil/random/normal.hpp"

namespace eigenveil::detail {
namespace {

/// Whether the compression has no eigenvalue above s. The number above s is
/// #{lambda_i > s} + #positive(W^T (s - S)^{-1} W) - columns of W; s must differ from every lambda.
bool bounds_compression(const Vector& eigenvalues, const Matrix& others, double s) {
  const Matrix weighted = (s - eigenvalues.array()).inverse().matrix().asDiagonal() * others;
  const Matrix schur = others.transpose() * weighted;
  const Eigen::SelfAdjointEigenSolver<Matrix> inertia(schur, Eigen::EigenvaluesOnly);
  const Eigen::Index positive = (inertia.eigenvalues().array() > 0.0).count();
  const Eigen::Index above = (eigenvalues.array() > s).count();
  return above + positive <= others.cols();
}

}  // namespace

double compressed_top(const Vector& eigenvalues, const Matrix& others, double precision) {
  double upper = eigenvalues[0];
  double lower = eigenvalues[others.cols()];  // Courant-Fischer: the top is at least lambda_k
  while (upper - lower > precision) {
    const double middle = lower + 0.5 * (upper - lower);
    if (middle <= lower || middle >= upper || (eigenvalues.array() == middle).any()) {
      break;  // an upper bound is all the caller needs
    }
    (bounds_compression(eigenvalues, others, middle) ? upper : lower) = middle;
  }
  return upper;
}

ConditionalColumn::ConditionalColumn(const Vector& eigenvalues, double exponent,
                                     const Matrix& others)
    : dimension_(static_cast<double>(eigenvalues.size() - others.cols())) {
  const Eigen::Index k = others.cols() + 1;
  const Eigen::Index bulk = eigenvalues.size() - k;
  // The envelope loses little when s0 is off by sqrt(p) / (40 exponent).
  const double precision =
      exponent > 0.0 ? std::sqrt(static_cast<double>(eigenvalues.size())) / (40.0 * exponent)
                     : std::numeric_limits<double>::infinity();
  const auto precision_at = [&](double top) {
    Vector penalties = Vector::Zero(bulk + 1);
    penalties.tail(bulk) = exponent * (top - eigenvalues.tail(bulk).array());
    return Vector(envelope_offset(penalties) + 2.0 * exponent * (top - eigenvalues.array()));
  };
  if (others.cols() == 0) {
    use_projection(precision_at(eigenvalues[0]), others);
    return;
  }
  const double top = compressed_top(eigenvalues, others, precision);
  if (top < eigenvalues[0] && use_elimination(precision_at(top), others)) {
    return;
  }
  use_projection(precision_at(eigenvalues[0]), others);
}

void ConditionalColumn::use_projection(const Vector& precision, const Matrix& others) {
  precision_ = precision;
  eliminates_ = false;
  others_ = others;
  const Matrix weighted = precision.cwiseInverse().asDiagonal() * others;
  const Matrix gram = others.transpose() * weighted;
  lever_ = gram.ldlt().solve(weighted.transpose()).transpose();
}

bool ConditionalColumn::use_elimination(const Vector& precision, const Matrix& others) {
  const Eigen::Index head = others.cols();
  const Eigen::Index rest = precision.size() - head;
  if (rest < head) {
    return false;
  }
  const Eigen::FullPivLU<Matrix> top(others.topRows(head));
  constexpr double kWorstCondition = 1e-6;
  if (!(precision.tail(rest).minCoeff() > 0.0) || top.rcond() < kWorstCondition) {
    return false;
  }
  elimination_ = top.transpose().solve(others.bottomRows(rest).transpose());
  const Vector root = precision.tail(rest).cwiseSqrt();
  const Matrix factor = root.cwiseInverse().asDiagonal() * elimination_.transpose();
  const Eigen::HouseholderQR<Matrix> qr(factor);
  const Matrix upper = qr.matrixQR().topRows(head).triangularView<Eigen::Upper>();
  const Matrix inner =
      Matrix::Identity(head, head) + upper * precision.head(head).asDiagonal() * upper.transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(inner);
  if (!(spectrum.eigenvalues()[0] > 0.0)) {
    return false;
  }
  basis_ = qr.householderQ() * Matrix::Identity(rest, head);
  correction_ = spectrum.operatorInverseSqrt() - Matrix::Identity(head, head);
  precision_ = precision;
  eliminates_ = true;
  return true;
}

Vector ConditionalColumn::propose(RandomStream& stream) const {
  const Eigen::Index rest = eliminates_ ? basis_.rows() : precision_.size();
  Vector v(rest);
  fill_standard_normal(stream, {v.data(), static_cast<std::size_t>(rest)});
  if (!eliminates_) {
    v.array() /= precision_.array().sqrt();
    if (others_.cols() > 0) {
      const Vector overlap = others_.transpose() * v;
      v.noalias() -= lever_ * overlap;
    }
    return v;
  }
  const Vector inside = correction_ * (basis_.transpose() * v);
  v.noalias() += basis_ * inside;
  v.array() /= precision_.tail(rest).array().sqrt();
  Vector whole(precision_.size());
  whole.head(elimination_.rows()).noalias() = -(elimination_ * v);
  whole.tail(rest) = v;
  return whole;
}

Vector ConditionalColumn::draw(RandomStream& stream) const {
  for (;;) {
    Vector v = propose(stream);
    v /= v.norm();
    const double form = v.cwiseAbs2().dot(precision_);
    if (std::log(uniform(stream)) < log_envelope_ratio(form, dimension_)) {
      return v;
    }
  }
}

}  // namespace eigenveil::detail
