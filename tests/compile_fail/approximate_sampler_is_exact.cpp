// A sampler that only comes close cannot stand where an exact one is asked for.
#include "sampling/sampler.hpp"

using namespace eigenveil;

#ifdef MUST_NOT_COMPILE
using Sampler = ApproximateSampler<Matrix>;
#else
using Sampler = ExactSampler<Matrix>;
#endif

const ExactSampler<Matrix>& worst_case(const Sampler& sampler) {
  return sampler;
}
