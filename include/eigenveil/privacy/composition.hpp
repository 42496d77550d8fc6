#pragma once

#include <cstdint>
#include <vector>

#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// Sequential composition of any number of releases, also adaptively chosen ones. Composing a list
/// at once is tighter than folding it, because each kind is summed in closed form first:
///   pure: epsilon adds; (epsilon, delta): both add; zCDP: rho adds; GDP: mu in quadrature;
///   zCDP with GDP: rho = mu^2/2; Renyi curves, or a zCDP or Renyi release with a pure or Gaussian
///   one: divergences add order by order;
///   everything else: the numerical privacy loss distribution, returned as a trade-off curve.
/// The empty list is 0-DP.
[[nodiscard]] Result<Loss> compose_losses(const std::vector<Loss>& losses);

/// The same for guarantees: one relation or an error, the weakest basis, both lists of assumptions.
[[nodiscard]] Result<Guarantee> compose_all(const std::vector<Guarantee>& guarantees);

/// Who decides to which part of a partition a row belongs.
enum class Partition : std::uint8_t {
  DecidedByRow,    ///< the content of the row: a replaced row may change two parts
  FixedAndPublic,  ///< the row index or a public key, the same for every neighbour
};

/// Releases on disjoint parts of one data set: the largest loss. Under add-remove for every
/// partition; under any other relation only if the partition is fixed and public.
[[nodiscard]] Result<Guarantee> compose_parallel(const std::vector<Guarantee>& guarantees,
                                                 Partition partition);

}  // namespace eigenveil
