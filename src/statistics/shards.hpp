#pragma once

#include <vector>

#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

/// The parts of two tables together.
struct MergedParts {
  std::vector<ShardSet> parts;
  bool told_apart = false;  ///< both are shards of one run: their names say that rows differ
};

/// Refuses a shard that is in both, one of another run among those of a run that is not complete,
/// and runs of one name with different numbers of shards; says which.
Result<MergedParts> merge_parts(const std::vector<ShardSet>& ours,
                                const std::vector<ShardSet>& theirs);

}  // namespace eigenveil
