#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ledger/ledger.hpp"

namespace eigenveil {

/// What a check of a ledger found.
struct LedgerCheck {
  std::vector<std::string> problems;  ///< empty: all is well
  std::size_t lines = 0;
  std::size_t releases = 0;     ///< compared
  std::size_t other_forms = 0;  ///< of them: that say they were made from the settled one
};

/// Chain and signature of every line, caps, and each release against its reservation and
/// settlement: finds a ledger restored from an old backup or copied, an entry that was removed or
/// changed, and a release that is not in it. Only a file that cannot be read is an error.
Result<LedgerCheck> verify_ledger(const std::filesystem::path& ledger,
                                  const std::vector<std::filesystem::path>& releases);

}  // namespace eigenveil
