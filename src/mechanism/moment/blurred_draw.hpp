#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// A direction that is drawn in doubles carries the errors of the eigensolver and of the sampler in
/// its low bits, and those depend on the rows. Before anything of a draw is released it is blurred:
/// exactly rounded Laplace noise, far below what the draw itself hides but far above those errors.
/// What is public about a draw (orthonormal columns, prescribed eigenvalues, their sum) is restored
/// from the blurred integers, so every further bit is post-processing.
/// Proof: docs/proofs/double_precision.md.

/// Which numbers are blurred, from public sizes.
struct DrawShape {
  enum class Released : std::uint8_t { Frame, HermitianMatrix };
  Eigen::Index dimension = 0;
  Eigen::Index rank = 1;
  Released released = Released::Frame;
};

/// The noise that hides the errors, and what it leaves.
struct Blur {
  double scale = 0.0;    ///< of the Laplace noise; entries of what is drawn are at most 1
  double failure = 0.0;  ///< D of the proof page: the probability of an error it does not hide
};

/// `epsilon`: what the blur may cost between two tables.
Blur blur_for(double epsilon, const DrawShape& shape);

constexpr double kBlurShare = 0x1p-10;  ///< of the epsilon of a draw

/// An epsilon for directions, divided between the law they are drawn from and the blur. `draw` is
/// smaller by what the backward error of the solver can add on tables of at most 2^30 rows.
struct DrawBudget {
  double draw = 0.0;
  Blur blur;
};
DrawBudget split_draw_budget(double epsilon, const DrawShape& shape);

/// The same for a draw that costs mu (Gaussian DP): the blur takes 2^-16 of mu², and `draw` is what
/// it leaves of mu.
DrawBudget split_draw_mu(double mu, const DrawShape& shape);

/// Orthonormal columns from the blurred entries of `frame`, p x k.
Matrix blurred_frame(const Matrix& frame, const Blur& blur, RandomStream& stream);

/// The Hermitian matrix with eigenvalues `spectrum` (and zeros) nearest to the blurred `matrix`,
/// whose largest eigenvalue is 1 and stands for spectrum[0] > 0. Entries are multiples of a public
/// step, and the trace is the sum of the eigenvalues to the step, exactly.
ComplexMatrix blurred_on_orbit(const ComplexMatrix& matrix, const Vector& spectrum,
                               const Blur& blur, RandomStream& stream);

/// That step.
double orbit_step(const Vector& spectrum, const Blur& blur);

/// Q of the QR factorisation with a positive diagonal of R: unique, so a Gaussian matrix gives a
/// uniform frame.
Matrix orthonormalised(const Matrix& columns);

/// What a guarantee assumes that rests on a blurred draw, with scale and failure as numbers.
std::vector<std::string> draw_assumptions(const Blur& blur);

}  // namespace eigenveil
