#pragma once

#include <vector>

#include "eigenveil/statistics/exact_gram.hpp"

namespace eigenveil {

/// Refuses a run without a name, an index that is not below the count, and too large a count.
Result<void> check_identity(const ShardIdentity& identity);

/// Refuses, by name, shards of a run that are not there.
Result<void> check_complete(const std::vector<ShardSet>& parts);

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
