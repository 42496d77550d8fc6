#include "statistics/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace eigenveil {
namespace {

constexpr std::string_view kRefusal = "the tables cannot be merged: ";

/// The first few, for messages.
std::string listed(const std::vector<std::uint64_t>& indices) {
  constexpr std::size_t kMost = 10;
  const std::size_t shown = std::min(kMost, indices.size());
  std::string text = fmt::format(
      "{}", fmt::join(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return shown < indices.size() ? fmt::format("{} and {} more", text, indices.size() - shown)
                                : text;
}

std::string called(const ShardSet& set) {
  return fmt::format("shard {} of {} of run \"{}\"", listed(set.indices), set.count, set.run);
}

const ShardSet* incomplete(const std::vector<ShardSet>& parts) {
  const auto found =
      std::ranges::find_if(parts, [](const ShardSet& set) { return !set.complete(); });
  return found == parts.end() ? nullptr : &*found;
}

Result<ShardSet> united(const ShardSet& ours, const ShardSet& theirs) {
  if (ours.count != theirs.count) {
    return bad_request(fmt::format("{}run \"{}\" has {} shards in one and {} in the other",
                                   kRefusal, ours.run, ours.count, theirs.count));
  }
  ShardSet both{ours.run, ours.count, {}};
  std::ranges::set_intersection(ours.indices, theirs.indices, std::back_inserter(both.indices));
  if (!both.indices.empty()) {
    return bad_request(
        fmt::format("{}both contain the same shard, {}; counting its rows twice would break the "
                    "privacy guarantee",
                    kRefusal, called(both)));
  }
  std::ranges::merge(ours.indices, theirs.indices, std::back_inserter(both.indices));
  return both;
}

/// A run that is not complete takes its own shards alone.
Result<void> refuse_foreign(const ShardSet& open, const std::vector<ShardSet>& others) {
  const bool own =
      std::ranges::any_of(others, [&](const ShardSet& set) { return set.run == open.run; });
  if (own && others.size() == 1) {
    return {};
  }
  const auto foreign =
      std::ranges::find_if(others, [&](const ShardSet& set) { return set.run != open.run; });
  if (foreign != others.end()) {
    return bad_request(fmt::format("{}{} does not belong to run \"{}\", which is not complete",
                                   kRefusal, called(*foreign), open.run));
  }
  return bad_request(fmt::format("{}one is {}, the other does not say of which run it is", kRefusal,
                                 called(open)));
}

}  // namespace

Result<MergedParts> merge_parts(const std::vector<ShardSet>& ours,
                                const std::vector<ShardSet>& theirs) {
  for (const auto& [these, those] : {std::pair(&ours, &theirs), std::pair(&theirs, &ours)}) {
    if (const ShardSet* open = incomplete(*these)) {
      if (const Result<void> own = refuse_foreign(*open, *those); !own) {
        return error_of(own);
      }
    }
  }
  MergedParts merged{ours, ours.size() == 1 && theirs.size() == 1 && ours[0].run == theirs[0].run};
  for (const ShardSet& set : theirs) {
    const auto same = std::ranges::find(merged.parts, set.run, &ShardSet::run);
    if (same == merged.parts.end()) {
      merged.parts.push_back(set);
      continue;
    }
    Result<ShardSet> both = united(*same, set);
    if (!both) {
      return error_of(both);
    }
    *same = *std::move(both);
  }
  std::ranges::sort(merged.parts, {}, &ShardSet::run);
  return merged;
}

std::optional<ShardIdentity> ExactGram::identity() const {
  if (parts_.size() != 1 || parts_[0].indices.size() != 1) {
    return std::nullopt;
  }
  return ShardIdentity{parts_[0].run, parts_[0].indices[0], parts_[0].count};
}

void ExactGram::set_identity(ShardIdentity identity) {
  parts_ = {{std::move(identity.run), identity.count, {identity.index}}};
}

Result<void> ExactGram::check_complete() const {
  const ShardSet* open = incomplete(parts_);
  if (open == nullptr) {
    return {};
  }
  ShardSet missing{open->run, open->count, {}};
  for (std::uint64_t index = 0; index < open->count; ++index) {
    if (!std::ranges::binary_search(open->indices, index)) {
      missing.indices.push_back(index);
    }
  }
  return bad_request(fmt::format("the table is not complete: {} missing",
                                 called(missing) + (missing.indices.size() > 1 ? " are" : " is")));
}

}  // namespace eigenveil
