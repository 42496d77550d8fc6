#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"
#include "eigenveil/engine/request.hpp"
#include "engine/table/table_spec.hpp"

namespace eigenveil::cli {

/// --row-norm, --range, --bounds, --grid, --center, --allele-frequencies: what the curator knows
/// without looking.
struct BoundOptions {
  std::optional<double> row_norm;
  std::string range;
  std::string bounds_file;
  std::int64_t grid = RowBound::kDefaultMaxAbs;
  std::string center;  ///< empty: nothing was said, and settle_center (engine/registry.hpp) decides
  std::string frequencies_file;
  /// Columns become their centred ranks (data/rank_transform.hpp); asymptotic methods only.
  bool rank_transform = false;

  std::string project_file;
  std::optional<double> projected_norm;
  std::optional<double> outside_norm;
  bool normalise_rows = false;

  void declare(CLI::App& app);
  /// --project, --projected-norm, --normalise-rows: declared by commands that can go back to the
  /// columns.
  void declare_stages(CLI::App& app);
  void declare_basis(CLI::App& app);  ///< of them, the basis alone
  /// Declared by commands that serve an asymptotic method.
  void declare_rank_transform(CLI::App& app);
  bool standardises() const { return !frequencies_file.empty(); }
  bool private_mean() const { return center == "private"; }
  CenterChoice center_choice() const;
  /// Cells come about a public frequency, or as ranks about zero: there is no mean to speak of.
  bool arrives_centred() const { return standardises() || rank_transform; }
  bool public_center_given() const { return center.starts_with("public:"); }
  /// Reads the public files and fills in what they and the options say.
  Result<void> fill(TableSpec& spec) const;
};

/// "LO:HI" with LO < HI.
Result<ColumnRange> parse_range(const std::string& text, const std::string& option = "--range");

}  // namespace eigenveil::cli
