#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/reproduce/folder.hpp"
#include "cli/reproduce/page.hpp"
#include "cli/suggestion.hpp"
#include "core/atomic_output.hpp"

namespace eigenveil::cli {
namespace {

using Done = std::vector<std::pair<Entry, Reproduction>>;

struct ReproduceRequest {
  std::string what = "list";
  std::string out = "reproduction";
  bool full = false;
  bool quick = false;

  Outcome run() const;

 private:
  Outcome run_entries(const std::vector<Entry>& entries) const;
  Result<Reproduction> run_entry(const Entry& entry, const std::string& label) const;
  Effort effort() const { return full ? Effort::Full : Effort::Quick; }
};

Outcome print_list(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    fmt::print("{:<16} {}\n{:<16} {}\n", entry.id, entry.title, "", entry.source);
  }
  fmt::print("\neigenveil reproduce {} makes one, eigenveil reproduce all makes all of them\n",
             entries.front().id);
  return {};
}

Outcome unknown_entry(const std::string& what, const std::vector<Entry>& entries) {
  std::vector<std::string> names{"list", "all"};
  for (const Entry& entry : entries) {
    names.push_back(entry.id);
  }
  return bad_request(
      fmt::format("there is no table or figure '{}'{} (see eigenveil reproduce list)", what,
                  did_you_mean(what, names)));
}

Result<Reproduction> ReproduceRequest::run_entry(const Entry& entry,
                                                 const std::string& label) const {
  RandomStream stream = RandomStream::seeded(entry_seed(entry.id));
  EntryProgress progress(label);
  EntryRun run{effort(), stream, progress};
  return entry.produce(run);
}

Outcome ReproduceRequest::run_entries(const std::vector<Entry>& entries) const {
  Done done;
  for (const Entry& entry : entries) {
    const std::string label = fmt::format("[{}/{}] {}", done.size() + 1, entries.size(), entry.id);
    const Result<Reproduction> result = run_entry(entry, label);
    if (!result) {
      return error_of(result);
    }
    const Result<WrittenFolder> written =
        write_entry_folder(entry, effort(), *result, std::filesystem::path(out) / entry.id);
    if (!written) {
      return error_of(written);
    }
    done.emplace_back(entry, *result);
    fmt::print("{}  {}\n  {}\n  wrote {}\n", entry.id, entry.title,
               agreement_in_words(entry, *result), (written->path / "index.html").string());
    if (!written->png_missing.empty()) {
      fmt::print("  no PNG: {}\n", written->png_missing);
    }
  }
  return entries.size() < 2 ? Outcome()
                            : write_file_atomically(std::filesystem::path(out) / "index.html",
                                                    overview_page(done));
}

Outcome ReproduceRequest::run() const {
  const std::vector<Entry> entries = all_entries();
  if (what == "list") {
    return print_list(entries);
  }
  if (what == "all") {
    return run_entries(entries);
  }
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.id == what; });
  return found == entries.end() ? unknown_entry(what, entries) : run_entries({*found});
}

}  // namespace

Command reproduce_command() {
  return {"reproduce",
          "Makes a table or figure of a source paper and puts our numbers beside the paper's.\n"
          "  eigenveil reproduce list\n"
          "  eigenveil reproduce 000-fig2 --out reproduction",
          [](CLI::App& app) {
            auto request = std::make_shared<ReproduceRequest>();
            app.add_option("what", request->what, "list (default), all, or the id of an entry");
            CLI::Option* quick =
                app.add_flag("--quick", request->quick, "fewer repetitions, for a look (default)");
            app.add_flag("--full", request->full, "the paper's own number of repetitions")
                ->excludes(quick);
            app.add_option("--out", request->out,
                           "directory that gets a folder for each entry (default reproduction)");
            return [request] { return request->run(); };
          }};
}

}  // namespace eigenveil::cli
