#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/input_options.hpp"
#include "cli/options/output_options.hpp"
#include "ledger/spending.hpp"

namespace eigenveil::cli {

/// --ledger, --ledger-key, --same-data.
struct LedgerOptions {
  std::string ledger;
  std::string key;
  bool same_data = false;

  void declare(CLI::App& app);
  void declare_same_data(CLI::App& app);  ///< where sums can be compared
  /// Opens the ledger and checks what it asks of a command: a directory for --out, and a text
  /// table whose header is declared, because looking for one would read the data before the budget
  /// is reserved. Without --ledger: spending that costs nothing.
  Result<Spending> open(const InputOptions& input, const OutputOptions& output) const;
};

}  // namespace eigenveil::cli
