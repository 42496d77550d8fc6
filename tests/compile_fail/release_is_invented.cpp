// A guarantee comes from a mechanism, not from a constructor.
#include "eigenveil/privacy/release.hpp"

using namespace eigenveil;

Release<double> released(const Release<double>& drawn, double number) {
#ifdef MUST_NOT_COMPILE
  return Release<double>(number, drawn.guarantee(), "mine");
#else
  return drawn.map([number](double value) { return value * number; });
#endif
}
