#include "cli/interface/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eigenveil::cli {
namespace {

std::string path_text(const InterfaceCommand& command, std::string_view separator) {
  return fmt::format("{}", fmt::join(command.path, separator));
}

std::vector<std::string> command_names(const InterfaceCommand& command) {
  std::vector<std::string> names;
  for (const InterfaceCommand& child : command.commands) {
    names.push_back(child.path.back());
  }
  return names;
}

std::vector<std::string> option_names(const InterfaceCommand& command) {
  std::vector<std::string> names;
  for (const InterfaceOption& option : command.options) {
    if (!option.positional) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

/// Inside single quotes of bash, zsh and fish alike when there is no quote or backslash left.
std::string quotable(const std::string& text) {
  std::string safe;
  for (const char letter : first_line(text)) {
    if (letter == '\'' || letter == '\\') {
      continue;
    }
    safe += letter == '[' || letter == ']' || letter == ':' ? ' ' : letter;
  }
  return safe;
}

/// Lines `path) commands='..'; options='..' ;;` for the case statement of bash and zsh.
std::string command_cases(const InterfaceCommand& program) {
  std::string cases;
  for (const InterfaceCommand* command : flattened(program)) {
    cases += fmt::format("    '{}') commands='{}'; options='{}' ;;\n", path_text(*command, " "),
                         fmt::join(command_names(*command), " "),
                         fmt::join(option_names(*command), " "));
  }
  return cases;
}

/// Lines `path:--option) ... ;;` that set `values`, or `files=1` when any value may follow.
std::string value_cases(const InterfaceCommand& program) {
  std::string cases;
  for (const InterfaceCommand* command : flattened(program)) {
    for (const InterfaceOption& option : command->options) {
      for (const std::string& name : option.names) {
        if (!option.positional && option.takes_value) {
          const std::string path = path_text(*command, " ");
          cases += option.choices.empty() ? fmt::format("    '{}:{}') files=1 ;;\n", path, name)
                                          : fmt::format("    '{}:{}') values='{}' ;;\n", path, name,
                                                        fmt::join(option.choices, " "));
        }
      }
    }
  }
  return cases;
}

std::string command_paths(const InterfaceCommand& program) {
  std::string paths = "|";
  for (const InterfaceCommand* command : flattened(program)) {
    paths += path_text(*command, " ") + "|";
  }
  return paths;
}

}  // namespace

std::string bash_completion(const InterfaceCommand& program) {
  std::string script = "# bash completion for eigenveil, made by: eigenveil completion bash\n";
  script += "_eigenveil() {\n";
  script += "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n";
  script += fmt::format("  local paths='{}'\n", command_paths(program));
  script +=
      "  local path='' i commands='' options='' values='' files=''\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    local longer=\"${path:+$path }${COMP_WORDS[i]}\"\n"
      "    [[ $paths == *\"|$longer|\"* ]] && path=$longer\n"
      "  done\n"
      "  case \"$path:$before\" in\n";
  script += value_cases(program);
  script += "  esac\n  case \"$path\" in\n";
  script += command_cases(program);
  script +=
      "  esac\n"
      "  if [[ -n $values ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "  elif [[ -n $files ]]; then\n"
      "    COMPREPLY=()\n"
      "  elif [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o bashdefault -o default -F _eigenveil eigenveil\n";
  return script;
}

std::string zsh_completion(const InterfaceCommand& program) {
  std::string script = "#compdef eigenveil\n# made by: eigenveil completion zsh\n";
  script += fmt::format("local paths='{}'\n", command_paths(program));
  script +=
      "local path_so_far='' commands='' options='' values='' files='' longer i\n"
      "for ((i = 2; i < CURRENT; i++)); do\n"
      "  longer=\"${path_so_far:+$path_so_far }${words[i]}\"\n"
      "  [[ $paths == *\"|$longer|\"* ]] && path_so_far=$longer\n"
      "done\n"
      "case \"$path_so_far:${words[CURRENT-1]}\" in\n";
  script += value_cases(program);
  script += "esac\ncase \"$path_so_far\" in\n";
  script += command_cases(program);
  script +=
      "esac\n"
      "if [[ -n $values ]]; then\n"
      "  compadd -- ${=values}\n"
      "elif [[ -n $files ]]; then\n"
      "  _files\n"
      "elif [[ $PREFIX == -* ]]; then\n"
      "  compadd -- ${=options}\n"
      "elif [[ -n $commands ]]; then\n"
      "  compadd -- ${=commands}\n"
      "else\n"
      "  _files\n"
      "fi\n";
  return script;
}

std::string fish_completion(const InterfaceCommand& program) {
  std::string script = "# fish completion for eigenveil, made by: eigenveil completion fish\n";
  for (const InterfaceCommand* command : flattened(program)) {
    // Offered when every word of the path was typed and no longer path was.
    std::string seen = "true";
    for (const std::string& word : command->path) {
      seen += "; and __fish_seen_subcommand_from " + word;
    }
    const std::vector<std::string> children = command_names(*command);
    const std::string here = children.empty()
                                 ? seen
                                 : fmt::format("{}; and not __fish_seen_subcommand_from {}", seen,
                                               fmt::join(children, " "));
    for (const InterfaceCommand& child : command->commands) {
      script += fmt::format("complete -c eigenveil -f -n '{}' -a {} -d '{}'\n", here,
                            child.path.back(), quotable(child.description));
    }
    for (const InterfaceOption& option : command->options) {
      if (option.positional) {
        continue;
      }
      script += fmt::format("complete -c eigenveil -n '{}'", here);
      for (const std::string& name : option.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      script += option.takes_value ? " -r" : "";
      if (!option.choices.empty()) {
        script += fmt::format(" -f -a '{}'", fmt::join(option.choices, " "));
      }
      script += fmt::format(" -d '{}'\n", quotable(option.description));
    }
  }
  return script;
}

}  // namespace eigenveil::cli
