#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <cstdio>

#include "core/atomic_output.hpp"
#include "core/parameter_names.hpp"
#include "core/suggestion.hpp"
#include "eigenveil/core/version.hpp"
#include "papers/citation.hpp"
#include "papers/folder.hpp"
#include "papers/page.hpp"

namespace eigenveil::papers {
namespace {

constexpr const char* kHelp =
    "Makes a table or figure of one of the five papers, our numbers beside the paper's.\n"
    "\n"
    "  eigenveil-papers list\n"
    "  eigenveil-papers {} --out reproduction\n"
    "\n"
    "(eigenveil reproduce ... is the same.)\n"
    "  list | all | ID   what to make; list, the default, prints the ids\n"
    "  --quick           fewer repetitions, for a look (default)\n"
    "  --full            the paper's own number of repetitions\n"
    "  --out DIR         gets a folder for each entry (default reproduction)\n";

using Done = std::vector<std::pair<Entry, Reproduction>>;

struct Request {
  std::string what = "list";
  std::string out = "reproduction";
  bool full = false;
  bool quick = false;
  bool help = false;
  bool version = false;

  Result<void> run() const;

 private:
  Result<void> run_entries(const std::vector<Entry>& entries) const;
  Result<Reproduction> run_entry(const Entry& entry, const std::string& label) const;
  Effort effort() const { return full ? Effort::Full : Effort::Quick; }
};

Result<Request> parsed(const std::vector<std::string>& words) {
  Request request;
  bool named = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--out" || word.starts_with("--out=")) {
      if (word == "--out" && ++i == words.size()) {
        return bad_request("--out needs a value (see eigenveil-papers --help)");
      }
      request.out = word == "--out" ? words[i] : word.substr(6);
    } else if (word == "--full" || word == "--quick") {
      (word == "--full" ? request.full : request.quick) = true;
    } else if (word == "--help" || word == "-h") {
      request.help = true;
    } else if (word == "--version") {
      request.version = true;
    } else if (word.starts_with("-") || named) {
      return bad_request(
          fmt::format("'{}' is not known here (see eigenveil-papers --help){}", word,
                      did_you_mean(word, {"--out", "--full", "--quick", "--help", "--version"})));
    } else {
      request.what = word;
      named = true;
    }
  }
  if (request.full && request.quick) {
    return bad_request("--full excludes --quick");
  }
  return request;
}

Result<void> print_list(const std::vector<Entry>& entries) {
  const Paper* shown = nullptr;
  for (const Entry& entry : entries) {
    const Paper* paper = paper_of(entry.id);
    if (paper != shown || &entry == &entries.front()) {
      fmt::print("{}{}\n", &entry == &entries.front() ? "" : "\n",
                 paper != nullptr ? citation(*paper) : "Our own checks");
      shown = paper;
    }
    fmt::print("  {:<26} {}\n  {:<26} {}\n", entry.id, entry.title, "", entry.place);
  }
  fmt::print("\neigenveil reproduce {} makes one, eigenveil reproduce all makes all of them\n",
             entries.front().id);
  return {};
}

Result<void> unknown_entry(const std::string& what, const std::vector<Entry>& entries) {
  std::vector<std::string> names{"list", "all"};
  std::string suggested;
  for (const Entry& entry : entries) {
    names.push_back(entry.id);
    if (first_id(entry.id) == what) {
      suggested = fmt::format("; did you mean {}?", entry.id);
    }
  }
  return bad_request(
      fmt::format("there is no table or figure '{}'{} (see eigenveil reproduce list)", what,
                  suggested.empty() ? did_you_mean(what, names) : suggested));
}

Result<Reproduction> Request::run_entry(const Entry& entry, const std::string& label) const {
  RandomStream stream = RandomStream::seeded(entry_seed(entry.id));
  EntryProgress progress(label);
  EntryRun run{effort(), stream, progress};
  return entry.produce(run);
}

Result<void> Request::run_entries(const std::vector<Entry>& entries) const {
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
  return entries.size() < 2 ? Result<void>()
                            : write_file_atomically(std::filesystem::path(out) / "index.html",
                                                    overview_page(done));
}

Result<void> Request::run() const {
  const std::vector<Entry> entries = all_entries();
  if (help) {
    fmt::print(fmt::runtime(kHelp), entries.front().id);
    return {};
  }
  if (version) {
    fmt::print("eigenveil-papers {}\n", kVersion);
    return {};
  }
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

/// No private data is involved: an exception's own text may be shown.
Result<void> run_safely(const std::vector<std::string>& words) {
  try {
    return parsed(words).and_then([](const Request& request) { return request.run(); });
  } catch (const std::exception& error) {
    return input_output_error(error.what());
  }
}

}  // namespace
}  // namespace eigenveil::papers

/// Exit code as the program's: 0 done, 2 bad request, 1 input or output failure.
int main(int argc, char** argv) {
  using eigenveil::ErrorCode;
  if (sodium_init() < 0) {
    fmt::print(stderr, "error: the operating system gives no secure randomness\n");
    return 1;
  }
  const eigenveil::Result<void> done = eigenveil::papers::run_safely({argv + 1, argv + argc});
  if (!done) {
    fmt::print(stderr, "error: {}\n", eigenveil::for_command_line(done.error().message));
    return done.error().code == ErrorCode::BadRequest ? 2 : 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
