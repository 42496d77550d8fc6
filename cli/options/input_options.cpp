#include "cli/options/input_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "cli/options/checks.hpp"
#include "core/parallel.hpp"
#include "core/plain_text.hpp"
#include "engine/table/release_job.hpp"

namespace eigenveil::cli {
namespace {

constexpr std::string_view kPairwiseOf = "pairwise=";

}  // namespace

void InputOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Input";
  app.add_option(
         "INPUT", input,
         ".csv, .tsv or .txt (also .gz), .npy, .bed (PLINK, with .bim and .fam), .idx or -ubyte "
         "(also .gz), .gram, or - for CSV on standard input")
      ->required()
      ->group(kGroup);
  app.add_option("--columns", columns, "columns to use, a,b,c or @FILE with one name per line")
      ->check(not_empty())
      ->group(kGroup);
  declare_exclude(app);
  app.add_option(
         "--header", header,
         "auto (default), present, absent, or numbers (names, some of them numbers): is the "
         "first line names?")
      ->check(one_of({kHeaderWords.begin(), kHeaderWords.end()}))
      ->group(kGroup);
  app.add_option("--width", width,
                 "with --header absent: fields on every line; with --bad-cell midpoint the number "
                 "of columns must be public, not read off the first row")
      ->check(whole_number(1, std::uint64_t{1} << 20U))
      ->group(kGroup);
  app.add_option("--separator", separator,
                 "comma, semicolon, tab or pipe: between fields (default comma, tab for .tsv)")
      ->check(one_of({"comma", "semicolon", "tab", "pipe"}))
      ->group(kGroup);
  app.add_option("--decimal", decimal,
                 "comma or point (also , or .): the decimal mark, where digits may stand in groups "
                 "of three (1.234,5); with comma, fields of .csv are between semicolons")
      ->check(one_of({"comma", "point", ",", "."}))
      ->group(kGroup);
  app.add_option("--encoding", encoding, "utf-8 (default), latin-1 or utf-16: of a text table")
      ->check(one_of({"utf-8", "latin-1", "utf-16"}))
      ->group(kGroup);
  declare_missing(app);
  app.add_option("--bad-cell", bad_cell,
                 "refuse (default: a cell that is no number stops the run) or midpoint")
      ->check(one_of({"midpoint", "refuse"}))
      ->group(kGroup);
  app.add_option("--threads", threads, "threads to use (default: one per core)")
      ->check(whole_number(1, 1024))
      ->group(kGroup);
}

void InputOptions::declare_exclude(CLI::App& app) {
  app.add_option("--exclude", exclude, "columns to leave out, a,b,c or @FILE")
      ->check(not_empty())
      ->group("Input");
}

void InputOptions::declare_missing(CLI::App& app) {
  app.add_option("--missing", missing,
                 "midpoint (default: a missing cell counts as the public midpoint), refuse, or "
                 "pairwise[=COLUMNS]: every entry is of the rows that have both of its columns "
                 "(all columns, or a,b,c or @FILE); pca, covariance and lowrank")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool known = text == "midpoint" || text == "refuse" || text == "pairwise" ||
                               (text.starts_with(kPairwiseOf) && text.size() > kPairwiseOf.size());
            return known ? std::string() : "must be midpoint, refuse or pairwise[=COLUMNS]";
          },
          ""))
      ->group("Input");
}

void InputOptions::declare_one_hot(CLI::App& app) {
  app.add_option("--one-hot", one_hot,
                 "COLUMN=A|B|C (or A,B,C): a column of words or numeric codes becomes one 0/1 "
                 "column for each listed one; the list is public. Anything else is 0 in all of "
                 "them (the reference), or 1 in a column of its own where the list ends in *")
      ->group("Input");
}

constexpr const char* kPeople = "People and surveys";

void InputOptions::declare_people(CLI::App& app) {
  takes_pairwise = true;
  declare_person(app);
  app.add_option("--weights", weights, "a column of survey weights: a row counts so many times")
      ->check(not_empty())
      ->group(kPeople);
  app.add_option("--weight-bound", weight_bound,
                 "with --weights: the largest weight by the survey's design; others are clipped")
      ->group(kPeople);
}

void InputOptions::declare_person(CLI::App& app) {
  app.add_option("--person", person,
                 "the column that says whose a row is: a person is protected with all their rows")
      ->check(not_empty())
      ->group(kPeople);
  app.add_option("--rows-per-person", rows_per_person,
                 "with --person: the first so many rows of everybody count")
      ->check(whole_number(1, 1'000'000))
      ->group(kPeople);
}

namespace {

std::vector<std::string> split_list(const std::string& text) {
  const char separator = text.find('|') != std::string::npos ? '|' : ',';
  std::vector<std::string> words;
  std::istringstream list(text);
  for (std::string word; std::getline(list, word, separator);) {
    words.push_back(word);
  }
  return words;
}

}  // namespace

std::string display_name(const std::string& input) {
  const std::string name = std::filesystem::path(input).filename().string();
  return input == "-" ? "standard input" : is_plain_text(name) ? name : "the input";
}

int InputOptions::thread_count() const {
  return threads > 0 ? threads : default_threads();
}

Result<std::vector<std::string>> parse_columns(const std::string& text) {
  std::vector<std::string> names;
  std::string name;
  if (text.starts_with('@')) {
    std::ifstream file(text.substr(1));
    if (!file) {
      return input_output_error(fmt::format("cannot read {}", text.substr(1)));
    }
    while (std::getline(file, name)) {
      if (name.ends_with('\r')) {
        name.pop_back();
      }
      if (!name.empty()) {
        names.push_back(name);
      }
    }
  } else {
    std::istringstream list(text);
    while (std::getline(list, name, ',')) {
      names.push_back(name);
    }
  }
  if (names.empty()) {
    return bad_request("the list names no column; give a,b,c or @FILE with one name per line");
  }
  return names;
}

bool InputOptions::is_text() const {
  return is_text_table(input);
}

Result<void> InputOptions::fill(TableSpec& spec) const {
  if (missing.starts_with("pairwise") && !takes_pairwise) {
    return bad_request("--missing pairwise is for pca, covariance and lowrank of a table of rows");
  }
  spec.person = person;
  spec.rows_per_person = rows_per_person;
  spec.weights = weights;
  spec.weight_bound = weight_bound;
  spec.missing = missing == "refuse" ? MissingCell::Refuse : MissingCell::Midpoint;
  spec.bad_cell = bad_cell == "refuse" ? BadCell::Refuse : BadCell::Midpoint;
  for (const std::string& text : one_hot) {
    const std::size_t equals = text.find('=');
    spec.one_hot.push_back({text.substr(0, std::min(equals, text.size())),
                            equals == std::string::npos ? std::vector<std::string>()
                                                        : split_list(text.substr(equals + 1))});
  }
  Result<void> kept;
  if (!columns.empty()) {
    kept = keep(parse_columns(columns), spec.columns);
  }
  if (kept && !exclude.empty()) {
    kept = keep(parse_columns(exclude), spec.exclude);
  }
  if (kept && missing == "pairwise") {
    spec.pairwise.emplace();
  } else if (kept && missing.starts_with(kPairwiseOf)) {
    kept = keep(parse_columns(missing.substr(kPairwiseOf.size())), spec.pairwise);
  }
  return kept;
}

ReadOptions InputOptions::format() const {
  return text_format({header, separator, decimal, encoding, width});
}

Result<TableSource> InputOptions::source() const {
  TableSpec spec;
  return fill(spec).map([&] { return source(std::move(spec)); });
}

}  // namespace eigenveil::cli
