#include "mechanism/spiked/spiked_diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechanism/spiked/spiked_estimates.hpp"

namespace eigenveil {
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

/// How far, relatively, sampling may lift the estimate of sigma²: eigenvalues of a large bulk
/// fluctuate by about ln m / m; with few columns all of them lie within ((1 + sqrt(g) + t) / (1 -
/// sqrt(g)))² of one another, t = 3 / sqrt(n), but for probability exp(-9/2) (Davidson, Szarek).
double bulk_slack(const SampleCovariance& sample) {
  const auto n = static_cast<double>(sample.rows());
  const double m = std::max(2.0, std::min(n, static_cast<double>(sample.dimension())));
  const double rigid = 4.0 * std::log(m) / m;
  const double root = std::sqrt(static_cast<double>(sample.dimension()) / n);
  if (root >= 1.0) {
    return rigid;
  }
  return std::min(rigid, std::pow((1.0 + root + 3.0 / std::sqrt(n)) / (1.0 - root), 2.0) - 1.0);
}

}  // namespace

SpikedDiagnostic diagnose_spiked(const SampleCovariance& sample, const SpikedClaim& claim) {
  const Vector values = sample.eigenvalues();
  const Eigen::Index rank = claim.rank;
  const auto n = static_cast<double>(sample.rows());
  const double ratio = static_cast<double>(sample.dimension()) / n;
  const double variance = variance_behind(values, sample.rows(), sample.dimension(), rank);
  const double edge = variance * std::pow(1.0 + std::sqrt(ratio), 2.0);
  // Sampling alone: a spike moves by lambda sqrt(2/n), the bulk as bulk_slack says.
  const double spike_slack = 3.0 * std::sqrt(2.0 / n);
  const double most_variance = claim.noise_variance_upper * (1.0 + bulk_slack(sample));
  const double least_spike = std::max(0.0, claim.spike_lower * (1.0 - spike_slack));
  const double most_spread = claim.spread * (1.0 + 2.0 * spike_slack);
  const auto above = static_cast<Eigen::Index>(
      std::count_if(values.begin(), values.end(), [&](double value) { return value > edge; }));
  const double largest = spike_behind(values[0], variance, ratio);
  const double smallest = spike_behind(values[rank - 1], variance, ratio);
  SpikedDiagnostic found;
  found.checks.push_back(
      {"rank", above == rank,
       fmt::format("{} exact eigenvalues above the edge of the bulk {:.6g}, the release "
                   "used {}",
                   above, edge, rank)});
  found.checks.push_back({"sigma^2", variance <= most_variance,
                          fmt::format("exact {:.6g}, noise was scaled to at most {:.6g} ({:.6g} "
                                      "with what sampling may add)",
                                      variance, claim.noise_variance_upper, most_variance)});
  found.checks.push_back(
      {"smallest spike", smallest >= least_spike,
       fmt::format("exact lambda_r {:.6g}, noise was scaled to at least {:.6g} ({:.6g} with what "
                   "sampling may take away)",
                   smallest, claim.spike_lower, least_spike)});
  found.checks.push_back(
      {"spread", largest <= most_spread * smallest,
       fmt::format("exact lambda_1 / lambda_r {:.6g}, noise was scaled to at most {:.6g} ({:.6g} "
                   "with what sampling may add)",
                   smallest > 0.0 ? largest / smallest : INFINITY, claim.spread, most_spread)});
  found.eigenvalues = values.head(std::min<Eigen::Index>(values.size(), rank + 5));
  return found;
}

bool SpikedDiagnostic::all_hold() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.holds; });
}

std::string SpikedDiagnostic::text() const {
  std::string text =
      "PRIVATE: not part of any release and not covered by its guarantee. For the curator only.\n";
  for (const Check& check : checks) {
    text += fmt::format("{:<30}{}: {}\n", check.name, check.holds ? "holds" : "DOES NOT HOLD",
                        check.words);
  }
  text += fmt::format("{:<30}{}\n", "verdict",
                      all_hold() ? "the data look like the model the noise was scaled to"
                                 : "the data break the model the noise was scaled to: the "
                                   "guarantee of method spiked is in doubt");
  for (Eigen::Index j = 0; j < eigenvalues.size(); ++j) {
    text += fmt::format("exact eigenvalue {:<13}{:.6g}\n", j + 1, eigenvalues[j]);
  }
  return text;
}

}  // namespace eigenveil
