// A bound in another norm must not calibrate Gaussian noise.
#include "mechanism/gauss/gauss.hpp"

using namespace eigenveil;

#ifdef MUST_NOT_COMPILE
using Norm = SpectralNorm;
#else
using Norm = FrobeniusNorm;
#endif

Result<Release<NoisyTotals>> release(const Bounded<SecondMoment, Norm>& bounded,
                                     RandomStream& stream) {
  return add_gaussian_noise(bounded, GaussianDp{1.0}, stream);
}
