#pragma once

#include <optional>
#include <string>

#include "papers/orbit_contest.hpp"

namespace eigenveil::papers {

/// Who should win, from first-order errors (replace-one, R = 1). With N pairs of a kept and a
/// smaller eigenvalue and share x of the budget on eigenvalues:
///   orbit     2 N g_1 / ((1 - x) eps)       a drawn direction is off by more, the larger g_1 is
///   Laplace   (2 d k - k²) d (d + 3) / eps²  noise on entries does not know g_1
///   nothing   |M|_F²                        what publishing zeros costs
/// so everything is decided by g_1 eps: below `signal_from` no direction shows, above
/// `laplace_from` noise on the entries is smaller.
struct OrbitRegimes {
  double strength = 0.0;  ///< g_1 eps
  double signal_from = 0.0;
  double laplace_from = 0.0;
  double iterative_ratio = 0.0;  ///< iterative / orbit where both see the directions

  /// None where no direction shows.
  std::optional<Contestant> expected_winner() const;
  std::string reason() const;
};
OrbitRegimes orbit_regimes(const Vector& eigenvalues, Eigen::Index rank, double epsilon);

}  // namespace eigenveil::papers
