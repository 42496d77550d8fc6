// Floats are cast, not read as doubles.
#include <Eigen/Core>

#include "eigenveil/statistics/exact_gram.hpp"

eigenveil::Result<void> count(eigenveil::GramAccumulator& accumulator,
                              const Eigen::MatrixXf& people) {
#ifdef MUST_NOT_COMPILE
  return accumulator.add(people);
#else
  return accumulator.add(people.cast<double>().eval());
#endif
}
