#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"
#include "engine/request.hpp"

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

  void declare(CLI::App& app);
  bool given() const {
    return row_norm || !range.empty() || !bounds_file.empty() || rank_transform;
  }
  /// Declared by commands that serve an asymptotic method.
  void declare_rank_transform(CLI::App& app);
  bool standardises() const { return !frequencies_file.empty(); }
  bool private_mean() const { return center == "private"; }
  CenterChoice center_choice() const;
  /// Cells come about a public frequency, or as ranks about zero: there is no mean to speak of.
  bool arrives_centred() const { return standardises() || rank_transform; }
  bool public_center_given() const { return center.starts_with("public:"); }
  /// Anything that changes which integers a row becomes; a .gram file has them fixed.
  bool shapes_rows() const {
    return given() || public_center_given() || standardises() || grid != RowBound::kDefaultMaxAbs;
  }
  /// The bound for these columns, or a sentence that says what to give and why.
  Result<RowBound> bound(const Schema& schema) const;
  /// The columns a --bounds file has lines for; none without one.
  Result<std::vector<std::string>> named_columns() const;
  /// Public frequency of the counted allele of every column, from --allele-frequencies.
  Result<std::vector<double>> frequencies(const Schema& schema) const;

 private:
  Result<RowBound> standardised_bound(const Schema& schema) const;
  Result<std::vector<ColumnRange>> ranges(const Schema& schema) const;
  Result<std::vector<double>> public_center(const Schema& schema) const;
};

/// "LO:HI" with LO < HI.
Result<ColumnRange> parse_range(const std::string& text);

/// A file of columns with names and numbers, such as `column,low,high`. Public information, written
/// by the curator: `wanted` names its number columns.
struct NamedNumbers {
  std::string column;
  std::vector<double> numbers;
};
/// Frequencies from plink's .frq file, turned to the alleles the columns count.
Result<std::vector<NamedNumbers>> read_plink_frequencies(const std::string& path,
                                                         const Schema& schema);
Result<std::vector<NamedNumbers>> read_named_numbers(const std::string& path,
                                                     const std::vector<std::string>& wanted);

}  // namespace eigenveil::cli
