#pragma once

#include "papers/entry.hpp"
#include "papers/spiked_simulation.hpp"

namespace eigenveil::papers {

/// Why an order of the paper did not come out: the error of the published Algorithm 1 at one
/// setting for smaller constants than C2 = C3 = 4 and, for covariances, with each of its noises
/// left out. Rows of a table, beside the rivals at the same setting.
PrintedTable constants_table(const std::string& name, const SpikedSetting& setting, bool covariance,
                             int repetitions, RandomStream& stream);

}  // namespace eigenveil::papers
