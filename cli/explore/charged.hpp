#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace eigenveil::cli {

/// Whether a press was charged. A ledger that cannot be read now says neither.
enum class Charged : std::uint8_t { No, Yes, Unknown };

/// The ledger's entry of one press, found by the press's own key: what others spend says nothing
/// about it.
struct PressedEntry {
  Charged charged = Charged::Unknown;
  std::string release = {};  ///< SHA-256 of the document it became; empty: none
};
PressedEntry entry_of(const std::string& ledger, const std::string& key);

/// Whether the release of this entry lies in the folder, whole.
bool is_there(const PressedEntry& entry, const std::filesystem::path& folder);

}  // namespace eigenveil::cli
