#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "mechanism/moment/second_moment.hpp"

namespace eigenveil {

/// Which continuous law is rounded to the grid.
enum class NoiseLaw : std::uint8_t { Gaussian, Laplace, Wishart };
std::string_view name_of(NoiseLaw law);  ///< "rounded Gaussian", as releases state it
double standard_deviation(NoiseLaw law, double scale);

/// The spectral norm of symmetric noise tends to this times 2 sqrt(p) times the standard deviation
/// of an entry off its diagonal: 1 for independent entries, 1.177 for two-sided Wishart noise
/// (docs/proofs/wishart.md, "What the noise shows").
double spectral_factor(NoiseLaw law);

/// Scale of the noise on every released entry, in grid units: the standard deviation of a Gaussian
/// or a Wishart matrix, the scale b of a Laplace law.
struct NoiseScale {
  NoiseLaw law = NoiseLaw::Gaussian;
  double diagonal = 0.0;
  double off_diagonal = 0.0;
  double factor = 0.0;  ///< Wishart: s of s (G Gᵀ - H Hᵀ)
  /// Gaussian: variance along the trace, I / sqrt(p), over that along any other direction.
  double trace_ratio = 1.0;
};

/// Standard deviation of the noise on a diagonal entry of Σ x xᵀ.
double diagonal_sd(const NoiseScale& scale, const MomentShape& shape);

/// Of the noise on the trace of Σ x xᵀ.
double trace_sd(const NoiseScale& scale, const MomentShape& shape);
/// What the squares of all columns share beyond independent noise: the trace has more of it then.
double shared_sd(NoiseLaw law, double diagonal_sd, double off_diagonal_sd);

/// Standard deviation of the noise on t² n, where it is released.
double corner_sd(const NoiseScale& scale, const MomentShape& shape);

/// The entries of a second moment after noise, in grid units: safe to publish.
struct NoisyTotals {
  double count = 0.0;  ///< noisy row count; the exact one where it is public
  bool count_is_public = false;
  double count_sd = 0.0;
  std::optional<Vector> sums;
  double sum_sd = 0.0;
  Matrix products;
  double product_sd = 0.0;  ///< diagonal entries of `products`
  double off_diagonal_sd = 0.0;
  double trace_sd = 0.0;
  NoiseLaw law = NoiseLaw::Gaussian;
};

/// A second moment after noise: safe to publish. Everything is in scaled units (data/bounding.hpp).
struct NoisyMoment {
  Schema schema;
  RowBound bound;
  double count = 0.0;  ///< noisy row count; the exact one where it is public
  bool count_is_public = false;
  std::optional<Vector> sums;  ///< Σ x, when released
  Matrix products;             ///< Σ x xᵀ, symmetric
  /// Standard deviations of the noise, public, in the same units.
  double product_sd = 0.0;  ///< diagonal entries of `products`
  double off_diagonal_sd = 0.0;
  double trace_sd = 0.0;
  double sum_sd = 0.0;
  double count_sd = 0.0;
  NoiseLaw law = NoiseLaw::Gaussian;
};

/// The exponent e of the public grid step 2^e that rounded noise of this scale lives on, with 2^20
/// to 2^21 steps to the diagonal scale. Refused when the noise is so large or so small that no
/// integer type holds its grid: only an absurd budget gets there.
Result<int> noise_grid_exponent(const NoiseScale& scale);

/// What a guarantee that rests on this noise assumes (docs/proofs/rounded_noise.md).
std::vector<std::string> noise_assumptions(NoiseLaw law);

/// Where the same rows must give the same bits, whatever else was computed before.
inline constexpr std::string_view kLibraryAssumption =
    "BLAS and LAPACK are functions of their arguments: the same bits for the same numbers, "
    "whatever "
    "ran before, on the processor that made the release";

/// Rounds (entry + noise) to the grid, exactly. The caller has shown that the scale fits the
/// sensitivity; mechanism/gauss, laplace and wishart and projected_moment are the only callers.
NoisyTotals add_rounded_noise(const SecondMoment& moment, const NoiseScale& scale,
                              int grid_exponent, RandomStream& stream);

NoisyMoment in_scaled_units(NoisyTotals totals, const Schema& schema, const RowBound& bound);

}  // namespace eigenveil
