#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/explore/dictionary.hpp"
#include "cli/explore/explorer.hpp"
#include "cli/explore/export_page.hpp"
#include "cli/options/bound_options.hpp"
#include "cli/options/checks.hpp"
#include "cli/spawned.hpp"
#include "core/atomic_output.hpp"
#include "core/blas.hpp"
#include "data/public_files.hpp"
#include "ledger/ledger.hpp"

namespace eigenveil::cli {
namespace {

namespace fs = std::filesystem;

/// A folder of this user alone, gone with the program.
class PrivateFolder {
 public:
  static Result<PrivateFolder> make() {
    std::string name = (fs::temp_directory_path() / "eigenveil-explore-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      return input_output_error("no private folder could be made for the page's address");
    }
    return PrivateFolder(name);
  }
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) {
      fs::remove_all(path_, ignored);
    }
  }
  const fs::path& path() const { return path_; }

 private:
  explicit PrivateFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

struct ExploreCommand {
  std::string input;
  std::string ledger;
  std::string bounds_file;
  std::string range;
  std::string out;
  std::string header;
  std::size_t width = 0;
  std::string separator;
  std::string decimal;
  std::string encoding;
  std::int64_t people = 20000;
  std::int64_t dimension = 12;
  bool no_browser = false;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<ExploreSource> source() const;
  Result<std::string> question(const ExploreSource& from) const;
  Outcome serve(ExploreSource from) const;
};

void ExploreCommand::declare(CLI::App& app) {
  app.add_option("INPUT", input,
                 "a CSV or TSV table; only its first line is read before a release, once you said "
                 "that it holds names. Without a table sizes are assumed and nothing can be "
                 "released");
  app.add_option("--header", header,
                 "present, numbers (names, some of them numbers) or absent: does the first line "
                 "hold names? The page asks otherwise")
      ->check(one_of({"present", "numbers", "absent"}));
  app.add_option("--width", width, "with --header absent: fields on every line")
      ->check(whole_number(2, 4096));
  app.add_option("--separator", separator,
                 "comma, semicolon, tab or pipe: between fields (default comma, tab for .tsv)")
      ->check(one_of({"comma", "semicolon", "tab", "pipe"}));
  app.add_option("--decimal", decimal,
                 "comma or point: the decimal mark; with comma, fields of .csv are between "
                 "semicolons")
      ->check(one_of({"comma", "point"}));
  app.add_option("--encoding", encoding, "utf-8 (default), latin-1 or utf-16: of the table")
      ->check(one_of({"utf-8", "latin-1", "utf-16"}));
  app.add_option("--ledger", ledger, "releases from the page are charged to it")
      ->envname("EIGENVEIL_LEDGER")
      ->check(not_empty());
  app.add_option("--bounds", bounds_file,
                 "CSV file column,low,high: the dictionary of the columns; the page asks for one "
                 "range otherwise");
  constexpr const char* kPage = "A page to send";
  app.add_option("--out", out,
                 "write a page that needs no program, with a grid of plans, instead of serving one")
      ->check(not_empty())
      ->group(kPage);
  app.add_option("--people", people, "with --out: how many people, as the public knows it")
      ->check(whole_number(2, std::uint64_t{1} << 40))
      ->group(kPage);
  app.add_option("--dimension", dimension, "with --out and no table: number of columns")
      ->check(whole_number(2, 4096))
      ->group(kPage);
  app.add_option("--range", range, "with --out: LO:HI, the public range of every column")
      ->group(kPage);
  app.add_flag("--no-browser", no_browser, "print where the page is, and open nothing");
}

Result<ExploreSource> ExploreCommand::source() const {
  ExploreSource from;
  from.input = input.starts_with('-') ? "./" + input : input;  // in commands it is no option
  from.ledger = ledger;
  from.bounds_file = bounds_file;
  from.separator = separator;
  from.decimal = decimal;
  from.encoding = encoding;
  if (!bounds_file.empty()) {
    constexpr std::uintmax_t kLargestDictionary = std::uintmax_t{1} << 24U;
    std::error_code ignored;
    if (fs::file_size(bounds_file, ignored) > kLargestDictionary && !ignored) {
      return bad_request("{bounds} is larger than 16 MiB: the page takes 4096 columns", "bounds");
    }
    const Result<std::vector<NamedNumbers>> lines =
        read_named_numbers(bounds_file, {"low", "high"});
    if (!lines) {
      return error_of(lines);
    }
    for (const NamedNumbers& line : *lines) {
      from.bounds.push_back({line.column, {line.numbers[0], line.numbers[1]}});
      from.columns.push_back(line.column);
    }
  }
  if (!ledger.empty()) {  // said now, not on screen 4
    const Result<Ledger> opened = Ledger::open(ledger);
    if (!opened) {
      return error_of(opened);
    }
  }
  if (input.empty()) {
    return from;
  }
  const bool text = input.ends_with(".csv") || input.ends_with(".tsv") ||
                    input.ends_with(".csv.gz") || input.ends_with(".tsv.gz");
  if (!text) {
    return bad_request(
        "the explorer opens .csv and .tsv tables; other tables are released by their commands");
  }
  from.columns.clear();  // those of the table, once it is said what its first line holds
  if (header.empty() && !out.empty()) {
    return bad_request(
        "a page to send shows the names of the columns: say --header present, or absent with "
        "--width",
        "header");
  }
  return header.empty() ? Result<ExploreSource>(from) : with_header(from, header, width);
}

/// What the page would send when it opens; the script has the same beginning.
Result<std::string> ExploreCommand::question(const ExploreSource& from) const {
  nlohmann::json asked = {{"task", "pca"},    {"epsilon", 1.0}, {"delta", 1e-6},
                          {"people", people}, {"hoped", 6},     {"columns", from.columns}};
  if (from.columns.empty()) {
    for (std::int64_t i = 1; i <= dimension; ++i) {
      asked["columns"].push_back(fmt::format("question_{}", i));
    }
  }
  if (from.bounds.empty()) {
    const Result<ColumnRange> common =
        range.empty() ? Result<ColumnRange>(ColumnRange{0.0, 10.0}) : parse_range(range);
    if (!common) {
      return error_of(common);
    }
    asked["range"] = {common->low, common->high};
  }
  return asked.dump();
}

/// As an address has it: the folder for temporary files may be called anything.
std::string file_address(const fs::path& path) {
  std::string address = "file://";
  for (const char letter : path.string()) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = std::isalnum(byte) != 0 && byte < 0x80;
    address += plain || std::string_view("/-_.~").find(letter) != std::string_view::npos
                   ? std::string(1, letter)
                   : fmt::format("%{:02X}", byte);
  }
  return address;
}

std::string redirect_to(const std::string& address) {
  return fmt::format(
      "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" "
      "content=\"no-referrer\">\n"
      "<meta http-equiv=\"refresh\" content=\"0;url={0}\">\n<title>Eigenveil</title>\n"
      "<a href=\"{0}\">Open the explorer</a>\n",
      address);
}

/// The desktop's own opener; its failure leaves the printed address. It may become the browser, and
/// live longer than this program: nothing of this program goes with it.
void open_browser(const std::string& file) {
  std::string program = "xdg-open";
  std::string argument = file;
  std::vector<char*> words = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 1, 0);
  keep_descriptors(files);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  ::posix_spawnp(&child, program.c_str(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
}

/// Those that end the program: a key, a closed terminal, another program. What was told to be
/// ignored, as nohup does, stays ignored.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  for (const int number : {SIGHUP, SIGQUIT}) {
    struct sigaction now = {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&signals, number);
    }
  }
  return signals;
}

/// Drawing may take seconds; a status or a cancelled release does not wait for it.
bool may_draw(const HttpRequest& request) {
  constexpr std::array kDrawing = {"/api/look", "/api/rails", "/api/methods", "/api/release"};
  return std::find(kDrawing.begin(), kDrawing.end(), request.path) != kDrawing.end();
}

Outcome ExploreCommand::serve(ExploreSource from) const {
  Result<PrivateFolder> folder = PrivateFolder::make();
  if (!folder) {
    return error_of(folder);
  }
  const sigset_t signals = ending_signals();  // blocked in every thread, waited for in this one
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Explorer explorer(std::move(from), folder->path());
  Result<std::unique_ptr<HttpServer>> server = HttpServer::start(
      {.admit = [&](const HttpRequest& head) { return explorer.guard().refuses(head); },
       .handle = [&](const HttpRequest& request) { return explorer.answer(request); },
       .is_slow = may_draw});
  if (!server) {
    return error_of(server);
  }
  explorer.guard().set_port((*server)->port());
  const fs::path redirect = folder->path() / kRedirectFile;
  const std::string address =
      fmt::format("{}/#{}", explorer.guard().origin(), explorer.guard().first_secret());
  if (const Result<void> written =
          write_file_atomically(redirect, redirect_to(address), FileAccess::OwnerOnly);
      !written) {
    return written;
  }
  const bool desktop = ::getenv("DISPLAY") != nullptr || ::getenv("WAYLAND_DISPLAY") != nullptr;
  if (!no_browser && desktop) {
    open_browser(redirect.string());
  }
  fmt::print(
      "The explorer is open on this machine alone, for whoever opens this file first:\n"
      "  {}\nEnd it with Ctrl-C.\n",
      file_address(redirect));
  std::fflush(stdout);
  int caught = 0;
  ::sigwait(&signals, &caught);
  const std::string last = explorer.end();
  // A handler that is drawing cannot be told to stop, and has nothing to lose: the ledger's lines
  // and the releases are written by the release's own process. So nothing is waited for.
  std::error_code ignored;
  fs::remove_all(folder->path(), ignored);
  // Said last: where the terminal is gone, so may this program be when it writes.
  fmt::print("{}", last);
  std::fflush(stdout);
  ::_exit(0);
}

Outcome ExploreCommand::run() const {
  // Matrices are small, and two questions may be answered at once: waiting for a second thread of
  // BLAS takes longer than its work on a machine that has something else to do.
  const BlasThreads one_thread(1);
  Result<ExploreSource> from = source();
  if (!from) {
    return error_of(from);
  }
  if (out.empty()) {
    return serve(*std::move(from));
  }
  return question(*from)
      .and_then([&](const std::string& asked) { return exported_page(asked, *from); })
      .and_then([&](const std::string& page) { return write_file_atomically(out, page); })
      .map([&] { fmt::print("wrote {}\n", out); });
}

}  // namespace

Command explore_command() {
  return command_of<ExploreCommand>(
      "explore",
      "Choose the noise by looking: a local page with what a release would show and what a "
      "person would risk.\n"
      "  eigenveil explore\n"
      "  eigenveil explore survey.csv --ledger survey.ledger");
}

}  // namespace eigenveil::cli
