#include "statistics/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/plain_text.hpp"

namespace eigenveil {
namespace {

constexpr std::string_view kRefusal = "the tables cannot be merged: ";

/// As many as messages name.
constexpr std::size_t kNamed = 10;

/// Some shards of a run, the first few of `number` by their index.
std::string called(const std::vector<std::uint64_t>& indices, std::uint64_t number,
                   const ShardSet& of) {
  const std::size_t shown = std::min(kNamed, indices.size());
  const auto last = indices.begin() + static_cast<std::ptrdiff_t>(shown);
  return fmt::format("shard {}{} of {} of run \"{}\"", fmt::join(indices.begin(), last, ", "),
                     shown < number ? fmt::format(" and {} more", number - shown) : "", of.count,
                     of.run);
}

std::string called(const ShardSet& set) {
  return called(set.indices, set.indices.size(), set);
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
  if (ours.people_mark != theirs.people_mark) {
    return bad_request(
        fmt::format("{}shards of run \"{}\" were not made with the same {{person_key}}, so that a "
                    "person may be "
                    "in both",
                    kRefusal, ours.run));
  }
  ShardSet both{ours.run, ours.count, {}, ours.people_mark};
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

Result<void> check_identity(const ShardIdentity& identity) {
  constexpr std::uint64_t kMostShards = std::uint64_t{1} << 24U;
  constexpr std::size_t kLongestRun = 1000;
  if (identity.run.empty() || identity.run.size() > kLongestRun || !is_plain_text(identity.run) ||
      identity.index >= identity.count || identity.count > kMostShards) {
    return bad_request(fmt::format(
        "a shard is named by its run, a word of at most {} plain characters, its index from 0 to "
        "count - 1, and their count, at most {}",
        kLongestRun, kMostShards));
  }
  return {};
}

std::optional<ShardIdentity> ExactGram::identity() const {
  if (parts_.size() != 1 || parts_[0].indices.size() != 1) {
    return std::nullopt;
  }
  return ShardIdentity{parts_[0].run, parts_[0].indices[0], parts_[0].count, parts_[0].people_mark};
}

void ExactGram::set_identity(ShardIdentity identity) {
  parts_ = {
      {std::move(identity.run), identity.count, {identity.index}, std::move(identity.people_mark)}};
}

Result<void> ExactGram::check_complete() const {
  return eigenveil::check_complete(parts_);
}

Result<void> check_complete(const std::vector<ShardSet>& parts) {
  const ShardSet* open = incomplete(parts);
  if (open == nullptr) {
    return {};
  }
  std::vector<std::uint64_t> missing;
  auto inside = open->indices.begin();
  for (std::uint64_t index = 0; index < open->count && missing.size() < kNamed; ++index) {
    if (inside != open->indices.end() && *inside == index) {
      ++inside;
    } else {
      missing.push_back(index);
    }
  }
  const std::uint64_t number = open->count - open->indices.size();
  return bad_request(fmt::format("the table is not complete: {} {} missing",
                                 called(missing, number, *open), number > 1 ? "are" : "is"));
}

}  // namespace eigenveil
