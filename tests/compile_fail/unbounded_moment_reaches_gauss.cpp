// The exact statistic itself, without its sensitivity, is refused too.
#include "mechanism/gauss/gauss.hpp"

using namespace eigenveil;

Result<Release<NoisyTotals>> release(const SecondMoment& exact,
                                     const Bounded<SecondMoment, FrobeniusNorm>& bounded,
                                     RandomStream& stream) {
#ifdef MUST_NOT_COMPILE
  (void)bounded;
  return add_gaussian_noise(exact, GaussianDp{1.0}, stream);
#else
  (void)exact;
  return add_gaussian_noise(bounded, GaussianDp{1.0}, stream);
#endif
}
