#include <cstddef>

#include "core/multiversion.hpp"
#include "random/noise_law.hpp"
#include "random/vector_log.hpp"

namespace eigenveil::detail {
namespace {

EIGENVEIL_MULTIVERSION
void fill_magnitudes(const double* tails, double* magnitudes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    magnitudes[i] = negative_log(tails[i]);
  }
}

void laplace_magnitudes(std::span<const double> tails, std::span<double> magnitudes) {
  fill_magnitudes(tails.data(), magnitudes.data(), tails.size());
}

/// S(t) = e⁻ᵗ.
FixedInterval laplace_survival(const Ratio& ratio, unsigned precision) {
  const FixedInterval t = enclose(ratio, precision);
  if (vanishes(t, precision)) {
    return below_one_unit();
  }
  const BigInteger one = BigInteger(1) << precision;
  return divide({one, one}, exponential(t, precision), precision);
}

}  // namespace

const NoiseLaw kLaplaceLaw{laplace_magnitudes, laplace_survival};

}  // namespace eigenveil::detail
