#include "sampling/head_tail.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/decompositions.hpp"
#include "random/haar.hpp"
#include "random/normal.hpp"
#include "sampling/bingham_kernels.hpp"

namespace eigenveil::detail {
namespace {

/// Orthonormal columns B in R^(k+1) orthogonal to the unit vector n: columns 2..k+1 of the
/// reflection that exchanges n and -sign(n_1) e_1.
template <int kColumns>
auto complement(const Eigen::Ref<const Vector>& n) {
  constexpr int kRows = kColumns == Eigen::Dynamic ? Eigen::Dynamic : kColumns + 1;
  const Eigen::Index columns = n.size() - 1;
  const double sign = std::copysign(1.0, n[0]);
  const double scale = 1.0 / (1.0 + std::abs(n[0]));
  Eigen::Matrix<double, kRows, kColumns> basis(columns + 1, columns);
  basis.row(0) = -sign * n.tail(columns).transpose();
  basis.bottomRows(columns) = -scale * n.tail(columns) * n.tail(columns).transpose();
  basis.bottomRows(columns).diagonal().array() += 1.0;
  return basis;
}

/// A Haar rotation from k x k normals, by Gram-Schmidt with a positive diagonal of R. The second
/// round repairs the rounding errors of the first.
template <int kColumns>
auto rotation(const double* normals, Eigen::Index columns) {
  using Square = Eigen::Matrix<double, kColumns, kColumns>;
  if constexpr (kColumns == 1) {
    return Square(std::copysign(1.0, normals[0]));
  }
  Square q = Eigen::Map<const Square>(normals, columns, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    for (int round = 0; round < 2; ++round) {
      for (Eigen::Index l = 0; l < j; ++l) {
        q.col(j) -= q.col(l).dot(q.col(j)) * q.col(l);
      }
      q.col(j).normalize();
    }
  }
  return q;
}

/// Eigen's solver at size one, without its compile time.
struct NumberEigen {
  using Square = Eigen::Matrix<double, 1, 1>;
  Square number;
  Square eigenvalues() const { return number; }
  Square eigenvectors() const { return Square(1.0); }
  Square operatorSqrt() const { return number.cwiseSqrt(); }
};

template <class Square>
auto spectrum_of(const Square& square) {
  if constexpr (Square::RowsAtCompileTime == 1) {
    return NumberEigen{square};
  } else if constexpr (Square::RowsAtCompileTime == Eigen::Dynamic) {
    return self_adjoint_eigen(square);
  } else {
    return Eigen::SelfAdjointEigenSolver<Square>(square);
  }
}

}  // namespace

HeadTail::HeadTail(const Vector& eigenvalues, double exponent, Eigen::Index columns)
    : columns_(columns) {
  const Eigen::Index head = columns + 1;
  const Eigen::Index rest = eigenvalues.size() - head;
  const double reference = eigenvalues[columns];
  const Vector above = exponent * (eigenvalues.head(head).array() - reference);
  tail_gaps_ = exponent * (reference - eigenvalues.tail(rest).array());
  double rise = 0.0;
  if (rest > 0) {
    // t* solves sum_i 1 / (2 (t - a_i)) = 1 over the tail; with b = 2 (t - a_(k+2)) it is the
    // equation of envelope_offset.
    const Vector below_first = exponent * (eigenvalues[head] - eigenvalues.tail(rest).array());
    rise = std::max(0.0, 0.5 * envelope_offset(below_first) - tail_gaps_[0]);
  }
  tail_gaps_.array() += rise;
  head_gaps_ = (above.array() - rise).max(0.0);
  lift_ = (rise - above.array()).max(0.0);
  captured_ = (head_gaps_.head(columns).array() > 0.0).count();
  prepare_head();
}

void HeadTail::prepare_head() {
  const Eigen::Index head = head_gaps_.size();
  const Eigen::Index rest = tail_gaps_.size();
  constexpr auto kPadding = static_cast<Eigen::Index>(kLanes);
  ratios_ = Matrix::Ones((rest + kPadding - 1) / kPadding * kPadding, head);
  log_ratio_sums_ = Vector::Zero(head);
  double least = 1.0;
  for (Eigen::Index a = 0; a < head && rest > 0; ++a) {
    ratios_.col(a).head(rest) = tail_gaps_.array() / (head_gaps_[a] + tail_gaps_.array());
    // log1p keeps ratios close to 1 accurate.
    log_ratio_sums_[a] = -(head_gaps_[a] / tail_gaps_.array()).log1p().sum();
    least = std::min(least, ratios_.col(a).head(rest).minCoeff());
  }
  constexpr double kSafeLog = 600.0;  // e^-600 is a normal double
  constexpr double kMostFactors = 64.0;
  factors_per_log_ = static_cast<std::size_t>(
      std::clamp(std::floor(kSafeLog / std::max(-std::log(least), 1e-3)), 1.0, kMostFactors));
  // A_a = h_a + (1/2) sum_i log w_ai increases with a'_a above the level: the least is A_(k+1) = 0.
  const Vector penalties = (head_gaps_ + 0.5 * log_ratio_sums_).cwiseMax(0.0);
  envelope_.clear();
  envelope_.emplace_back(penalties, 1);
}

bool HeadTail::propose_head(RandomStream& stream, Workspace& workspace) const {
  workspace.normal.resize(head_gaps_.size(), 1);
  if (!envelope_.front().propose(stream, workspace.head, workspace.normal)) {
    return false;
  }
  if (tail_gaps_.size() == 0) {
    return true;
  }
  // Jensen: log sum_a n_a^2 w_a >= sum_a n_a^2 log w_a in every tail row.
  workspace.weights = workspace.normal.col(0).cwiseAbs2();
  const double log_mixtures = sum_of_log_mixtures(
      ratios_.data(), static_cast<std::size_t>(ratios_.rows()), workspace.weights.data(),
      static_cast<std::size_t>(ratios_.cols()), factors_per_log_);
  return std::log(uniform(stream)) < -0.5 * (log_mixtures - workspace.weights.dot(log_ratio_sums_));
}

template <int kColumns>
bool HeadTail::propose_tail(RandomStream& stream, Workspace& workspace, Matrix& frame) const {
  using Square = Eigen::Matrix<double, kColumns, kColumns>;
  const Eigen::Index k = columns_;
  const Eigen::Index rest = tail_gaps_.size();
  const auto rows = static_cast<std::size_t>(rest);
  auto basis = complement<kColumns>(workspace.normal.col(0));
  const auto head = spectrum_of(Square(basis.transpose() * head_gaps_.asDiagonal() * basis));
  basis = (basis * head.eigenvectors()).eval();
  workspace.normals.resize(rest + k, k);
  workspace.tail.resize(rest, k);
  fill_standard_normal(stream,
                       {workspace.normals.data(), static_cast<std::size_t>((rest + k) * k)});
  Square missing = Square::Identity(k, k);  // I - Z^T Z
  for (Eigen::Index j = 0; j < k; ++j) {
    const double theta = std::max(head.eigenvalues()[j], 0.0);
    double* const column = workspace.tail.data() + j * rest;
    scale_by_precision(workspace.normals.data() + j * rest, tail_gaps_.data(), theta, column, rows);
    for (Eigen::Index l = 0; l <= j; ++l) {
      missing(j, l) -= dot(column, workspace.tail.data() + l * rest, rows);
      missing(l, j) = missing(j, l);
    }
    if (!(missing(j, j) > 0.0)) {
      return false;
    }
  }
  const auto root = spectrum_of(missing);
  if (!(root.eigenvalues()[0] > 0.0)) {
    return false;
  }
  // The lift enters the proposal as exp(tr(B^T E B)) >= exp(tr(B^T E B Z^T Z)).
  const double excess =
      (Square(basis.transpose() * lift_.asDiagonal() * basis).array() * missing.array()).sum();
  if (excess > 0.0 && !(std::log(uniform(stream)) < -excess)) {
    return false;
  }
  const Square turn = rotation<kColumns>(workspace.normals.data() + rest * k, k);
  frame.topRows(k + 1).noalias() = basis * (root.operatorSqrt() * turn).eval();
  for (Eigen::Index j = 0; j < k; ++j) {
    double* const target = frame.col(j).data() + (k + 1);
    std::fill(target, target + rest, 0.0);
    for (Eigen::Index l = 0; l < k; ++l) {
      add_multiple(turn(l, j), workspace.tail.data() + l * rest, target, rows);
    }
  }
  return true;
}

bool HeadTail::propose(RandomStream& stream, Workspace& workspace, Matrix& frame) const {
  if (!propose_head(stream, workspace)) {
    return false;
  }
  switch (columns_) {
    case 1:
      return propose_tail<1>(stream, workspace, frame);
    case 2:
      return propose_tail<2>(stream, workspace, frame);
    case 3:
      return propose_tail<3>(stream, workspace, frame);
    default:
      return propose_tail<Eigen::Dynamic>(stream, workspace, frame);
  }
}

}  // namespace eigenveil::detail
