#pragma once

#include <filesystem>

#include "core/keyed_hash.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// A key that nobody knows: people cannot be given names that share a hash under it.
HashKey fresh_person_key();

/// The key that the shards of one run share, in a file of mode 0600. Only the program makes keys,
/// of 256 secret bits, so that what shards carry of one (mark_of_key) helps nobody to guess it.
Result<void> save_person_key(const HashKey& key, const std::filesystem::path& path);
Result<HashKey> load_person_key(const std::filesystem::path& path);

}  // namespace eigenveil
