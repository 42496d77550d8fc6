#include "data/column_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/parameter_names.hpp"

namespace eigenveil::detail {
namespace {

/// Number of insertions, deletions and changes that turn one name into the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> distances(to.size() + 1);
  std::iota(distances.begin(), distances.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = distances[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + static_cast<std::size_t>(from[i] != to[j]);
      diagonal = distances[j + 1];
      distances[j + 1] = std::min({changed, diagonal + 1, distances[j] + 1});
    }
  }
  return distances.back();
}

std::string suggestion(const std::vector<std::string>& names, const std::string& wanted) {
  constexpr std::size_t kLongestCompared = 64;
  std::size_t best_distance = wanted.size() / 3 + 2;
  const std::string* best = nullptr;
  for (const std::string& name : names) {
    if (wanted.size() <= kLongestCompared && name.size() <= kLongestCompared) {
      if (const std::size_t distance = edit_distance(name, wanted); distance < best_distance) {
        best_distance = distance;
        best = &name;
      }
    }
  }
  return best == nullptr ? std::string(".") : fmt::format("; did you mean {}?", shown(*best));
}

constexpr std::size_t kShownNames = 8;

std::string first_names(const std::vector<std::string>& names) {
  std::vector<std::string> first = names;
  first.resize(std::min(kShownNames, names.size()));
  return fmt::format("{}", fmt::join(shown(first), ", "));
}

using NameIndex = std::unordered_map<std::string_view, std::size_t>;
constexpr std::size_t kAmbiguous = static_cast<std::size_t>(-1);

NameIndex index_names(const std::vector<std::string>& names) {
  NameIndex index;
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (const auto [at, fresh] = index.emplace(names[column], column); !fresh) {
      at->second = kAmbiguous;
    }
  }
  return index;
}

tl::unexpected<Error> no_such_column(const std::vector<std::string>& names,
                                     const std::string& name) {
  return bad_request(
      fmt::format("there is no column {}{} The columns are {}{} (names with commas: "
                  "{{columns}} @FILE, one per line).",
                  shown(name), suggestion(names, name), first_names(names),
                  names.size() > kShownNames ? ", ..." : ""));
}

tl::unexpected<Error> several_columns(const std::string& name) {
  return bad_request(fmt::format(
      "the input has several columns called {}; rename them or select others.", shown(name)));
}

}  // namespace

Result<std::vector<std::string>> without_columns(const std::vector<std::string>& names,
                                                 const std::vector<std::string>& excluded) {
  std::unordered_set<std::string_view> left_out(excluded.begin(), excluded.end());
  std::unordered_set<std::string_view> known(names.begin(), names.end());
  for (const std::string& name : excluded) {
    if (!known.contains(name)) {
      return no_such_column(names, name);
    }
  }
  std::vector<std::string> kept;
  std::copy_if(names.begin(), names.end(), std::back_inserter(kept),
               [&](const std::string& name) { return !left_out.contains(name); });
  if (kept.empty()) {
    return bad_request("{exclude} leaves no column to work with", "exclude");
  }
  return kept;
}

Result<ColumnSelection> select_columns(std::vector<std::string> names, const ReadOptions& options) {
  std::vector<std::string> wanted = options.columns.empty() ? names : options.columns;
  std::vector<std::string> aside = options.appended;
  if (!options.person.empty()) {
    aside.push_back(options.person);
  }
  for (const std::string& name : aside) {
    const auto times = std::count(names.begin(), names.end(), name);
    if (times == 0) {
      return no_such_column(names, name);
    }
    if (times > 1) {
      return several_columns(name);
    }
    std::erase(wanted, name);
  }
  if (!options.exclude.empty() || wanted.empty()) {
    Result<std::vector<std::string>> kept = without_columns(wanted, options.exclude);
    if (!kept) {
      return error_of(kept);
    }
    wanted = *std::move(kept);
  }
  wanted.insert(wanted.end(), options.appended.begin(), options.appended.end());
  const bool plain = options.columns.empty() && options.exclude.empty() && aside.empty();
  return select_columns(std::move(names), plain ? std::vector<std::string>() : wanted);
}

Result<ColumnSelection> select_columns(std::vector<std::string> names,
                                       const std::vector<std::string>& requested) {
  const NameIndex index = index_names(names);
  ColumnSelection selection;
  selection.slots.assign(names.size(), ColumnSelection::kSkip);
  for (const std::string& name : requested.empty() ? names : requested) {
    const auto found = index.find(name);
    if (found == index.end()) {
      return no_such_column(names, name);
    }
    const std::size_t column = found->second;
    if (column == kAmbiguous) {
      return several_columns(name);
    }
    if (selection.slots[column] != ColumnSelection::kSkip) {
      return bad_request(fmt::format("column {} is selected twice.", shown(name)));
    }
    selection.slots[column] = selection.sources.size();
    selection.sources.push_back(column);
  }
  if (requested.empty()) {
    selection.schema.columns = std::move(names);
  } else {
    selection.schema.columns = requested;
  }
  return selection;
}

std::string default_column_name(std::size_t column) {
  return fmt::format("c{}", column + 1);
}

std::vector<std::string> default_column_names(std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t column = 0; column < count; ++column) {
    names.push_back(default_column_name(column));
  }
  return names;
}

}  // namespace eigenveil::detail
