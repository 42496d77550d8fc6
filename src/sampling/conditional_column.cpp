#include "sampling/conditional_column.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/decompositions.hpp"
#include "random/normal.hpp"
#include "sampling/angular_gaussian.hpp"

namespace eigenveil::detail {
namespace {

/// Whether the compression has no eigenvalue above s. The number above s is
/// #{lambda_i > s} + #positive(W^T (s - S)^{-1} W) - columns of W; s must differ from every lambda.
bool bounds_compression(const Vector& eigenvalues, const Matrix& others, double s) {
  const Matrix weighted = (s - eigenvalues.array()).inverse().matrix().asDiagonal() * others;
  const Matrix schur = others.transpose() * weighted;
  const SelfAdjointEigen inertia = self_adjoint_eigen(schur, Eigen::EigenvaluesOnly);
  const Eigen::Index positive = (inertia.eigenvalues().array() > 0.0).count();
  const Eigen::Index above = (eigenvalues.array() > s).count();
  return above + positive <= others.cols();
}

}  // namespace

double compressed_top(const Vector& eigenvalues, const Matrix& others, double precision) {
  double upper = eigenvalues[0];
  double lower = eigenvalues[others.cols()];  // Courant-Fischer: the top is at least lambda_k
  while (upper - lower > precision) {
    double share = 0.5;
    double middle = lower + share * (upper - lower);
    while ((eigenvalues.array() == middle).any() && middle > lower) {
      share *= 0.875;  // the inertia count divides by s - lambda_i
      middle = lower + share * (upper - lower);
    }
    if (middle <= lower || middle >= upper) {
      break;  // neighbouring doubles
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
  if (top == eigenvalues[0]) {
    use_projection(precision_at(top), others);
  } else if (!use_elimination(precision_at(top), others)) {
    use_basis(eigenvalues, exponent, others);
  }
}

void ConditionalColumn::use_basis(const Vector& eigenvalues, double exponent,
                                  const Matrix& others) {
  const Eigen::Index rest = eigenvalues.size() - others.cols();
  const Matrix null = orthogonal_complement(others);
  const Matrix compression = null.transpose() * eigenvalues.asDiagonal() * null;
  const SelfAdjointEigen spectrum = self_adjoint_eigen(compression);
  const Vector penalties =
      exponent * (spectrum.eigenvalues()[rest - 1] - spectrum.eigenvalues().array());
  precision_ = envelope_offset(penalties) + 2.0 * penalties.array();
  basis_ = null * spectrum.eigenvectors();
  form_ = Form::Basis;
}

void ConditionalColumn::use_projection(const Vector& precision, const Matrix& others) {
  precision_ = precision;
  form_ = Form::Projection;
  others_ = others;
  const Matrix weighted = precision.cwiseInverse().asDiagonal() * others;
  const Matrix gram = others.transpose() * weighted;
  lever_ = solve_symmetric(gram, weighted.transpose()).transpose();
}

bool ConditionalColumn::use_elimination(const Vector& precision, const Matrix& others) {
  const Eigen::Index head = others.cols();
  const Eigen::Index rest = precision.size() - head;
  if (rest < head) {
    return false;
  }
  const Matrix top = others.topRows(head);
  // Singular values: the reciprocal condition of Eigen's LU skips pivots it takes for zero.
  const Vector sizes = jacobi_svd(top).singularValues();
  constexpr double kWorstCondition = 1e-6;
  if (!(precision.tail(rest).minCoeff() > 0.0) || !(sizes[head - 1] > kWorstCondition * sizes[0])) {
    return false;
  }
  elimination_ = top.transpose().partialPivLu().solve(others.bottomRows(rest).transpose());
  const Vector root = precision.tail(rest).cwiseSqrt();
  const Matrix factor = root.cwiseInverse().asDiagonal() * elimination_.transpose();
  ThinQr qr = thin_qr(factor);
  const Matrix inner = Matrix::Identity(head, head) +
                       qr.upper * precision.head(head).asDiagonal() * qr.upper.transpose();
  const SelfAdjointEigen spectrum = self_adjoint_eigen(inner);
  if (!(spectrum.eigenvalues()[0] > 0.0)) {
    return false;
  }
  basis_ = std::move(qr.frame);
  correction_ = spectrum.operatorInverseSqrt() - Matrix::Identity(head, head);
  precision_ = precision;
  form_ = Form::Elimination;
  return true;
}

double ConditionalColumn::propose(RandomStream& stream, Vector& v) const {
  const Eigen::Index free = form_ == Form::Projection ? precision_.size()
                            : form_ == Form::Basis    ? basis_.cols()
                                                      : basis_.rows();
  Vector g(free);
  fill_standard_normal(stream, {g.data(), static_cast<std::size_t>(free)});
  const double normals_form = g.squaredNorm();
  if (form_ == Form::Basis) {
    g.array() /= precision_.array().sqrt();
    v.noalias() = basis_ * g;
    return normals_form;
  }
  if (form_ == Form::Projection) {
    v = g.array() / precision_.array().sqrt();
    if (others_.cols() > 0) {
      const Vector overlap = others_.transpose() * v;
      v.noalias() -= lever_ * overlap;
    }
    return v.cwiseAbs2().dot(precision_);
  }
  // v^T D v = |g|^2: the inverse root of the eliminated form was applied to g.
  const Vector inside = correction_ * (basis_.transpose() * g);
  g.noalias() += basis_ * inside;
  g.array() /= precision_.tail(free).array().sqrt();
  v.resize(precision_.size());
  v.head(elimination_.rows()).noalias() = -(elimination_ * g);
  v.tail(free) = g;
  return normals_form;
}

Vector ConditionalColumn::draw(RandomStream& stream) const {
  Vector v;
  for (;;) {
    const double form = propose(stream, v) / v.squaredNorm();
    if (std::log(uniform(stream)) < log_envelope_ratio(form, dimension_)) {
      return v.normalized();
    }
  }
}

}  // namespace eigenveil::detail
