#include "papers/data_files.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace eigenveil::papers {

std::optional<std::filesystem::path> data_file(const std::string& path) {
  const char* given = std::getenv("EIGENVEIL_DATA");
  const std::vector<std::filesystem::path> places =
      given != nullptr ? std::vector<std::filesystem::path>{given}
                       : std::vector<std::filesystem::path>{"../shared/data", "../../shared/data",
                                                            "shared/data"};
  std::error_code ignored;
  for (const std::filesystem::path& place : places) {
    if (std::filesystem::exists(place / path, ignored)) {
      return place / path;
    }
  }
  return std::nullopt;
}

Reproduction skipped_without(const std::string& path) {
  Reproduction result;
  result.parameters = {{"skipped", true}};
  result.notes = {fmt::format(
      "SKIPPED: {} was found neither in $EIGENVEIL_DATA nor in ../shared/data, so nothing was "
      "computed.",
      path)};
  return result;
}

}  // namespace eigenveil::papers
