#include "eigenveil/engine/error_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/parameter_names.hpp"
#include "eigenveil/engine/registry.hpp"

namespace eigenveil {
namespace {

using Spelling = std::pair<std::string_view, std::string_view>;

/// A parameter, or one with its value, as the public headers call it. What is not here is called
/// the same there.
constexpr std::array kSpelledInCpp = {
    Spelling{"neighbours", "relation"},
    Spelling{"neighbours add-remove", "relation = Relation::AddRemove"},
    Spelling{"neighbours replace-one", "relation = Relation::ReplaceOne"},
    Spelling{"neighbours zero-row", "relation = Relation::ZeroRow"},
    Spelling{"neighbours independent-copy", "relation = Relation::IndependentCopy"},
    Spelling{"center none", "center = CenterChoice::None"},
    Spelling{"center private", "center = CenterChoice::Private"},
    Spelling{"units scaled", "units = Units::Scaled"},
    Spelling{"epsilon E", "ApproxDp with epsilon"},
    Spelling{"delta D", "and delta"},
    Spelling{"rho R", "Zcdp"},
    Spelling{"mu M", "GaussianDp"},
    Spelling{"row_norm", "RowBound::row_norm"},
    Spelling{"row_norm R", "RowBound::row_norm"},
    Spelling{"range", "RowBound::ranges"},
    Spelling{"range LO:HI", "RowBound::ranges"},
    Spelling{"range 0:2", "RowBound::ranges of 0 to 2"},
    Spelling{"bounds", "RowBound::ranges"},
    Spelling{"bounds FILE", "RowBound::ranges"},
    Spelling{"grid", "max_abs"},
    Spelling{"grid 1", "max_abs = 1"},
    Spelling{"out", "directory"},
    Spelling{"out DIR", "a directory"},
    Spelling{"out FILE", "a file"},
    Spelling{"replace", "Existing::Replace"},
    Spelling{"equal_totals", "EqualTotals::DifferentRows"},
    Spelling{"bad_cell", "BadCell"},
    Spelling{"bad_cell midpoint", "BadCell::Midpoint"},
    Spelling{"missing", "MissingCell"},
    Spelling{"missing midpoint", "MissingCell::Midpoint"},
    Spelling{"rows", "PublicFacts::rows"},
    Spelling{"person", "Schema::people"},
};

bool is_method_option(std::string_view name) {
  return std::ranges::any_of(
      methods(), [&](const Method* method) { return method->info().option(name) != nullptr; });
}

std::string spelled_in_cpp(std::string_view name, std::string_view value) {
  const std::string whole = value.empty() ? std::string(name) : fmt::format("{} {}", name, value);
  const auto* found = std::ranges::find_if(
      kSpelledInCpp, [&](const Spelling& words) { return words.first == whole; });
  if (found != kSpelledInCpp.end()) {
    return std::string(found->second);
  }
  const std::string word =
      is_method_option(name) ? fmt::format("option \"{}\"", name) : std::string(name);
  return value.empty() ? word : fmt::format("{} = \"{}\"", word, value);
}

}  // namespace

std::string in_words(const Error& error) {
  constexpr std::array kPhrases = {
      Spelling{"{components} must satisfy 1 <= k", "components must satisfy 1 <= components"},
      Spelling{"eigenveil ledger create makes one", "create_ledger makes one"}};
  std::string message = error.message;
  for (const auto& [said, instead] : kPhrases) {
    if (const std::size_t at = message.find(said); at != std::string::npos) {
      message.replace(at, said.size(), instead);
    }
  }
  return with_parameters(message, spelled_in_cpp);
}

}  // namespace eigenveil
