#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/input_options.hpp"
#include "cli/options/output_options.hpp"
#include "ledger/spending.hpp"

namespace eigenveil::cli {

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

}  // namespace eigenveil::cli
