#include "cli/methods/spiked_diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/options/checks.hpp"
#include "eigenveil/core/atomic_output.hpp"
#include "eigenveil/mechanism/spiked_estimates.hpp"

namespace eigenveil::cli {
namespace {

std::string diagnostic_text(const SampleCovariance& sample, Eigen::Index rank) {
  const Vector values = sample.eigenvalues();
  const double ratio = static_cast<double>(sample.dimension()) / static_cast<double>(sample.rows());
  const double variance = bulk_estimate(sample.rows(), sample.dimension()).noise_variance(values);
  const double edge = variance * std::pow(1.0 + std::sqrt(ratio), 2.0);
  const auto above = static_cast<Eigen::Index>(
      std::count_if(values.begin(), values.end(), [&](double value) { return value > edge; }));
  std::string text = fmt::format(
      "PRIVATE: not part of any release and not covered by its guarantee. For the curator only.\n"
      "exact noise variance (bulk)   {:.6g}\nedge of the bulk              {:.6g}\n"
      "eigenvalues above the edge    {}\nassumed rank                  {}\n"
      "verdict                       {}\n",
      variance, edge, above, rank,
      above == rank  ? "the data look spiked with the assumed rank"
      : above > rank ? "more directions stand out than the model assumes: the guarantee of method "
                       "spiked is in doubt"
                     : "fewer directions stand out than the model assumes: the guarantee of method "
                       "spiked is in doubt");
  for (Eigen::Index j = 0; j < std::min<Eigen::Index>(values.size(), rank + 5); ++j) {
    text += fmt::format("exact eigenvalue {:<13}{:.6g}\n", j + 1, values[j]);
  }
  return text;
}

}  // namespace

Outcome write_spiked_diagnostic(const std::string& path, const SampleCovariance& sample,
                                Eigen::Index rank) {
  if (const Result<void> fresh = check_new_file(path); !fresh) {
    return fresh;
  }
  return write_file_atomically(path, diagnostic_text(sample, rank), FileAccess::OwnerOnly);
}

}  // namespace eigenveil::cli
