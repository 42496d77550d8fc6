#pragma once

#include "mechanism/moment/second_moment.hpp"

namespace eigenveil {

/// Gaussian noise whose variance along the trace is `ratio` times that along every other direction
/// of symmetric matrices. A change D of the entries then counts
/// |D|_F² + (1/ratio - 1) (tr D)² / p, at most `sensitivity`² for neighbours.
struct TraceApart {
  double ratio = 1.0;
  double sensitivity = 0.0;
};

/// What neighbours allow, from the Frobenius sensitivity of the shape. Proof:
/// docs/proofs/trace_noise.md.
///
/// Add-remove and zero-row: a row moves the trace with everything else, so a larger ratio (the one
/// with the least mean squared error of the whole matrix) leaves less noise for the directions.
/// Replace-one: the worst pairs do not move the trace, which then needs 1 / (p + 1) of the variance
/// only, at no price.
TraceApart trace_apart(const MomentShape& shape, double frobenius_sensitivity);

}  // namespace eigenveil
