#include "cli/options/output_options.hpp"

#include "cli/options/checks.hpp"
#include "core/atomic_output.hpp"

namespace eigenveil::cli {

void OutputOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Output";
  app.add_option("--out", out,
                 "directory for release.json and its arrays, written whole or not at all")
      ->check(not_empty())
      ->group(kGroup);
  app.add_flag("--replace", replace, "--out may hold an earlier release, which is then lost")
      ->group(kGroup);
  app.add_option("--format", format, "csv (default) or npy: form of the arrays")
      ->check(one_of({"csv", "npy"}))
      ->group(kGroup);
  app.add_flag("--json", json, "print the whole release for machines on standard output")
      ->group(kGroup);
  app.add_flag("--quiet", quiet, "no progress bar")->group(kGroup);
  app.add_option("--seed", seed,
                 "for tests and reproduction only: the randomness is known, so the release is "
                 "marked NOT PRIVATE")
      ->check(whole_number(0))
      ->group(kGroup);
}

RandomStream OutputOptions::stream() const {
  return seed ? RandomStream::seeded(*seed) : RandomStream::secure();
}

Result<void> OutputOptions::check_writable() const {
  if (out.empty()) {
    return {};
  }
  return AtomicDirectory::create(out, existing()).map([](const AtomicDirectory&) {});
}

}  // namespace eigenveil::cli
