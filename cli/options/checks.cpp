#include "cli/options/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/plain_text.hpp"
#include "core/suggestion.hpp"

namespace eigenveil::cli {

CLI::Validator whole_number(std::uint64_t smallest, std::uint64_t largest) {
  const bool open = largest == std::numeric_limits<std::uint64_t>::max();
  const std::string limits = open ? fmt::format("of at least {}", smallest)
                                  : fmt::format("from {} to {}", smallest, largest);
  return {[=](const std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stopped, failure] = std::from_chars(text.data(), end, value);
            const bool sound =
                stopped == end && failure == std::errc() && value >= smallest && value <= largest;
            return sound ? std::string() : fmt::format("must be a whole number {}", limits);
          },
          ""};
}

std::string choices(std::vector<std::string> words) {
  std::erase(words, ",");
  return fmt::format("{{{}}}", fmt::join(words, ","));
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string listed = fmt::format("{}", fmt::join(words, ", "));
  return {[=](const std::string& text) {
            return std::find(words.begin(), words.end(), text) != words.end()
                       ? std::string()
                       : fmt::format("must be one of {}{}", listed, did_you_mean(text, words));
          },
          choices(words)};
}

CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("must not be empty") : std::string();
          },
          ""};
}

CLI::Validator plain_text() {
  return {[](const std::string& text) {
            return !text.empty() && is_plain_text(text) ? std::string()
                                                        : std::string("must be plain text");
          },
          ""};
}

CLI::Validator number_in(NumberRange range) {
  return {[range](const std::string& text) {
            double value = 0.0;
            const char* end = text.data() + text.size();
            const auto [stopped, failure] = std::from_chars(text.data(), end, value);
            const bool sound = stopped == end && failure == std::errc() && range.contains(value);
            return sound ? std::string() : "must be " + range.in_words();
          },
          ""};
}

Result<void> check_gram_output(const std::string& path, const std::vector<std::string>& inputs,
                               bool replace) {
  if (!path.ends_with(".gram")) {
    return bad_request("--out must name a .gram file");
  }
  std::error_code ignored;
  for (const std::string& input : inputs) {
    if (std::filesystem::equivalent(path, input, ignored)) {
      return bad_request(fmt::format("{} is also an input; give --out another name", path));
    }
  }
  if (!replace && std::filesystem::exists(path, ignored)) {
    return bad_request(
        fmt::format("{} exists; say --replace to lose it, or give --out another name", path));
  }
  return {};
}

}  // namespace eigenveil::cli
