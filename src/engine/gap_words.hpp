#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eigenveil {

/// What an estimate is about, as far as a missing cell bends it.
enum class GapEffect : std::uint8_t { SecondMoment, Covariance, Regression, Subspace };

/// One sentence for everybody who reads a result: what was done about missing cells and which way
/// it biases. It depends on the public option alone, never on whether a cell was missing.
///
/// With a share q of the cells of a column at the midpoint, y the distance from it: E y² becomes
/// (1 - q) E y², E y becomes (1 - q) E y, and the variance (1 - q) (Var y + q (E y)²), which is
/// below Var y unless (1 - q) (E y)² > Var y.
std::string gaps_in_words(bool fills_gaps, GapEffect effect);

/// The same where the missing cells of these columns are left out pair by pair.
std::string pairwise_in_words(const std::vector<std::string>& columns);

}  // namespace eigenveil
