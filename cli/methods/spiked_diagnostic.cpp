#include "cli/methods/spiked_diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/options/checks.hpp"
#include "eigenveil/core/atomic_output.hpp"
#include "eigenveil/mechanism/spiked_estimates.hpp"

namespace eigenveil::cli {
namespace {

/// The spike behind a sample eigenvalue, by the inverse of l -> (l + s)(1 + g s / l) for p/n = g
/// and noise variance s; 0 inside the bulk.
double spike_behind(double eigenvalue, double variance, double ratio) {
  const double scaled = eigenvalue / std::max(variance, 1e-300);
  const double middle = scaled + 1.0 - ratio;
  const double root = middle * middle - 4.0 * scaled;
  if (root < 0.0 || scaled <= std::pow(1.0 + std::sqrt(ratio), 2.0)) {
    return 0.0;
  }
  return variance * (0.5 * (middle + std::sqrt(root)) - 1.0);
}

struct Verdicts {
  std::string text;
  bool all_hold = true;

  void add(const std::string& name, bool holds, const std::string& words) {
    all_hold = all_hold && holds;
    text += fmt::format("{:<30}{}: {}\n", name, holds ? "holds" : "DOES NOT HOLD", words);
  }
};

std::string diagnostic_text(const SampleCovariance& sample, const SpikedResult& result,
                            double spread) {
  const Vector values = sample.eigenvalues();
  const Eigen::Index rank = result.frame.cols();
  const auto n = static_cast<double>(sample.rows());
  const double ratio = static_cast<double>(sample.dimension()) / n;
  const double variance = bulk_estimate(sample.rows(), sample.dimension()).noise_variance(values);
  const double edge = variance * std::pow(1.0 + std::sqrt(ratio), 2.0);
  // Sampling alone: a spike moves by lambda sqrt(2/n), the bulk by about ln m / m.
  const double spike_slack = 3.0 * std::sqrt(2.0 / n);
  const double m = std::max(2.0, std::min(n, static_cast<double>(sample.dimension())));
  const double bulk_slack = 4.0 * std::log(m) / m;
  const auto above = static_cast<Eigen::Index>(
      std::count_if(values.begin(), values.end(), [&](double value) { return value > edge; }));
  const double largest = spike_behind(values[0], variance, ratio);
  const double smallest = spike_behind(values[rank - 1], variance, ratio);
  Verdicts verdicts;
  verdicts.add("rank", above == rank,
               fmt::format("{} exact eigenvalues above the edge of the bulk {:.6g}, the release "
                           "used {}",
                           above, edge, rank));
  verdicts.add("sigma^2", variance <= result.noise_variance_upper * (1.0 + bulk_slack),
               fmt::format("exact {:.6g}, noise was scaled to at most {:.6g}", variance,
                           result.noise_variance_upper));
  verdicts.add("smallest spike", smallest >= result.spike_lower * (1.0 - spike_slack),
               fmt::format("exact lambda_r {:.6g}, noise was scaled to at least {:.6g}", smallest,
                           result.spike_lower));
  verdicts.add("spread", largest <= spread * smallest * (1.0 + 2.0 * spike_slack),
               fmt::format("exact lambda_1 / lambda_r {:.6g}, noise was scaled to at most {:.6g}",
                           smallest > 0.0 ? largest / smallest : INFINITY, spread));
  std::string text = fmt::format(
      "PRIVATE: not part of any release and not covered by its guarantee. For the curator only.\n"
      "{}verdict                       {}\n",
      verdicts.text,
      verdicts.all_hold ? "the data look like the model the noise was scaled to"
                        : "the data break the model the noise was scaled to: the guarantee of "
                          "method spiked is in doubt");
  for (Eigen::Index j = 0; j < std::min<Eigen::Index>(values.size(), rank + 5); ++j) {
    text += fmt::format("exact eigenvalue {:<13}{:.6g}\n", j + 1, values[j]);
  }
  return text;
}

}  // namespace

Outcome write_spiked_diagnostic(const std::string& path, const SampleCovariance& sample,
                                const SpikedResult& result, double spread) {
  if (const Result<void> fresh = check_new_file(path); !fresh) {
    return fresh;
  }
  return write_file_atomically(path, diagnostic_text(sample, result, spread),
                               FileAccess::OwnerOnly);
}

}  // namespace eigenveil::cli
