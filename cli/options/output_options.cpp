#include "cli/options/output_options.hpp"

namespace eigenveil::cli {

void OutputOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Output";
  app.add_option("--out", out,
                 "directory for release.json and its arrays, written whole or not at all")
      ->group(kGroup);
  app.add_option("--format", format, "csv (default) or npy: form of the arrays")
      ->check(CLI::IsMember({"csv", "npy"}))
      ->group(kGroup);
  app.add_flag("--json", json, "print the whole release for machines on standard output")
      ->group(kGroup);
  app.add_flag("--quiet", quiet, "no progress bar")->group(kGroup);
  app.add_option("--seed", seed,
                 "for tests and reproduction only: the randomness is known, so the release is "
                 "marked NOT PRIVATE")
      ->group(kGroup);
}

RandomStream OutputOptions::stream() const {
  return seed ? RandomStream::seeded(*seed) : RandomStream::secure();
}

}  // namespace eigenveil::cli
