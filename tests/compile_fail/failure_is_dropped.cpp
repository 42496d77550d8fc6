// A shard that could not be merged is missing in silence where the result is thrown away.
#include "eigenveil/statistics/exact_gram.hpp"

#pragma GCC diagnostic error "-Wunused-result"

using namespace eigenveil;

bool merge(ExactGram& all, const ExactGram& part) {
#ifdef MUST_NOT_COMPILE
  all.merge(part);
  return true;
#else
  return all.merge(part).has_value();
#endif
}
