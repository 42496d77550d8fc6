#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "engine/table/opened_table.hpp"

namespace eigenveil::cli {

/// The name of an input without its folders, for the terminal.
std::string display_name(const std::string& input);

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
  void declare_exclude(CLI::App& app);
  void declare_missing(CLI::App& app);
  void declare_one_hot(CLI::App& app);
  void declare_person(CLI::App& app);  ///< --person, --rows-per-person
  void declare_people(CLI::App& app);  ///< and --weights, --weight-bound
  bool is_text() const;                ///< CSV or TSV: the first line may be names
  bool chooses_columns() const { return !columns.empty() || !exclude.empty() || !one_hot.empty(); }
  bool is_gram() const { return is_gram_file(input); }
  std::string display_name() const { return cli::display_name(input); }
  int thread_count() const;
  /// Columns, levels, missing and bad cells.
  Result<void> fill(TableSpec& spec) const;
  /// Header, width and separator, as the readers take them.
  ReadOptions format() const;
  /// The table as these options have it, and as a spec has it.
  Result<TableSource> source() const;
  TableSource source(TableSpec spec) const { return {input, nullptr, std::move(spec), format()}; }
};

/// "a,b,c" or "@FILE" with one name per line.
Result<std::vector<std::string>> parse_columns(const std::string& text);

}  // namespace eigenveil::cli
