#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <system_error>

#include "cli/interface/short_help.hpp"
#include "cli/outcome.hpp"
#include "core/parameter_names.hpp"
#include "core/suggestion.hpp"
#include "core/unfinished_output.hpp"
#include "eigenveil/core/version.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kDescription =
    "Eigenveil: what can be published about the directions, covariance or shape of private rows,\n"
    "with how little noise, and what exactly is guaranteed.\n"
    "\n"
    "  eigenveil pca survey.csv -k 2 --epsilon 1 --delta 1e-6 --range 0:10 --out out/\n"
    "\n"
    "Nothing is guessed from the data: bounds and budget are given, or the program says what to "
    "give.";

constexpr const char* kOutputFailed = "the result could not be written to standard output";

/// `--center public FILE` is one choice with its file; the parser wants one word.
void join_public_center(std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i + 2 < arguments.size(); ++i) {
    if (arguments[i] == "--center" && arguments[i + 1] == "public" &&
        !arguments[i + 2].starts_with("--")) {
      arguments[i + 1] += ":" + arguments[i + 2];
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    }
  }
}

/// The deepest subcommand that was named; null when none was.
CLI::App* named_command(const CLI::App& app) {
  CLI::App* current = nullptr;
  for (const CLI::App* last = &app; !last->get_subcommands().empty(); last = current) {
    current = last->get_subcommands().front();
  }
  return current;
}

/// The same or the program itself, for suggestions.
const CLI::App* active_app(const CLI::App& app) {
  const CLI::App* command = named_command(app);
  return command != nullptr ? command : &app;
}

std::vector<std::string> words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) {
      continue;  // in no help, so nobody means it
    }
    for (const std::string& name : option->get_lnames()) {
      words.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      words.push_back("-" + name);
    }
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(command->get_name());
  }
  return words;
}

/// "eigenveil gram merge": what to type before --help.
std::string typed_command(const CLI::App& app) {
  std::string text = app.get_name();
  for (const CLI::App* current = &app; !current->get_subcommands().empty();) {
    current = current->get_subcommands().front();
    text += " " + current->get_name();
  }
  return text;
}

std::string unknown_words(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front().substr(0, rest.front().find('='));
  return fmt::format("'{}' is not known here (see {} --help){}", shown(word), typed_command(app),
                     did_you_mean(word, words_of(*active_app(app))));
}

std::string missing_words(const CLI::App& app, const std::string& complaint) {
  const CLI::App& active = *active_app(app);
  const auto children = active.get_subcommands([](const CLI::App*) { return true; });
  if (children.empty()) {
    return fmt::format("{} (see {} --help)", complaint, typed_command(app));
  }
  if (!app.remaining(true).empty()) {
    return unknown_words(app);
  }
  std::vector<std::string> names;
  names.reserve(children.size());
  for (const CLI::App* child : children) {
    names.push_back(child->get_name());
  }
  return fmt::format("say what to do: {0} {1} (see {0} --help)", typed_command(app),
                     fmt::join(names, "|"));
}

/// The parser's own sentences name C++ types; these name what the user typed.
std::string complaint_in_words(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  const auto is = [&](CLI::ExitCodes kind) {
    return error.get_exit_code() == static_cast<int>(kind);
  };
  if (is(CLI::ExitCodes::ExtrasError)) {
    return unknown_words(app);
  }
  if (is(CLI::ExitCodes::RequiredError)) {
    return missing_words(app, text);
  }
  const std::string option = text.substr(0, text.find(':'));
  if (is(CLI::ExitCodes::ArgumentMismatch)) {
    const CLI::Option* given = active_app(app)->get_option_no_throw(option);
    const bool twice = given != nullptr && given->count() > 1;
    return fmt::format("{} {} (see {} --help)", option, twice ? "was given twice" : "needs a value",
                       typed_command(app));
  }
  if (is(CLI::ExitCodes::ConversionError) && option == "Could not convert") {
    return fmt::format("{} cannot be read as a number{}", text.substr(option.size() + 2),
                       text.find(',') == std::string::npos ? "" : " (decimals have a point)");
  }
  return is(CLI::ExitCodes::ValidationError) && option.size() < text.size()
             ? option + text.substr(option.size() + 1)
             : text;
}

/// CLI11 speaks through exceptions; this is the one place they are caught.
int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (CLI::App* command = named_command(app);
      error.get_name() == "CallForHelp" && command != nullptr) {
    std::cout << short_help(*command, typed_command(app));
    return std::cout.flush() ? 0 : report_failure(kOutputFailed, 1);
  }
  if (error.get_exit_code() == 0) {
    app.exit(error);  // --help, --help-all, --version
    return std::cout.flush() ? 0 : report_failure(kOutputFailed, 1);
  }
  return report_failure(complaint_in_words(app, error), 2);
}

/// --help-all on every command that has options of its own.
void add_help_for_all(CLI::App& command) {
  command.set_help_all_flag("--help-all", "every option");
  for (CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
    add_help_for_all(*child);
  }
}

int exit_code(ErrorCode code) {
  return code == ErrorCode::BadRequest ? 2 : 1;
}

int run_safely(const std::function<Outcome()>& run) {
  try {
    const Outcome outcome = run();
    if (!outcome) {
      return report_failure(outcome.error().message, exit_code(outcome.error().code));
    }
    return std::fflush(stdout) == 0 ? 0 : report_failure(kOutputFailed, 1);
  } catch (const std::bad_alloc&) {
    return report_failure("not enough memory for a table with this many columns", 1);
  } catch (const std::filesystem::filesystem_error& error) {
    return report_failure(
        fmt::format("cannot use {}: {}", error.path1().string(), error.code().message()), 1);
  } catch (const std::system_error& error) {  // a full disk behind standard output, for example
    return report_failure(fmt::format("{}: {}", kOutputFailed, error.code().message()), 1);
  } catch (const std::exception&) {  // its text might quote a value
    return report_failure("something went wrong inside the program; please report it", 1);
  }
}

/// Those that wait for signals themselves, and end in their own way.
bool waits_for_signals(const CLI::App& command) {
  return command.get_name() == "explore" || command.get_name() == "collect";
}

}  // namespace

int report_failure(const std::string& message, int exit_code) {
  // File and column names are quoted in messages: one line, and no escape codes for the terminal.
  std::string line = for_command_line(message);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  fmt::print(stderr, "error: {}\n", line);
  return exit_code;
}

int run_command_line(std::vector<std::string> arguments) {
  CLI::App app(kDescription, "eigenveil");
  app.set_version_flag("--version", std::string("eigenveil ") + kVersion);
  app.require_subcommand(0, 1);
  std::map<const CLI::App*, std::function<Outcome()>> actions;
  for (const Command& command : all_commands()) {
    CLI::App* child = app.add_subcommand(command.name, command.summary);
    actions[child] = command.declare(*child);
    add_help_for_all(*child);
  }
  if (!arguments.empty() && arguments.front() == "help") {  // help pca: as pca --help
    arguments.erase(arguments.begin());
    const auto asked = [&](const Command& command) { return command.name == arguments.front(); };
    if (!arguments.empty() && std::ranges::none_of(all_commands(), asked)) {
      return report_failure(
          fmt::format("'{}' is not known here (see eigenveil --help)", shown(arguments.front())),
          2);
    }
    arguments.emplace_back("--help");
  }
  join_public_center(arguments);
  std::reverse(arguments.begin(), arguments.end());  // the order CLI11 takes them in
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error);
  }
  if (app.get_subcommands().empty()) {
    return run_safely([&]() -> Outcome {
      fmt::print("{}", app.help());
      return {};
    });
  }
  const CLI::App* command = app.get_subcommands().front();
  std::optional<EndsCleanly> ends;
  if (!waits_for_signals(*command)) {
    ends.emplace();
  }
  return run_safely(actions[command]);
}

}  // namespace eigenveil::cli
