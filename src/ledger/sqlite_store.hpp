#pragma once

#include <memory>
#include <string_view>

#include "ledger/store.hpp"

namespace eigenveil {

/// How long a ledger that other programs use is waited for.
constexpr double kLedgerWaitSeconds = 30.0;

/// A ledger in one SQLite file, mode 0600: rollback journal, synchronous=EXTRA, transactions that
/// begin with the write lock. Lines cannot be updated, deleted or replaced through SQL (triggers).
/// Not on network file systems, whose locks cannot be relied on.
class SqliteLedger {
 public:
  /// A new file that appears whole or not at all; an existing one is never touched.
  static Result<void> create(const std::filesystem::path& path, const LedgerTerms& terms);
  static Result<std::unique_ptr<LedgerStore>> open(const std::filesystem::path& path,
                                                   double wait_seconds = kLedgerWaitSeconds);
  /// As it was made by an earlier version of the schema; for tests of the migration.
  static Result<void> create_version(const std::filesystem::path& path, const LedgerTerms& terms,
                                     int version);
  static int newest_version();
};

/// Whether a file system of this kind (statfs f_type) may be shared between machines.
bool is_network_file_system(long kind);

}  // namespace eigenveil
