// A plain matrix has no sensitivity.
#include "eigenveil/core/matrix.hpp"
#include "mechanism/gauss/gauss.hpp"

using namespace eigenveil;

Result<Release<NoisyTotals>> release(const Matrix& raw,
                                     const Bounded<SecondMoment, FrobeniusNorm>& bounded,
                                     RandomStream& stream) {
#ifdef MUST_NOT_COMPILE
  (void)bounded;
  return add_gaussian_noise(raw, GaussianDp{1.0}, stream);
#else
  (void)raw;
  return add_gaussian_noise(bounded, GaussianDp{1.0}, stream);
#endif
}
