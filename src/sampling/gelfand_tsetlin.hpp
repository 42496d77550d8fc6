#pragma once

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"
#include "sampling/sampler.hpp"

namespace eigenveil {

/// A Gelfand-Tsetlin pattern as a d x k matrix: row i (counted from 1) holds the k largest
/// eigenvalues of the leading i x i block of H, largest first, zero past the i-th. Consecutive rows
/// interlace: R(i+1,j) >= R(i,j) >= R(i+1,j+1). The last row is the spectrum l of the orbit.
using GelfandTsetlinPattern = Matrix;

/// The largest and the smallest pattern with last row `spectrum` (non-increasing, not negative).
/// Where they agree an entry is frozen, and both hold the same double as `spectrum`.
GelfandTsetlinPattern largest_pattern(const Vector& spectrum, Eigen::Index dimension);
GelfandTsetlinPattern smallest_pattern(const Vector& spectrum, Eigen::Index dimension);

/// A d x k frame V, Vᴴ V = diag(l), such that the leading blocks of H = V Vᴴ have the spectra
/// given by `pattern`, and H is uniform among all such matrices: independent uniform directions in
/// the eigenspaces. `pattern` must interlace exactly. k x k rank-one updates, O(d k³).
/// Proof: docs/proofs/orbit_samplers.md, section 3.
ComplexMatrix frame_from_pattern(const GelfandTsetlinPattern& pattern, RandomStream& stream);

}  // namespace eigenveil
