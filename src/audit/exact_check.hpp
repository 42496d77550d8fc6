#pragma once

#include <functional>
#include <span>
#include <vector>

namespace eigenveil {

/// Probabilities of every output of a mechanism on one data set of a tiny domain.
using OutputLaw = std::vector<double>;

/// The exact hockey-stick divergence sum of (P - e^epsilon Q)_+ over all outputs.
double hockey_stick(const OutputLaw& first, const OutputLaw& second, double epsilon);

/// The largest delta over all ordered neighbouring pairs, at `epsilon`: the exact privacy of a
/// mechanism whose outputs can be enumerated. `neighbours(i, j)` says whether data sets i and j are
/// neighbours.
double exact_delta(std::span<const OutputLaw> laws,
                   const std::function<bool(std::size_t, std::size_t)>& neighbours, double epsilon);

}  // namespace eigenveil
