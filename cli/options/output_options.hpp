#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/table/release_output.hpp"

namespace eigenveil::cli {

/// --out, --replace, --format, --json, --seed, --quiet, --data-set, --date, --builds-on.
struct OutputOptions {
  std::string out;
  bool replace = false;
  std::string format = "csv";
  bool json = false;
  bool quiet = false;
  std::optional<std::uint64_t> seed;
  std::string data_set;  ///< a public name, for the document
  std::string date;
  std::vector<std::string> builds_on;  ///< releases that the one to come is made with

  void declare(CLI::App& app);
  bool is_quiet() const { return quiet || json; }
  /// As the engine takes it. A file of bounds that lies beside the document of private bounds
  /// belongs to a release, which the one to come builds on.
  ReleaseOutput as_asked(const std::string& bounds_file = {}) const;
};

}  // namespace eigenveil::cli
