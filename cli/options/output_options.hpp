#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "eigenveil/random/stream.hpp"
#include "report/release_writer.hpp"

namespace eigenveil::cli {

/// --out, --replace, --format, --json, --seed, --quiet.
struct OutputOptions {
  std::string out;
  bool replace = false;
  std::string format = "csv";
  bool json = false;
  bool quiet = false;
  std::optional<std::uint64_t> seed;
  std::string warning;  ///< a public sentence about the request, for the summary; may be empty

  void declare(CLI::App& app);
  TableFormat table_format() const { return format == "npy" ? TableFormat::Npy : TableFormat::Csv; }
  Existing existing() const { return replace ? Existing::Replace : Existing::Refuse; }
  RandomStream stream() const;
  bool is_quiet() const { return quiet || json; }
  /// Tries --out before a row is read: a release that cannot be written would be lost.
  Result<void> check_writable() const;
};

}  // namespace eigenveil::cli
