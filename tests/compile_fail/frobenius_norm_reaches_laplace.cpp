// A bound in another norm must not calibrate Laplace noise.
#include "mechanism/laplace/laplace.hpp"

using namespace eigenveil;

#ifdef MUST_NOT_COMPILE
using Norm = FrobeniusNorm;
#else
using Norm = UpperTriangleL1Norm;
#endif

Result<Release<NoisyTotals>> release(const Bounded<SecondMoment, Norm>& bounded,
                                     RandomStream& stream) {
  return add_laplace_noise(bounded, PureDp{1.0}, stream);
}
