#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/engine/method.hpp"
#include "eigenveil/random/stream.hpp"
#include "eigenveil/report/release_writer.hpp"

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
  std::string charged;                 ///< what a ledger took for it, for the summary
  std::string warning;  ///< a public sentence about the request, for the summary; may be empty

  void declare(CLI::App& app);
  TableFormat table_format() const { return format == "npy" ? TableFormat::Npy : TableFormat::Csv; }
  Existing existing() const { return replace ? Existing::Replace : Existing::Refuse; }
  RandomStream stream() const;
  bool is_quiet() const { return quiet || json; }
  /// Where the release goes; a method that streams may write a file with the release beside it.
  ReleaseTarget target(bool streams, int threads) const;
  /// Tries --out before a row is read: a release that cannot be written would be lost.
  Result<void> check_writable() const;
  /// Checksums of the releases that --builds-on names, and of the one that a file of bounds belongs
  /// to: it lies beside the document of private bounds.
  Result<std::vector<std::string>> releases_built_on(const std::string& bounds_file) const;
  /// The same for a method that streams: `plan` knows what would lie beside a file.
  Result<void> check_streamable(const Plan& plan) const;
};

}  // namespace eigenveil::cli
