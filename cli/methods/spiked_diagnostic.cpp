#include "cli/methods/spiked_diagnostic.hpp"

#include "cli/options/checks.hpp"
#include "core/atomic_output.hpp"
#include "mechanism/spiked/spiked_diagnostic.hpp"

namespace eigenveil::cli {

Outcome write_spiked_diagnostic(const std::string& path, const SampleCovariance& sample,
                                const SpikedResult& result, double spread) {
  if (const Result<void> fresh = check_new_file(path); !fresh) {
    return fresh;
  }
  const SpikedDiagnostic found = diagnose_spiked(
      sample, {result.frame.cols(), result.noise_variance_upper, result.spike_lower, spread});
  return write_file_atomically(path, found.text(), FileAccess::OwnerOnly);
}

}  // namespace eigenveil::cli
