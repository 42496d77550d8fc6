#include "papers/orbit_regimes.hpp"

#include <fmt/format.h>

#include "mechanism/orbit/low_rank.hpp"

namespace eigenveil::papers {

std::optional<Contestant> OrbitRegimes::expected_winner() const {
  if (strength < signal_from) {
    return std::nullopt;
  }
  return strength < laplace_from ? Contestant::Orbit : Contestant::GridLaplace;
}

std::string OrbitRegimes::reason() const {
  if (strength < signal_from) {
    return fmt::format(
        "no direction shows: g1 eps = {:.3g} is below {:.3g}, where an error of 2 N g1 / ((1-x) "
        "eps) reaches |M|_F^2",
        strength, signal_from);
  }
  if (strength < laplace_from) {
    return fmt::format(
        "directions show (g1 eps = {:.3g} > {:.3g}); noise on all entries is larger up to {:.3g}",
        strength, signal_from, laplace_from);
  }
  return fmt::format(
      "g1 eps = {:.3g} > {:.3g}: the error of a drawn direction grows with g1, noise on entries "
      "does not",
      strength, laplace_from);
}

OrbitRegimes orbit_regimes(const Vector& eigenvalues, Eigen::Index rank, double epsilon) {
  const Eigen::Index d = eigenvalues.size();
  const double largest = eigenvalues[0];
  const double share = default_eigenvalue_share(d, rank);
  double pairs = 0.0;
  double kept = 0.0;  // sum of g_i over the pairs
  for (Eigen::Index i = 0; i < rank; ++i) {
    const auto smaller =
        static_cast<double>((eigenvalues.tail(d - i - 1).array() < eigenvalues[i]).count());
    pairs += smaller;
    kept += smaller * eigenvalues[i];
  }
  const double entries = static_cast<double>(rank * (2 * d - rank));
  const double variance = static_cast<double>(d * (d + 3));  // of an entry, times eps²
  OrbitRegimes regimes;
  regimes.strength = largest * epsilon;
  regimes.signal_from =
      2.0 * pairs * largest * largest / ((1.0 - share) * eigenvalues.squaredNorm());
  regimes.laplace_from = (1.0 - share) * entries * variance / (2.0 * pairs);
  // One vector with eps / (2 k): g_i / c with c = eps / (4 k) for every pair.
  regimes.iterative_ratio =
      2.0 * static_cast<double>(rank) * (1.0 - share) * kept / (pairs * largest);
  return regimes;
}

}  // namespace eigenveil::papers
