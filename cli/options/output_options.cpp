#include "cli/options/output_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/options/checks.hpp"
#include "core/atomic_output.hpp"
#include "eigenveil/report/read_release.hpp"

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

RandomStream OutputOptions::stream() const {
  return seed ? RandomStream::seeded(*seed) : RandomStream::secure();
}

Result<void> OutputOptions::check_writable() const {
  if (out.empty()) {
    return {};
  }
  return AtomicDirectory::create(out, existing()).map([](const AtomicDirectory&) {});
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

Result<std::vector<std::string>> OutputOptions::releases_built_on(
    const std::string& bounds_file) const {
  std::vector<std::filesystem::path> paths(builds_on.begin(), builds_on.end());
  if (const auto beside = release_of_bounds(bounds_file)) {
    paths.push_back(*beside);
  }
  std::vector<std::string> checksums;
  for (const std::filesystem::path& path : paths) {
    const Result<ReadRelease> release = read_release(path);
    if (!release) {
      return error_of(release);
    }
    if (std::find(checksums.begin(), checksums.end(), release->checksum) == checksums.end()) {
      checksums.push_back(release->checksum);
    }
  }
  return checksums;
}

ReleaseTarget OutputOptions::target(bool streams, int threads) const {
  ReleaseTarget target =
      streams ? file_or_directory(out, table_format()) : ReleaseTarget{out, table_format()};
  target.existing = existing();
  target.threads = threads;
  return target;
}

namespace {

/// A name that ends like a table of another kind: a directory of that name is not what was meant.
bool ends_like_a_table(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  constexpr std::array kEndings = {".tsv", ".txt", ".json", ".gz", ".xls", ".xlsx", ".parquet"};
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

}  // namespace

Result<void> OutputOptions::check_streamable(const Plan& plan) const {
  if (out.empty()) {
    return bad_request(
        "--out DIR or --out FILE (.csv, .csv.gz or .npy) says where pseudo-data goes");
  }
  const ReleaseTarget where = target(true, 1);
  if (!where.is_file()) {
    return ends_like_a_table(out)
               ? bad_request("pseudo-data is written as .csv, .csv.gz or .npy, or into a directory")
               : check_writable();
  }
  if (plan.request().options.flag("factor_only")) {
    return bad_request("--factor-only writes a release: give --out a directory");
  }
  // Nobody's file is lost, neither under the name given nor under those that go with it.
  for (const std::string& name : where.names_beside(plan.table_names(), !seed)) {
    if (const Result<void> fresh = check_new_file((where.folder / name).string()); !fresh) {
      return fresh;
    }
  }
  return check_new_file(out);
}

}  // namespace eigenveil::cli
