#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "engine/table/table_spec.hpp"

namespace eigenveil::cli {

/// INPUT, --columns, --header, --width, --separator, --missing, --bad-cell, --threads.
struct InputOptions {
  std::string input;
  std::string columns;
  std::string exclude;
  std::string header = "auto";
  std::size_t width = 0;  ///< 0: not given
  std::string separator;
  std::string decimal;
  std::string encoding = "utf-8";
  std::string missing = "midpoint";
  bool takes_pairwise = false;  ///< of commands that can leave missing cells out
  std::string bad_cell = "refuse";
  int threads = 0;
  std::string person;
  std::uint32_t rows_per_person = 0;
  std::string weights;
  double weight_bound = 0.0;
  std::vector<std::string> one_hot;  ///< --one-hot COLUMN=A|B|C; only some commands offer it

  void declare(CLI::App& app);
  void declare_one_hot(CLI::App& app);
  void declare_people(CLI::App& app);  ///< --person, --rows-per-person, --weights, --weight-bound
  bool is_text() const;                ///< CSV or TSV: the first line may be names
  /// Anything that changes how cells are read; a .gram file has none left.
  bool shapes_cells() const {
    return header != "auto" || width > 0 || !separator.empty() || !decimal.empty() ||
           encoding != "utf-8" || missing != "midpoint" || bad_cell != "refuse";
  }
  bool chooses_columns() const { return !columns.empty() || !exclude.empty() || !one_hot.empty(); }
  bool is_gram() const { return input.ends_with(".gram"); }
  bool is_plink() const;
  std::string display_name() const;  ///< the file's name without folders
  int thread_count() const;
  /// Columns, levels, missing and bad cells.
  Result<void> fill(TableSpec& spec) const;
  /// Header, width and separator, as the readers take them.
  ReadOptions format() const;
  /// The rows as they are read with these options alone, or as a spec wants them.
  Result<std::unique_ptr<RowReader>> open() const;
  Result<std::unique_ptr<RowReader>> open(const TableSpec& spec) const;
};

/// "a,b,c" or "@FILE" with one name per line.
Result<std::vector<std::string>> parse_columns(const std::string& text);

}  // namespace eigenveil::cli
