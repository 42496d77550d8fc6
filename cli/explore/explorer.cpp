#include "cli/explore/explorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/explore/dictionary.hpp"
#include "cli/explore/gate.hpp"
#include "cli/explore/look.hpp"
#include "cli/explore/page.hpp"
#include "cli/explore/page_words.hpp"
#include "cli/explore/planned.hpp"
#include "core/outside_json.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/version.hpp"
#include "eigenveil/report/read_release.hpp"
#include "engine/column_names.hpp"
#include "engine/table/release_job.hpp"
#include "engine/verdict.hpp"
#include "ledger/ledger.hpp"
#include "ledger/summary.hpp"
#include "report/explain.hpp"
#include "report/html_report.hpp"

namespace eigenveil::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// What the page itself may do.
HttpResponse strict(HttpResponse response) {
  add_strict_headers(response);
  return response;
}

HttpResponse as_json(const Result<std::string>& answer) {
  if (answer) {
    return strict({.type = "application/json", .body = *answer});
  }
  return strict({.status = 422,
                 .type = "application/json",
                 .body = Json{{"error", for_page(answer.error().message)}}.dump()});
}

std::string text_of(const std::string& body, const char* key) {
  const nlohmann::json json = json_from_outside<nlohmann::json>(body);
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A new folder beside where the program was started, and nowhere else.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && !name.starts_with('.') && !name.starts_with('-') &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
         });
}

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_regular_file(ignored)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string_view name_of(ReleaseProcess::State state) {
  switch (state) {
    case ReleaseProcess::State::Running:
      return "running";
    case ReleaseProcess::State::Released:
      return "released";
    case ReleaseProcess::State::Failed:
      return "failed";
    case ReleaseProcess::State::Cancelled:
      return "cancelled";
  }
  return "failed";
}

/// The answer about the first line, beside ranges that may have been typed meanwhile.
ExploreSource with_answer(ExploreSource source, const ExploreSource& answered) {
  source.header = answered.header;
  source.columns = answered.columns;
  return source;
}

/// What only a new start can change is said so; nothing of the line is repeated.
std::optional<std::string> start_again(const Error& error) {
  if (error.parameter == "separator") {
    return "the fields of the first line are not between commas: end the program and start it with "
           "the separator they have, as its help says";
  }
  if (error.parameter == "encoding" || error.message.find("{encoding") != std::string::npos) {
    return "the file is in another encoding than UTF-8: end the program and start it with the one "
           "it has, as its help says";
  }
  return std::nullopt;
}

bool ended_without(ReleaseProcess::State state) {
  return state == ReleaseProcess::State::Failed || state == ReleaseProcess::State::Cancelled;
}

}  // namespace

HttpResponse Explorer::page(const HttpRequest& request) const {
  if (request.path == "/") {
    return strict({.type = "text/html; charset=utf-8", .body = whole_page()});
  }
  if (request.path == "/explore.css") {
    return strict({.type = "text/css; charset=utf-8", .body = whole_style()});
  }
  if (request.path == "/explore.js") {
    return strict({.type = "text/javascript; charset=utf-8", .body = std::string(page_script())});
  }
  return strict({.status = 404, .body = "there is nothing here\n"});
}

HttpResponse Explorer::answer(const HttpRequest& request) {
  const std::string& path = request.path;
  if (path.starts_with(files_)) {
    return file(path);
  }
  if (!path.starts_with("/api/")) {
    return page(request);
  }
  if (path == "/api/session") {
    return as_json(session(request.body));
  }
  if (path == "/api/source") {
    return as_json(source_json());
  }
  if (path == "/api/header") {
    return as_json(say_header(request.body));
  }
  if (path == "/api/ranges") {
    return as_json(keep_ranges(request.body));
  }
  if (path == "/api/look") {
    return as_json(look_json(request.body, source()));
  }
  if (path == "/api/rails") {
    return as_json(rails_json(request.body, source()));
  }
  if (path == "/api/methods") {
    return as_json(methods_json(request.body, source()));
  }
  if (path == "/api/release") {
    return as_json(release(request.body));
  }
  if (path == "/api/status") {
    return as_json(status());
  }
  if (path == "/api/cancel") {
    return as_json(cancel());
  }
  if (path == "/api/released") {
    return as_json(released());
  }
  return strict({.status = 404, .body = "there is nothing here\n"});
}

Result<std::string> Explorer::session(const std::string& body) {
  const std::optional<std::string> secret = guard_.exchange(text_of(body, "secret"));
  if (!secret) {
    return bad_request("this page was opened before, or by somebody else: start the program again");
  }
  std::error_code ignored;  // the secret in it is of no more use
  fs::remove(scratch_ / kRedirectFile, ignored);
  return Json{{"session", *secret}}.dump();
}

ExploreSource Explorer::source() const {
  const std::lock_guard lock(mutex_);
  return source_;
}

Result<std::string> Explorer::say_header(const std::string& body) {
  const nlohmann::json json = json_from_outside<nlohmann::json>(body);
  const bool wide =
      json.is_object() && json.contains("width") && json["width"].is_number_unsigned();
  const ExploreSource before = source();
  const Result<ExploreSource> known =
      with_header(before, text_of(body, "header"), wide ? json["width"].get<std::size_t>() : 0);
  if (!known) {
    if (const std::optional<std::string> words = start_again(known.error())) {
      return bad_request(*words);
    }
    return known.error().parameter == "header"
               ? bad_request(
                     "the first line holds numbers, as a person's row does, so nothing of it is "
                     "shown. Say whether it is a row, or names some of which are numbers")
               : error_of(known);
  }
  {
    const std::lock_guard lock(mutex_);
    // Answered once: what another tab shows and copies rests on it.
    if (!source_.header.empty() && source_.mark() != with_answer(source_, *known).mark()) {
      return bad_request(
          "another tab of this page has said otherwise of the first line: load this page again, or "
          "start the program again");
    }
    source_ = with_answer(source_, *known);
  }
  return source_json();
}

Result<std::string> Explorer::keep_ranges(const std::string& body) {
  const std::string file = text_of(body, "file");
  if (!is_plain_name(file) || !file.ends_with(".csv")) {
    return bad_request(
        "the dictionary's name may hold letters, digits, '-', '_' and '.' only, and ends in .csv");
  }
  const std::lock_guard lock(mutex_);
  const bool own = file == kept_ranges_;
  return typed_ranges(body, source_.columns).and_then([&](const std::vector<NamedRange>& ranges) {
    return write_dictionary(file, ranges, own).map([&] {
      source_.bounds = ranges;
      source_.bounds_file = kept_ranges_ = file;
      return Json{{"dictionary", file}}.dump();
    });
  });
}

Result<std::string> Explorer::source_json() const {
  const ExploreSource from = source();
  Json json = {{"version", kVersion},        {"mark", from.mark()},
               {"input", from.input},        {"header", from.header},
               {"columns", from.columns},    {"dictionary", from.bounds_file},
               {"ledger_file", from.ledger}, {"ledger", nullptr}};
  for (const NamedRange& range : from.bounds) {
    json["ranges"][range.column] = {range.range.low, range.range.high};
  }
  const auto suggesting = [&](bool (*suggests)(std::string_view)) {
    Json names = Json::array();
    std::copy_if(from.columns.begin(), from.columns.end(), std::back_inserter(names), suggests);
    return names;
  };
  json["identifiers"] = suggesting(names_an_identifier);
  json["repeated"] = suggesting(names_a_repeat);
  if (!source_.ledger.empty()) {
    const Result<LedgerState> state =
        Ledger::open(source_.ledger).and_then([](const Ledger& one) { return one.state(); });
    if (!state) {
      return error_of(state);
    }
    json["ledger"] = {{"name", state->terms.name},
                      {"promise", promise_in_words(state->terms)},
                      {"relation", eigenveil::name_of(state->terms.relation)},
                      {"delta", state->terms.caps.delta}};
  }
  return json.dump();
}

std::shared_ptr<const Explorer::Pressed> Explorer::pressed() const {
  const std::lock_guard lock(mutex_);
  return pressed_;
}

std::string Explorer::key_of(const std::string& line, int charged_again) const {
  const std::string told = fmt::format("{} {} {}", retry_key_, charged_again, line);
  return fmt::format("explore-{}", hex(sha256(told)).substr(0, 24));
}

/// What was reserved for a run that came to nothing is spent: another charge is asked for in words,
/// and only counts where one came to nothing.
Result<int> Explorer::charges_again(const std::string& line, const fs::path& out) {
  int& times = charged_again_[line];
  const PressedEntry entry = entry_of(source_.ledger, key_of(line, times));
  if (entry.charged == Charged::Unknown) {
    return bad_request("the ledger cannot be read now, so nothing is charged again");
  }
  times += entry.charged == Charged::Yes && !is_there(entry, out) ? 1 : 0;
  return times;
}

/// A run that was ended from outside when its release had appeared did release.
Explorer::Outcome Explorer::outcome_of(const Pressed& pressed) const {
  Outcome outcome{pressed.job->status()};
  const PressedEntry entry = entry_of(source_.ledger, pressed.key);
  outcome.charged = entry.charged;
  if (ended_without(outcome.run.state) && is_there(entry, pressed.out)) {
    outcome.run.state = ReleaseProcess::State::Released;
  }
  return outcome;
}

Result<std::string> Explorer::release(const std::string& body) {
  const ExploreSource from = source();
  if (from.input.empty() || from.ledger.empty()) {
    return bad_request(
        "this page releases from a table whose budget a ledger keeps: start eigenveil explore "
        "TABLE --ledger FILE, or copy the command");
  }
  Result<Question> question = question_from_json(body, from);
  if (!question) {
    return error_of(question);
  }
  if (!is_plain_name(question->out)) {
    return bad_request("the folder's name may hold letters, digits, '-', '_' and '.' only");
  }
  if (question->components == 0 && takes_rank(question->task)) {
    return bad_request("the number of components is missing");
  }
  const Result<Planned> plan = planned(*question, from);
  if (!plan) {
    return error_of(plan);
  }
  const std::string drowned = drowned_because(*plan);
  question->anyway = insists(*question, drowned);
  std::vector<std::string> words = command_words(*question, from, question->components);
  const std::string line = shell_line(words);
  if (text_of(body, "shown") != line) {
    return bad_request("the screen shows another command than would run: look again");
  }
  if (from.header.empty()) {
    return bad_request("say first, on screen 1, what the first line of the table holds");
  }
  if (text_of(body, "mark") != from.mark()) {  // another one was refused with the question
    return bad_request("this page does not say which table it shows: load it again");
  }
  if (!drowned.empty() && !question->anyway) {
    return bad_request("noise would drown this release: " + drowned);
  }
  if (const Result<void> same = dictionary_is_unchanged(from); !same) {
    return error_of(same);
  }
  const std::lock_guard lock(mutex_);
  if (pressed_) {
    const ReleaseProcess::State state = outcome_of(*pressed_).run.state;
    const bool same = pressed_->words == line;
    if (state == ReleaseProcess::State::Running && !same) {
      return bad_request("another release is under way; wait for it or cancel it");
    }
    if (same &&
        (state == ReleaseProcess::State::Running || state == ReleaseProcess::State::Released)) {
      return Json{{"state", name_of(state)}, {"again", true}}.dump();
    }
  }
  const fs::path out = fs::absolute(question->out);
  const Result<int> times = text_of(body, "again") == "charge again"
                                ? charges_again(line, out)
                                : Result<int>(charged_again_[line]);
  if (!times) {
    return error_of(times);
  }
  auto pressed = std::make_shared<Pressed>();
  pressed->words = line;
  pressed->out = out;
  // The same press again, after an answer that was lost, finds its reservation by this name.
  pressed->key = key_of(line, *times);
  words.insert(words.end(), {"--ledger-key", pressed->key, "--quiet"});
  // The table may have been exchanged since its names were read: then nothing is read or spent.
  words.insert(words.end(), {"--expect-columns", columns_digest(question->columns)});
  Result<std::unique_ptr<ReleaseProcess>> job = ReleaseProcess::start(words, from.input, scratch_);
  if (!job) {
    return error_of(job);
  }
  pressed->job = *std::move(job);
  pressed_ = std::move(pressed);
  return Json{{"state", "running"}, {"again", false}}.dump();
}

Result<std::string> Explorer::status() const {
  const std::shared_ptr<const Pressed> asked = pressed();
  if (!asked) {
    return Json{{"state", "none"}}.dump();
  }
  const Outcome outcome = outcome_of(*asked);
  return Json{
      {"state", name_of(outcome.run.state)},
      {"command", asked->words},
      {"seconds", outcome.run.seconds},
      {"share_read", outcome.run.share_read},
      {"message", outcome.run.message},
      {"charged",
       outcome.charged == Charged::Unknown ? Json(nullptr) : Json(outcome.charged == Charged::Yes)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> Explorer::cancel() {
  const std::shared_ptr<const Pressed> asked = pressed();
  if (!asked) {
    return bad_request("no release is under way");
  }
  asked->job->cancel();
  return status();
}

std::string Explorer::end() {
  const std::shared_ptr<const Pressed> last = pressed();
  if (!last) {
    return {};
  }
  const bool running = last->job->status().state == ReleaseProcess::State::Running;
  last->job->stop();
  const Outcome outcome = outcome_of(*last);
  if (outcome.run.state == ReleaseProcess::State::Released) {
    return running ? fmt::format("The release under way was finished: {}\n", last->out.string())
                   : std::string();
  }
  const std::string what =
      running ? "A release was under way and was stopped" : "The last release came to nothing";
  switch (outcome.charged) {
    case Charged::Yes:
      return what + ". Its charge stays in the ledger: what was reserved is never given back.\n";
    case Charged::Unknown:
      return what +
             ". The ledger cannot be read now: eigenveil ledger show will say whether it was "
             "charged.\n";
    case Charged::No:
      break;
  }
  return running ? what + " before anything was charged.\n" : std::string();
}

Result<std::string> Explorer::released() const {
  const std::shared_ptr<const Pressed> done = pressed();
  if (!done || outcome_of(*done).run.state != ReleaseProcess::State::Released) {
    return bad_request("there is no release yet");
  }
  const Result<std::string> explained = explain_release(done->out);
  if (!explained) {
    return error_of(explained);
  }
  Json files = Json::array();
  for (const fs::path& path : files_in(done->out)) {
    std::error_code ignored;
    files.push_back({{"name", path.filename().string()},
                     {"address", files_ + path.filename().string()},
                     {"bytes", fs::file_size(path, ignored)},
                     {"sha256", hex(sha256(contents(path)))}});
  }
  const Result<ReadRelease> read = read_release(done->out);
  return Json{{"folder", done->out.string()},
              {"files", files},
              {"statement", read ? disclosure_statement(read->document) : *explained},
              {"explained", *explained},
              {"command", done->words}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// One of the release's own files, by a name out of its list: no path is ever put together. A page
/// is allowed its own style and nothing else.
HttpResponse Explorer::file(const std::string& address) const {
  const std::string wanted = address.substr(files_.size());
  const std::shared_ptr<const Pressed> done = pressed();
  if (done && outcome_of(*done).run.state == ReleaseProcess::State::Released) {
    for (const fs::path& path : files_in(done->out)) {
      if (path.filename().string() == wanted) {
        const bool page = wanted.ends_with(".html");
        HttpResponse response{
            .type = page ? "text/html; charset=utf-8" : "application/octet-stream",
            .body = contents(path)};
        add_strict_headers(response, page ? allowed_style(response.body) : "'none'");
        return response;
      }
    }
  }
  return strict({.status = 404, .body = "there is no such file in the release\n"});
}

}  // namespace eigenveil::cli
