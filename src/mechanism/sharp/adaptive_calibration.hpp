#pragma once

#include <optional>

#include "eigenveil/core/matrix.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {

/// What the calibration of the sharp mechanism needs to know about a spectrum (Yun and Dudeja,
/// Algorithm 3), with the noise that makes each of the three nu/sqrt(3)-AGDP.
struct CalibrationStatistics {
  double scaled_gap = 0.0;     ///< D = n² (λ_k - λ_(k+1)) / p³
  double threshold = 0.0;      ///< H(λ_k)
  double plateau_mu2 = 0.0;    ///< S² = -(p³ / 2n²) H'(λ_k), the squared privacy plateau
  double scaled_gap_sd = 0.0;  ///< public: sqrt(6) n / (nu p²)
  double threshold_sd = 0.0;   ///< depends on the data, like the next
  double plateau_mu2_sd = 0.0;
};

/// `rows` is the public (or already noisy) row count. A tie behind λ_k counts as a tiny gap.
CalibrationStatistics calibration_statistics(const Vector& eigenvalues, double rows,
                                             Eigen::Index components, double nu);

/// The three after noise, positive parts, on a public grid: safe to publish. The plateau was raised
/// by three standard deviations before its noise.
struct NoisyCalibration {
  double scaled_gap = 0.0;
  double threshold = 0.0;
  double plateau_mu2 = 0.0;
};
NoisyCalibration add_calibration_noise(const CalibrationStatistics& statistics,
                                       RandomStream& stream);

/// Public facts beside the noisy statistics.
struct CalibrationSetting {
  double dimension = 0.0;
  double rows = 0.0;
  double nu = 0.0;
  double target_mu = 0.0;  ///< w, of the draw alone
  /// Standard deviations subtracted from gap and threshold, so that their errors make β smaller;
  /// 0 is Yun and Dudeja's plug-in.
  double margin = 3.0;
};

/// β for the target, or none when the target cannot be reached (w² below the plateau, or margins
/// that leave β at or below the noisy threshold). Post-processing.
std::optional<double> calibrated_beta(const NoisyCalibration& noisy,
                                      const CalibrationSetting& setting);

}  // namespace eigenveil
