#include "cli/interface/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eigenveil/core/version.hpp"

namespace eigenveil::cli {
namespace {

/// Backslashes and hyphens have a meaning in roff, and so has a dot or quote that starts a line.
std::string roff(const std::string& text) {
  std::string escaped;
  bool line_start = true;
  for (const char letter : text) {
    if (line_start && (letter == '.' || letter == '\'')) {
      escaped += "\\&";
    }
    if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";
    } else {
      escaped += letter;
    }
    line_start = letter == '\n';
  }
  return escaped;
}

/// Indented lines of a description are examples and keep their line ends.
std::string paragraphs(const std::string& text) {
  std::string out;
  for (const std::string& line : CLI::detail::split(text, '\n')) {
    if (line.starts_with("  ")) {
      out += ".PP\n.RS 4\n.nf\n" + roff(CLI::detail::trim_copy(line)) + "\n.fi\n.RE\n";
    } else if (CLI::detail::trim_copy(line).empty()) {
      out += ".PP\n";
    } else {
      out += roff(line) + "\n";
    }
  }
  return out;
}

std::string option_entry(const InterfaceOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (!option.positional && option.takes_value) {
    names += option.choices.empty()
                 ? " \\fIVALUE\\fR"
                 : fmt::format(" {}", roff(fmt::format("{}", fmt::join(option.choices, "|"))));
  }
  return fmt::format(".TP\n{}\n{}{}\n", names, roff(option.description),
                     option.required ? " (required)" : "");
}

std::string option_entries(const InterfaceCommand& command) {
  std::string text;
  for (const InterfaceOption& option : command.options) {
    text += option_entry(option);
  }
  return text;
}

}  // namespace

std::string manual_page(const InterfaceCommand& program) {
  std::string page = fmt::format(
      ".\\\" Made by eigenveil man from the definitions of the command line.\n"
      ".TH EIGENVEIL 1 \"\" \"eigenveil {}\" \"User Commands\"\n"
      ".SH NAME\neigenveil \\- differentially private spectral analysis\n"
      ".SH SYNOPSIS\n.B eigenveil\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"
      ".SH DESCRIPTION\n{}.SH OPTIONS\n{}.SH COMMANDS\n",
      kVersion, paragraphs(program.description), option_entries(program));
  for (const InterfaceCommand* command : flattened(program)) {
    if (!command->path.empty()) {
      page += fmt::format(".SS eigenveil {}\n{}{}",
                          roff(fmt::format("{}", fmt::join(command->path, " "))),
                          paragraphs(command->description), option_entries(*command));
    }
  }
  return page +
         ".SH EXIT STATUS\n"
         ".TP\n.B 0\nDone; an answer of \"nothing\" that the method may give is included.\n"
         ".TP\n.B 2\nThe request or its input is wrong; the message says what to give.\n"
         ".TP\n.B 1\nA file could not be read or written.\n";
}

}  // namespace eigenveil::cli
