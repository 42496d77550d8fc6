#pragma once

#include "mechanism/orbit/orbit.hpp"

namespace eigenveil {

/// What real rows get from a Hermitian draw: its real part, cut to the rank. For a real M,
/// |H - M|² = |Re H - M|² + |Im H|²: the real part is never farther from M than the draw. Its
/// eigenvalues are majorised by those of H, as Re H is the mean of H and its conjugate; giving them
/// back would give up this shrinkage. Post-processing.
Matrix real_part(const OrbitDraw& draw);

/// The leading eigenvectors of the real part with the eigenvalues of the draw, largest first:
/// post-processing.
Matrix real_with_spectrum(const OrbitDraw& draw);

}  // namespace eigenveil
