#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "data/one_hot.hpp"
#include "data/open.hpp"

namespace eigenveil::cli {

/// INPUT, --columns, --header, --width, --separator, --missing, --bad-cell, --threads.
struct InputOptions {
  std::string input;
  std::string columns;
  std::string header = "auto";
  std::size_t width = 0;                          ///< 0: not given
  std::vector<std::string> bounded_columns = {};  ///< the columns a --bounds file names
  std::string separator;
  std::string missing = "midpoint";
  std::string bad_cell = "refuse";
  int threads = 0;
  std::vector<std::string> one_hot;  ///< --one-hot COLUMN=A|B|C; only some commands offer it

  void declare(CLI::App& app);
  void declare_one_hot(CLI::App& app);
  Result<std::vector<Categories>> categories() const;
  bool is_text() const;  ///< CSV or TSV: the first line may be names
  /// Anything that changes how cells are read; a .gram file has none left.
  bool shapes_cells() const {
    return header != "auto" || width > 0 || !separator.empty() || missing != "midpoint" ||
           bad_cell != "refuse";
  }
  bool is_gram() const { return input.ends_with(".gram"); }
  bool is_plink() const;
  std::string display_name() const;  ///< the file's name without folders
  int thread_count() const;
  /// Columns, header, separator, missing and bad cells as the readers take them.
  Result<ReadOptions> read_options() const;
  Result<std::unique_ptr<RowReader>> open() const;
};

/// "a,b,c" or "@FILE" with one name per line.
Result<std::vector<std::string>> parse_columns(const std::string& text);

}  // namespace eigenveil::cli
