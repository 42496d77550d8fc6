// What is left of a release that was taken has no value for its guarantee.
#include "eigenveil/privacy/release.hpp"

using namespace eigenveil;

double taken(Release<double>& release) {
#ifdef MUST_NOT_COMPILE
  return release.take();
#else
  return std::move(release).take();
#endif
}
