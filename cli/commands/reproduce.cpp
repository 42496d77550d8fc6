#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/commands/commands.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kPapers = "eigenveil-papers";

/// Becomes the papers' program, which stands beside this one; returns only when it cannot.
Outcome forward(std::vector<std::string> words) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path papers = self.parent_path() / kPapers;
  if (error || !std::filesystem::exists(papers, error)) {
    return bad_request(
        "the tables and figures of the papers are made by a program of their own, "
        "eigenveil-papers, which is not beside this one: build it with make papers");
  }
  words.insert(words.begin(), papers.string());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  ::execv(arguments.front(), arguments.data());
  return input_output_error(
      fmt::format("cannot start {}: {}", papers.string(), std::strerror(errno)));
}

}  // namespace

Command reproduce_command() {
  return {"reproduce",
          "Makes a table or figure of one of the five papers, our numbers beside the paper's.\n"
          "Everything after the word goes to eigenveil-papers (make papers).\n"
          "  eigenveil reproduce list\n"
          "  eigenveil reproduce yun-dudeja-fig2 --out reproduction",
          [](CLI::App& app) {
            app.prefix_command();
            return [&app] { return forward(app.remaining()); };
          }};
}

}  // namespace eigenveil::cli
