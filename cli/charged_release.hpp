#pragma once

#include "cli/options/ledger_options.hpp"
#include "cli/summary.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil::cli {

/// One release of a command on its way past the ledger that --ledger names, or past none: charged
/// before a row is read, written down before it appears.
class ChargedRelease {
 public:
  /// Refuses what a ledger cannot take: see LedgerOptions::open.
  static Result<ChargedRelease> open(const LedgerOptions& ledger, const InputOptions& input,
                                     const OutputOptions& output);

  bool active() const { return spending_.active(); }
  bool charged() const { return spending_.reservation().has_value(); }
  /// Checksums of releases that this one is made with, for its document and its line.
  void build_on(std::vector<std::string> releases);
  /// True: the release of a retry was found and lies in --out, there is nothing left to do. Without
  /// a ledger only --out is tried.
  Result<bool> charge(const ReleaseCost& cost, const std::string& request,
                      const OutputOptions& output);
  /// What the curator is asked on the terminal where the rows are not those of the last release
  /// under this name; says nothing about them.
  Result<void> ask_about(const ExactGram& sums) const;
  std::optional<LedgerEntry> entry() const { return spending_.entry(); }
  Outcome publish(ReleaseDocument document, OutputOptions output, TerminalNotes notes) const;

 private:
  Spending spending_;
  std::vector<std::string> builds_on_;
};

}  // namespace eigenveil::cli
