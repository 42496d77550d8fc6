// Rows that were not bounded cannot enter a mechanism.
#include "eigenveil/data/raw_rows.hpp"
#include "mechanism/gauss/gauss.hpp"

using namespace eigenveil;

Result<Release<NoisyTotals>> release(const RawRows& raw,
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
