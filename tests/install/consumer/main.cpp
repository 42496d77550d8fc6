#include <cstdio>

#include "eigenveil/core/version.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/conversion.hpp"

/// What someone else's program does with the library: calibrate, convert, print.
int main() {
  const double mu = eigenveil::gaussian_mu_for({0.1, 0.01});
  const double delta = eigenveil::delta_at(eigenveil::GaussianDp{mu}, 0.1);
  std::printf("eigenveil %s sigma %.2f %s\n", eigenveil::kVersion, 1.0 / mu,
              delta <= 0.01 ? "meets delta" : "exceeds delta");
  return delta <= 0.01 ? 0 : 1;
}
