#pragma once

#include <string>
#include <vector>

namespace eigenveil::cli {

/// Parses the arguments (without the program's name), runs the command, returns the exit code.
int run_command_line(std::vector<std::string> arguments);

/// Prints "error: ..." on standard error and returns `exit_code`.
int report_failure(const std::string& message, int exit_code);

}  // namespace eigenveil::cli
