#include "cli/options/output_options.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/options/checks.hpp"

namespace eigenveil::cli {

void OutputOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Output";
  app.add_option("--out", out,
                 "directory for release.json and its arrays, written whole or not at all")
      ->check(not_empty())
      ->group(kGroup);
  app.add_flag("--replace", replace, "--out may hold an earlier release, which is then lost")
      ->group(kGroup);
  app.add_option("--format", format, "csv (default) or npy: form of the arrays")
      ->check(one_of({"csv", "npy"}))
      ->group(kGroup);
  app.add_flag("--json", json, "print the whole release for machines on standard output")
      ->group(kGroup);
  app.add_option("--data-set", data_set, "a public name of the table, to stand in the release")
      ->check(plain_text())
      ->group(kGroup);
  app.add_option("--date", date, "to stand in the release, in your words; never filled in")
      ->check(plain_text())
      ->group(kGroup);
  app.add_option(
         "--builds-on", builds_on,
         "releases that this one was made with (release.json or its directory), to stand in "
         "it; private bounds are found beside --bounds by themselves")
      ->check(not_empty())
      ->group(kGroup);
  app.add_flag("--quiet", quiet, "no progress bar")->group(kGroup);
  app.add_option("--seed", seed,
                 "for tests and reproduction only: the randomness is known, so the release is "
                 "marked NOT PRIVATE")
      ->check(whole_number(0))
      ->group(kGroup);
}

namespace {

/// The directory of the release that a file of bounds is an array of, as `bounds private` writes
/// it.
std::optional<std::filesystem::path> release_of_bounds(const std::string& bounds_file) {
  const std::filesystem::path path(bounds_file);
  std::error_code ignored;
  for (const char* mark : {"", ".NOT-PRIVATE"}) {
    const std::filesystem::path document = path.parent_path() / fmt::format("release{}.json", mark);
    if (path.filename() == fmt::format("bounds{}.csv", mark) &&
        std::filesystem::exists(document, ignored)) {
      return document;
    }
  }
  return std::nullopt;
}

}  // namespace

ReleaseOutput OutputOptions::as_asked(const std::string& bounds_file) const {
  ReleaseOutput output;
  output.out = out;
  output.arrays = format == "npy" ? TableFormat::Npy : TableFormat::Csv;
  output.existing = replace ? Existing::Replace : Existing::Refuse;
  output.data_set = data_set;
  output.date = date;
  output.builds_on = builds_on;
  if (const auto beside = release_of_bounds(bounds_file)) {
    output.builds_on.push_back(beside->string());
  }
  output.seed = seed;
  return output;
}

}  // namespace eigenveil::cli
