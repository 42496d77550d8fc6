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

using Words = std::pair<std::string_view, std::string_view>;

/// A parameter, or one with its value, as the public headers call it. What is not here is called
/// the same there.
constexpr std::array kSpelled = {
    Words{"neighbours", "relation"},
    Words{"neighbours add-remove", "relation = Relation::AddRemove"},
    Words{"neighbours replace-one", "relation = Relation::ReplaceOne"},
    Words{"neighbours zero-row", "relation = Relation::ZeroRow"},
    Words{"neighbours independent-copy", "relation = Relation::IndependentCopy"},
    Words{"center none", "center = CenterChoice::None"},
    Words{"center private", "center = CenterChoice::Private"},
    Words{"units scaled", "units = Units::Scaled"},
    Words{"epsilon E", "ApproxDp with epsilon"},
    Words{"delta D", "and delta"},
    Words{"rho R", "Zcdp"},
    Words{"mu M", "GaussianDp"},
    Words{"row_norm", "RowBound::row_norm"},
    Words{"row_norm R", "RowBound::row_norm"},
    Words{"range", "RowBound::ranges"},
    Words{"range LO:HI", "RowBound::ranges"},
    Words{"range 0:2", "RowBound::ranges of 0 to 2"},
    Words{"bounds", "RowBound::ranges"},
    Words{"bounds FILE", "RowBound::ranges"},
    Words{"grid", "max_abs"},
    Words{"grid 1", "max_abs = 1"},
    Words{"out", "directory"},
    Words{"out DIR", "a directory"},
    Words{"out FILE", "a file"},
    Words{"replace", "Existing::Replace"},
    Words{"equal_totals", "EqualTotals::DifferentRows"},
    Words{"bad_cell", "BadCell"},
    Words{"bad_cell midpoint", "BadCell::Midpoint"},
    Words{"missing", "MissingCell"},
    Words{"missing midpoint", "MissingCell::Midpoint"},
    Words{"rows", "PublicFacts::rows"},
    Words{"person", "Schema::people"},
};

bool is_option(std::string_view name) {
  return std::ranges::any_of(
      methods(), [&](const Method* method) { return method->info().option(name) != nullptr; });
}

std::string spelled(std::string_view name, std::string_view value) {
  const std::string whole = value.empty() ? std::string(name) : fmt::format("{} {}", name, value);
  const auto* found =
      std::ranges::find_if(kSpelled, [&](const Words& words) { return words.first == whole; });
  if (found != kSpelled.end()) {
    return std::string(found->second);
  }
  const std::string word = is_option(name) ? fmt::format("option \"{}\"", name) : std::string(name);
  return value.empty() ? word : fmt::format("{} = \"{}\"", word, value);
}

}  // namespace

std::string in_words(const Error& error) {
  constexpr std::array kPhrases = {
      Words{"{components} must satisfy 1 <= k", "components must satisfy 1 <= components"},
      Words{"eigenveil ledger create makes one", "create_ledger makes one"}};
  std::string message = error.message;
  for (const auto& [said, instead] : kPhrases) {
    if (const std::size_t at = message.find(said); at != std::string::npos) {
      message.replace(at, said.size(), instead);
    }
  }
  return with_parameters(message, spelled);
}

}  // namespace eigenveil
