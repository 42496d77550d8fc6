#include "cli/explore/page_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/parameter_names.hpp"

namespace eigenveil::cli {
namespace {

using Named = std::pair<std::string_view, std::string_view>;

constexpr std::array kWords = {
    Named{"components", "the number of directions"},
    Named{"epsilon", "the budget ε"},
    Named{"delta", "the small print δ"},
    Named{"neighbours", "what is hidden about a person"},
    Named{"rows", "the number of people"},
    Named{"range", "the range of the answers"},
    Named{"bounds", "the ranges of the columns"},
    Named{"row_norm", "a bound on a whole row"},
    Named{"out", "the folder"},
    Named{"header", "what the first line holds"},
    Named{"width", "the number of columns"},
    Named{"separator", "the separator"},
    Named{"decimal", "the decimal mark"},
    Named{"encoding", "the encoding"},
    Named{"group_size", "the number of rows protected together"},
    Named{"mu", "a Gaussian total μ"},
    Named{"within_subspace", "the dimension of a learned subspace, which the command takes"},
    Named{"project", "which the command takes"},
    Named{"anyway", "ticking the box for it"},
    Named{"allow_unproved", "leave for promises that are not proved"}};

/// Answers on screen 1.
constexpr std::array kFirstLines = {Named{"present", "“it holds names”"},
                                    Named{"numbers", "“some of the names are numbers”"},
                                    Named{"absent", "“it is a person’s row already”"}};

constexpr std::array kRelations = {Named{"add-remove", "whether a person took part at all"},
                                   Named{"replace-one", "what a person answered"},
                                   Named{"zero-row", "a person's row against an empty one"},
                                   Named{"independent-copy", "a row against another like it"}};

std::string words_for(const auto& table, std::string_view name) {
  const auto* found =
      std::find_if(table.begin(), table.end(), [&](const Named& one) { return one.first == name; });
  if (found != table.end()) {
    return std::string(found->second);
  }
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace

std::string for_page(std::string_view message) {
  return with_parameters(message, [](std::string_view name, std::string_view value) {
    if (name == "neighbours" && !value.empty()) {
      return fmt::format("“{}”", words_for(kRelations, value));
    }
    if (name == "header" && !value.empty()) {
      return words_for(kFirstLines, value);
    }
    const std::string words = words_for(kWords, name);
    return value.empty() ? words : fmt::format("{} {}", words, value);
  });
}

std::string plain_sentence(const MethodInfo& method) {
  return method.plain.empty() ? for_page(method.sentence) : method.plain;
}

}  // namespace eigenveil::cli
