#include "mechanism/sharp/adaptive_calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanism/sharp/sharp_privacy.hpp"
#include "random/normal.hpp"

namespace eigenveil {
namespace {

constexpr double kSmallestGap = 0x1p-30;
constexpr double kPlateauMargin = 3.0;  ///< Yun and Dudeja's own
/// Coarse beside the spacing of doubles, so that the number of doubles in a cell shows nothing.
constexpr int kGridBits = 24;

double on_public_grid(double value) {
  return std::ldexp(std::nearbyint(std::ldexp(value, kGridBits)), -kGridBits);
}

}  // namespace

CalibrationStatistics calibration_statistics(const Vector& eigenvalues, double rows,
                                             Eigen::Index components, double nu) {
  const auto p = static_cast<double>(eigenvalues.size());
  const double at = std::max(eigenvalues[components - 1], eigenvalues[components] + kSmallestGap);
  const EmpiricalHilbert hilbert(eigenvalues, components);
  const double slope = -hilbert.derivative(at);
  CalibrationStatistics statistics;
  statistics.scaled_gap = rows * rows * (at - eigenvalues[components]) / (p * p * p);
  statistics.threshold = hilbert.value(at);
  statistics.plateau_mu2 = p * p * p * slope / (2.0 * rows * rows);
  statistics.scaled_gap_sd = std::sqrt(6.0) * rows / (nu * p * p);
  statistics.threshold_sd = std::sqrt(3.0) * p * slope / (nu * rows);
  statistics.plateau_mu2_sd = std::sqrt(3.0) * p * p * p * p * hilbert.second_derivative(at) /
                              (2.0 * nu * rows * rows * rows);
  return statistics;
}

NoisyCalibration add_calibration_noise(const CalibrationStatistics& statistics,
                                       RandomStream& stream) {
  std::array<double, 3> normals{};
  fill_standard_normal(stream, normals);
  const auto noisy = [](double value, double sd, double normal) {
    return on_public_grid(std::max(0.0, value + sd * normal));
  };
  const double raised = statistics.plateau_mu2 + kPlateauMargin * statistics.plateau_mu2_sd;
  return {noisy(statistics.scaled_gap, statistics.scaled_gap_sd, normals[0]),
          noisy(statistics.threshold, statistics.threshold_sd, normals[1]),
          noisy(raised, statistics.plateau_mu2_sd, normals[2])};
}

std::optional<double> calibrated_beta(const NoisyCalibration& noisy,
                                      const CalibrationSetting& setting) {
  const double w2 = setting.target_mu * setting.target_mu;
  if (!(w2 >= noisy.plateau_mu2)) {
    return std::nullopt;
  }
  const double p = setting.dimension;
  const double n = setting.rows;
  const double gap_sd = std::sqrt(6.0) * n / (setting.nu * p * p);
  // |H'| from the noisy plateau, an over-estimate: the true standard deviation is not public.
  const double slope = 2.0 * n * n * noisy.plateau_mu2 / (p * p * p);
  const double threshold_sd = std::sqrt(3.0) * p * slope / (setting.nu * n);
  const double gap = std::max(0.0, noisy.scaled_gap - setting.margin * gap_sd);
  const double threshold = std::max(0.0, noisy.threshold - setting.margin * threshold_sd);
  const double beta =
      2.0 * gap * (w2 + std::sqrt(std::max(0.0, w2 * (w2 - noisy.plateau_mu2)))) + threshold;
  if (!(beta > noisy.threshold)) {  // the theorem speaks of beta above H alone
    return std::nullopt;
  }
  return beta;
}

}  // namespace eigenveil
