// A pointer does not say in which order a matrix lies in memory.
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

eigenveil::Result<void> count(eigenveil::GramAccumulator& accumulator,
                              const eigenveil::Matrix& people) {
#ifdef MUST_NOT_COMPILE
  return accumulator.add(people.data(), static_cast<std::size_t>(people.rows()));
#else
  return accumulator.add(people);
#endif
}
