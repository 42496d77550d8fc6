#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collection/aggregator_store.hpp"
#include "collection/shares.hpp"
#include "collection/study.hpp"
#include "ledger/signing_key.hpp"

namespace eigenveil {

/// What an aggregator publishes at closing: half of a release. Alone it is uniform.
struct NoisySum {
  Role role = Role::A;
  Digest set = {};  ///< hash of the reports that count
  std::uint64_t reports = 0;
  bool secure_random = true;
  ShareVector sum;
};
std::string to_json(const NoisySum& sum, const Study& study, const SigningKey& key);
/// With its signature checked against the study's manifest.
Result<NoisySum> sum_from_json(std::string_view text, const Study& study);

/// Names the set in both halves; of sorted members.
Digest set_hash(std::vector<ListedReport> members);

/// The two halves together: the released integers.
struct CollectedGram {
  std::uint64_t reports = 0;
  Digest set = {};
  bool secure_random = true;
  std::vector<Int128> triangle;  ///< of (t, x), grid units, noise inside
};
/// Refuses halves of different sets, of one side twice, or of fewer reports than the minimum.
Result<CollectedGram> merge_sums(const Study& study, const NoisySum& a, const NoisySum& b);

}  // namespace eigenveil
