#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "eigenveil/engine/registry.hpp"

namespace eigenveil::cli {

/// --method and the options of the methods that serve a task, declared from their specs.
class MethodOptions {
 public:
  std::string method;
  void declare(CLI::App& app, Task task);
  /// What was given, as the engine takes it; files of eigenvalues are read here.
  Result<Options> given() const;

 private:
  void declare_option(CLI::App& app, const OptionSpec& spec, const std::string& group);

  std::map<std::string, const OptionSpec*> specs_;
  std::map<std::string, std::string> words_;  ///< as they were typed
};

}  // namespace eigenveil::cli
