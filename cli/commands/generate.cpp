#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/sample_data/writers.hpp"

namespace eigenveil::cli {
namespace {

struct Generator {
  std::int64_t rows = 2504;
  std::int64_t columns = 0;
  std::uint64_t seed = 1;
  std::string out;
  std::string bounds_out;
  std::string populations_out;

  void declare(CLI::App& app, std::int64_t default_columns, const std::string& formats);
  Outcome write_table(SampleTable& table, bool with_plink) const;

 private:
  Outcome check_outputs() const;
  Outcome write_rows(SampleTable& table, bool with_plink) const;
};

void Generator::declare(CLI::App& app, std::int64_t default_columns, const std::string& formats) {
  columns = default_columns;
  app.add_option("--rows", rows, "people (default 2504)")->check(whole_number(1, 1'000'000'000));
  app.add_option("--columns", columns, fmt::format("columns (default {})", default_columns))
      ->check(whole_number(1, 1'000'000));
  app.add_option("--seed", seed, "which table to make (default 1)")->check(whole_number(0));
  app.add_option("--out", out, fmt::format("the file to write; its ending chooses {}", formats))
      ->required();
  app.add_option("--bounds-out", bounds_out,
                 "also write the public range of each column, for pca --bounds");
}

/// A sample is never worth somebody's file.
Outcome Generator::check_outputs() const {
  std::vector<std::string> paths = {out, bounds_out, populations_out};
  if (out.ends_with(".bed")) {
    const std::string stem = out.substr(0, out.size() - 4);
    paths.insert(paths.end(), {stem + ".bim", stem + ".fam"});
  }
  std::erase(paths, "");
  for (const std::string& path : paths) {
    if (const Result<void> checked = check_new_file(path); !checked) {
      return error_of(checked);
    }
  }
  std::sort(paths.begin(), paths.end());
  if (std::adjacent_find(paths.begin(), paths.end()) != paths.end()) {
    return bad_request("two outputs have the same name; give each its own");
  }
  return {};
}

Outcome Generator::write_rows(SampleTable& table, bool with_plink) const {
  if (out.ends_with(".npy")) {
    return write_npy(table, rows, out);
  }
  if (out.ends_with(".bed")) {
    return with_plink ? write_plink(table, rows, out)
                      : Outcome(bad_request("a .bed file holds genotypes; write a survey to .csv, "
                                            ".tsv or .npy"));
  }
  if (out.ends_with(".gz")) {
    return bad_request("sample tables are written uncompressed; write .csv and gzip it");
  }
  if (!out.ends_with(".csv") && !out.ends_with(".tsv")) {
    return bad_request("--out must end in .csv, .tsv, .npy or, for genotypes, .bed");
  }
  return write_csv(table, rows, out, out.ends_with(".tsv") ? '\t' : ',');
}

Outcome Generator::write_table(SampleTable& table, bool with_plink) const {
  return check_outputs()
      .and_then([&] { return write_rows(table, with_plink); })
      .and_then([&] {
        return bounds_out.empty() ? Outcome()
                                  : write_bounds(table, !out.ends_with(".npy"), bounds_out);
      })
      .map([&] {
        fmt::print("wrote {} ({} rows, {} columns of made-up people)\n", out, rows, columns);
        if (!bounds_out.empty()) {
          fmt::print("wrote {} (the range of each column)\n", bounds_out);
        }
      });
}

struct Survey : Generator {
  std::string kind = "questions";

  void declare(CLI::App& app) {
    Generator::declare(app, 12, ".csv, .tsv or .npy");
    app.add_option("--kind", kind,
                   "questions (default: all 0..10), or mixed: age, income, hours, scores and "
                   "yes/no, each with its own range")
        ->check(CLI::IsMember({"questions", "mixed"}));
  }
  Outcome run() const {
    const auto table =
        kind == "mixed" ? mixed_survey(columns, seed) : question_survey(columns, seed);
    return write_table(*table, false);
  }
};

struct Genotypes : Generator {
  void declare(CLI::App& app) {
    Generator::declare(app, 200, ".csv, .tsv, .npy or PLINK .bed (with .bim and .fam)");
    app.add_option("--populations-out", populations_out,
                   "also write the population of each person");
  }
  Outcome run() const {
    const auto table = genotypes(rows, columns, seed);
    return write_table(*table, true).and_then([&] {
      return populations_out.empty()
                 ? Outcome()
                 : write_populations(rows, populations_out).map([&] {
                     fmt::print("wrote {} (the population of each person)\n", populations_out);
                   });
    });
  }
};

}  // namespace

Command generate_command() {
  return command_group(
      "generate",
      "Makes sample tables to try the program on: a survey, or genotypes of five populations.\n"
      "  eigenveil generate survey --rows 20000 --out survey.csv",
      {command_of<Survey>("survey",
                          "answers 0..10 to related questions, or columns of several kinds"),
       command_of<Genotypes>("genotypes",
                             "allele counts 0, 1, 2 of people from five populations")});
}

}  // namespace eigenveil::cli
