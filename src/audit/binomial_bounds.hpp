#pragma once

#include <cstdint>

namespace eigenveil {

/// Clopper-Pearson bounds on a probability from `successes` of `trials`: each is wrong with
/// probability at most `error`, at every sample size.
double binomial_lower(std::uint64_t successes, std::uint64_t trials, double error);
double binomial_upper(std::uint64_t successes, std::uint64_t trials, double error);

}  // namespace eigenveil
