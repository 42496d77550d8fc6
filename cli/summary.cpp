#include "cli/summary.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/parameter_names.hpp"
#include "engine/release_words.hpp"

namespace eigenveil::cli {

void print_lines(const std::vector<FactLine>& lines) {
  fmt::print("{}", lines_in_words(lines, for_command_line));
}

void print_facts(const PlanFacts& facts, bool json) {
  if (json) {
    fmt::print("{}\n", for_command_line(facts.json));
    return;
  }
  fmt::print("{}{}", facts.title.empty() ? "" : facts.title + "\n",
             lines_in_words(facts.lines, for_command_line));
}

void print_release(const TableOutcome& outcome, const OutputOptions& output,
                   const std::string& input) {
  const ReleaseDocument& document = outcome.document;
  if (outcome.again) {
    if (!output.json) {
      fmt::print(
          "the release of entry {} is in {}: the same bits, nothing was charged, and no row of {} "
          "was read\n",
          outcome.entry, output.out, input);
    }
    return;
  }
  if (output.json) {
    fmt::print("{}", summary_json(document));
    return;
  }
  fmt::print("{}", release_in_words(document, outcome.bounds, input, for_command_line));
  std::vector<FactLine> lines;
  for (const std::string& warning : outcome.warnings) {
    lines.push_back({"warning", warning});
  }
  if (!outcome.charged.empty()) {
    lines.push_back({"ledger", outcome.charged});
  }
  print_lines(lines);
  if (output.out.empty()) {
    fmt::print(
        "{}\n  nothing was written: give --out DIR to keep this release (running again spends "
        "again)\n",
        small_table(document));
    return;
  }
  std::string names;
  for (const std::filesystem::path& file : outcome.files) {
    names += "  " + file.string();
  }
  fmt::print("  wrote     {}\n", names);
}

Outcome publish(ReleaseDocument document, const OutputOptions& output, const std::string& input,
                const ReleaseTarget& target) {
  document.data_set = output.data_set;
  document.date = output.date;
  Result<WrittenRelease> written = output.out.empty() ? WrittenRelease{std::move(document), {}}
                                                      : write_release(std::move(document), target);
  return std::move(written).map([&](WrittenRelease kept) {
    print_release({std::move(kept.document), {}, std::move(kept.files)}, output, input);
  });
}

}  // namespace eigenveil::cli
