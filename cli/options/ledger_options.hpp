#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "engine/table/release_output.hpp"

namespace eigenveil::cli {

/// --ledger, --ledger-key, --same-data.
struct LedgerOptions {
  std::string ledger;
  std::string key;
  std::string same_data;  ///< empty: rows are not compared

  void declare(CLI::App& app);
  void declare_same_data(CLI::App& app);  ///< where sums can be compared
  void fill(ReleaseOutput& output) const;
};

}  // namespace eigenveil::cli
