#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/random/stream.hpp"
#include "eigenveil/report/release_writer.hpp"

namespace eigenveil {

/// Is this the data set of the last release under the same name? Asked after the charge, of whom
/// there is to ask, or answered before.
enum class SameData : std::uint8_t { NotCompared, Ask, Yes, No };

inline SameData same_data_of(std::string_view word) {
  return word == "ask"   ? SameData::Ask
         : word == "yes" ? SameData::Yes
         : word == "no"  ? SameData::No
                         : SameData::NotCompared;
}

/// Where a release goes, under which names, and what pays for it: the same for every kind.
struct ReleaseOutput {
  std::string out;    ///< empty: not written
  bool kept = false;  ///< the face keeps what comes back: a ledger need not see it written
  TableFormat arrays = TableFormat::Csv;
  Existing existing = Existing::Refuse;
  std::string data_set;  ///< a public name of the table
  std::string date;
  std::vector<std::string> builds_on;  ///< releases that this one is made with, by their paths
  std::vector<std::string> checksums;  ///< more of them, by their checksums
  std::optional<std::uint64_t> seed;   ///< tests and reproduction: not private

  std::string ledger;
  std::string ledger_key;
  SameData same_data = SameData::NotCompared;

  RandomStream stream() const {
    return seed ? RandomStream::seeded(*seed) : RandomStream::secure();
  }
  /// A release that streams may go to a file with the rest beside it.
  ReleaseTarget target(bool streams, int threads) const;
};

}  // namespace eigenveil
