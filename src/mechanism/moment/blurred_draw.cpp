#include "mechanism/moment/blurred_draw.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>

#include "core/hermitian_eigen.hpp"
#include "core/outward.hpp"
#include "eigenveil/random/rounded_noise.hpp"
#include "mechanism/moment/effective_delta.hpp"
#include "mechanism/moment/noisy_moment.hpp"
#include "mechanism/moment/solver_error.hpp"

namespace eigenveil {
namespace {

using Index = Eigen::Index;

constexpr double kHidden = 0x1p-36;      ///< error of a drawn frame that the blur hides
constexpr double kTypical = 0x1p-48;     ///< error passed by t times with probability d k / t²
constexpr double kRowsPaidFor = 0x1p30;  ///< as for noisy eigenvalues
constexpr int kStepsToScale = 4;         ///< grid steps to the scale of the blur, as a power of two
/// Chance that one accept decision, or one update of the coupling, comes out otherwise; times d k.
constexpr double kDecisions = 0x1p-40;
constexpr double kUpdates = 0x1p-49;

double real_numbers(const DrawShape& shape) {
  const auto d = static_cast<double>(shape.dimension);
  return shape.released == DrawShape::Released::Frame ? d * static_cast<double>(shape.rank) : d * d;
}

/// l1 distance of what was computed from an exact draw that the blur is made for. H = V Vᴴ moves
/// twice as far as V; the second term is the rotation by the solver's eigenvectors.
double hidden_distance(const DrawShape& shape) {
  const double rotation = 2.0 * solver_error(shape.dimension);
  const double frame = up(kHidden + rotation * std::sqrt(static_cast<double>(shape.rank)), 4);
  const double stretch = shape.released == DrawShape::Released::Frame ? 1.0 : 2.0;
  return up(stretch * frame * up(std::sqrt(real_numbers(shape))), 2);
}

double grid_of(const Blur& blur) {
  return std::ldexp(1.0, std::ilogb(blur.scale) - kStepsToScale);
}

/// Every value in grid steps plus exactly rounded Laplace noise: integers. A negative value is
/// noised as its opposite and turned back, which has the same law: the fraction of a positive
/// number is exact in doubles, while -2^-60 - floor(-2^-60) rounds to 1.
std::vector<double> blurred_steps(const std::vector<double>& values, const Blur& blur,
                                  RandomStream& stream) {
  const double grid = grid_of(blur);
  std::vector<double> whole(values.size());
  std::vector<double> fractions(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double steps = std::abs(values[i]) / grid;  // by a power of two: exact
    whole[i] = std::floor(steps);
    fractions[i] = steps - whole[i];
  }
  std::vector<std::int64_t> rounded(values.size());
  round_with_laplace(stream, blur.scale / grid, fractions, rounded);
  for (std::size_t i = 0; i < values.size(); ++i) {
    whole[i] = std::copysign(1.0, values[i]) * (whole[i] + static_cast<double>(rounded[i]));
  }
  return whole;
}

ComplexMatrix blurred_hermitian(const ComplexMatrix& matrix, const Blur& blur,
                                RandomStream& stream) {
  std::vector<double> entries;
  for (Index column = 0; column < matrix.cols(); ++column) {
    for (Index row = 0; row < column; ++row) {
      entries.push_back(matrix(row, column).real());
      entries.push_back(matrix(row, column).imag());
    }
    entries.push_back(matrix(column, column).real());
  }
  entries = blurred_steps(entries, blur, stream);
  ComplexMatrix blurred(matrix.rows(), matrix.cols());
  std::size_t next = 0;
  for (Index column = 0; column < matrix.cols(); ++column) {
    for (Index row = 0; row < column; ++row) {
      blurred(row, column) = {entries[next], entries[next + 1]};
      blurred(column, row) = std::conj(blurred(row, column));
      next += 2;
    }
    blurred(column, column) = entries[next++];
  }
  return blurred * grid_of(blur);
}

/// Multiples of `step`, Hermitian to the bit; the diagonal adds up to `trace` rounded to a step.
ComplexMatrix on_steps(const ComplexMatrix& matrix, double step, double trace) {
  ComplexMatrix steps(matrix.rows(), matrix.cols());
  double missing = std::nearbyint(trace / step);
  Index largest = 0;
  for (Index column = 0; column < matrix.cols(); ++column) {
    for (Index row = 0; row < column; ++row) {
      steps(row, column) = {std::nearbyint(matrix(row, column).real() / step),
                            std::nearbyint(matrix(row, column).imag() / step)};
      steps(column, row) = std::conj(steps(row, column));
    }
    const double diagonal = std::nearbyint(matrix(column, column).real() / step);
    steps(column, column) = diagonal;
    missing -= diagonal;
    largest = diagonal > steps(largest, largest).real() ? column : largest;
  }
  steps(largest, largest) += missing;
  return steps * step;
}

}  // namespace

Blur blur_for(double epsilon, const DrawShape& shape) {
  if (!(epsilon > 0.0)) {
    return {};  // nothing is drawn
  }
  const auto d = static_cast<double>(shape.dimension);
  const double entries = d * static_cast<double>(shape.rank);
  const double ratio = kTypical / kHidden;
  const bool coupled = shape.released == DrawShape::Released::HermitianMatrix && shape.rank > 1;
  const double failure =
      entries * (0.5 * epsilon * ratio * ratio + kDecisions + (coupled ? d * d * kUpdates : 0.0));
  return {up(2.0 * hidden_distance(shape) / epsilon), std::min(1.0, up(failure, 8))};
}

DrawBudget split_draw_budget(double epsilon, const DrawShape& shape) {
  const double blur = down(kBlurShare * epsilon);
  // |tr((E - E') H)| over the orbit, E and E' the backward errors on the two tables.
  const double solver = 4.0 * std::sqrt(static_cast<double>(shape.rank)) *
                        solver_error(shape.dimension) * kRowsPaidFor;
  return {std::max(0.0, down(down(epsilon - blur) / up(1.0 + solver, 8))), blur_for(blur, shape)};
}

DrawBudget split_draw_mu(double mu, const DrawShape& shape) {
  constexpr double kRoot = 0x1p-8;              // of the share 2^-16
  constexpr double kGaussianPerEpsilon = 1.26;  // epsilon-DP is sqrt(pi / 2) epsilon-GDP
  return {down(mu * std::sqrt(1.0 - kRoot * kRoot), 4),
          blur_for(mu * kRoot / kGaussianPerEpsilon, shape)};
}

Matrix orthonormalised(const Matrix& columns) {
  const Eigen::HouseholderQR<Matrix> factored(columns);
  const Vector signs = factored.matrixQR().diagonal().unaryExpr(
      [](double value) { return value < 0.0 ? -1.0 : 1.0; });
  return factored.householderQ() * Matrix::Identity(columns.rows(), columns.cols()) *
         signs.asDiagonal();
}

Matrix blurred_frame(const Matrix& frame, const Blur& blur, RandomStream& stream) {
  const std::vector<double> steps =
      blurred_steps({frame.data(), frame.data() + frame.size()}, blur, stream);
  return orthonormalised(grid_of(blur) *
                         Eigen::Map<const Matrix>(steps.data(), frame.rows(), frame.cols()));
}

ComplexMatrix blurred_on_orbit(const ComplexMatrix& matrix, const Vector& spectrum,
                               const Blur& blur, RandomStream& stream) {
  const ComplexMatrix vectors =
      hermitian_eigen(blurred_hermitian(matrix, blur, stream)).vectors.leftCols(spectrum.size());
  return on_steps(vectors * spectrum.asDiagonal() * vectors.adjoint(), orbit_step(spectrum, blur),
                  spectrum.sum());
}

double orbit_step(const Vector& spectrum, const Blur& blur) {
  return std::ldexp(grid_of(blur), std::ilogb(spectrum[0]));
}

namespace {

std::vector<std::string> stated_with(const Blur& blur, const std::string& left) {
  return {
      fmt::format(
          "idealised real arithmetic: the draw is exact in real numbers and is computed in "
          "doubles; exactly rounded Laplace noise of scale {:.1e} on what was drawn hides their "
          "errors, which is paid for, but for a probability of {:.1e} on each of two tables: {}",
          blur.scale, blur.failure, left),
      fmt::format("solver and sampler, assumed: at most 2^30 rows; eigenpairs are those of a "
                  "matrix within {} of the trace; a draw is farther than t 2^-48 from an exact one "
                  "with probability at most d k / t^2",
                  kSolverErrorInWords),
      std::string(kLibraryAssumption)};
}

}  // namespace

double effective_delta(double failure, PureDp directions, int group_size) {
  const double epsilon = directions.epsilon;
  const double rows = epsilon > 0.0 ? std::expm1(group_size * epsilon) / std::expm1(epsilon) : 1.0;
  return std::min(1.0, up(rows * (1.0 + std::exp(epsilon)) * failure, 16));
}

std::vector<std::string> draw_assumptions(const Blur& blur) {
  return stated_with(blur, "(1 + e^epsilon) times as much on delta(epsilon)");
}

std::vector<std::string> pure_draw_assumptions(const Blur& blur, PureDp directions,
                                               int group_size) {
  return stated_with(blur, fmt::format("an effective delta of {:.1e}",
                                       effective_delta(blur.failure, directions, group_size)));
}

std::vector<std::string> drawn_assumptions(const Blur& blur, const DrawnBudget& divided,
                                           int group_size) {
  return std::holds_alternative<PureDp>(divided.whole)
             ? pure_draw_assumptions(blur, divided.directions, group_size)
             : draw_assumptions(blur);
}

}  // namespace eigenveil
