#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "cli/options/input_options.hpp"
#include "cli/options/output_options.hpp"
#include "ledger/spending.hpp"

namespace eigenveil::cli {

/// For releases that cannot be charged yet: refused where the shell names a ledger, so that nothing
/// is spent behind its back.
Result<void> refuse_uncharged(std::string_view command);

/// --ledger, --ledger-key.
struct LedgerOptions {
  std::string ledger;
  std::string key;

  void declare(CLI::App& app);
  /// Opens the ledger and checks what it asks of a command: a directory for --out, and a text
  /// table whose header is declared, because looking for one would read the data before the budget
  /// is reserved. Without --ledger: spending that costs nothing.
  Result<Spending> open(const InputOptions& input, const OutputOptions& output) const;
};

/// What is said when a retry found its release.
void print_published_again(std::int64_t index, const OutputOptions& output);

/// "entry 3 of Survey 2026 ...": one line for the summary; empty without a ledger.
std::string charged_in_words(const Spending& spending);

}  // namespace eigenveil::cli
