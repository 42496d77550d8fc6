#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "ledger/entry.hpp"

namespace eigenveil {

/// Where a ledger is kept. A second kind of store implements these four functions and nothing else:
/// what is charged, hashed and signed is decided above it.
class LedgerStore {
 public:
  /// Given all lines, the next one; nothing to add; or a refusal.
  using Decide =
      std::function<Result<std::optional<LedgerLine>>(const std::vector<LedgerLine>& lines)>;

  virtual ~LedgerStore() = default;
  virtual Result<LedgerTerms> terms() = 0;
  virtual Result<std::vector<LedgerLine>> lines() = 0;
  /// In one transaction, alone: no other line is added between what `decide` sees and what it adds,
  /// and the line is on the disk when this returns. After an error it may be there or not; both
  /// are safe, since nothing happens without a line that was seen to be there.
  virtual Result<void> append(const Decide& decide) = 0;
  /// The whole ledger, as of one moment, under a new name.
  virtual Result<void> copy_to(const std::filesystem::path& path) = 0;
};

}  // namespace eigenveil
