// A sum of matrices lies nowhere in memory: it must be evaluated before it is read.
#include "eigenveil/core/matrix.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

eigenveil::Result<void> count(eigenveil::GramAccumulator& accumulator,
                              const eigenveil::Matrix& people) {
#ifdef MUST_NOT_COMPILE
  return accumulator.add(people + people);
#else
  return accumulator.add((people + people).eval());
#endif
}
