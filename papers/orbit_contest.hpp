#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil::papers {

/// One way to publish a rank-k approximation of M under pure epsilon for replace-one, rows of norm
/// at most 1. M is diagonal: every method here commutes with rotations but the Laplace one, whose
/// noise does not see them.
enum class Contestant : std::uint8_t {
  Orbit,           ///< Algorithm 2 with our constants, real part, cut to rank k
  OrbitPublished,  ///< the same with the paper's constants
  Iterative,       ///< prior work: eigenvalues with eps/2, one vector after the other with eps/(2k)
  GridLaplace,     ///< Laplace noise on every entry, cut to rank k
};
std::string name_of(Contestant contestant);
inline constexpr std::array kContestants = {Contestant::Orbit, Contestant::OrbitPublished,
                                            Contestant::Iterative, Contestant::GridLaplace};

/// Mean of |M - H|_F² over `repetitions` releases and its standard error.
struct MeanError {
  double mean = 0.0;
  double standard_error = 0.0;
};
MeanError mean_squared_error(Contestant contestant, const Vector& eigenvalues, Eigen::Index rank,
                             double epsilon, int repetitions, RandomStream& stream);

}  // namespace eigenveil::papers
