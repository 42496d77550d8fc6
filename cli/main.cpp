#include <sodium.h>

#include <csignal>

#include "cli/command_line.hpp"

/// Reads the command line, runs one command, prints one sentence if it fails.
/// Exit code: 0 done (a NULL answer included), 2 bad request, 1 input or output failure.
int main(int argc, char** argv) {
  // A file that would grow beyond the user's limit is a failed write with its own sentence.
  std::signal(SIGXFSZ, SIG_IGN);
  if (sodium_init() < 0) {
    return eigenveil::cli::report_failure("the operating system gives no secure randomness", 1);
  }
  return eigenveil::cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
