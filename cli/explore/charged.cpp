#include "cli/explore/charged.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "eigenveil/core/digest.hpp"
#include "ledger/ledger.hpp"

namespace eigenveil::cli {
namespace {

/// Asked several times a second while a release runs: who waits longer for another process's lock
/// answers "cannot be read now" and is asked again.
constexpr double kPatience = 0.3;

}  // namespace

PressedEntry entry_of(const std::string& ledger, const std::string& key) {
  const Result<LedgerState> state =
      Ledger::open(ledger, kPatience).and_then([](const Ledger& one) { return one.state(); });
  if (!state) {
    return {};
  }
  const std::vector<LedgerLine>& lines = state->lines;
  const auto reserved = std::find_if(lines.begin(), lines.end(), [&](const LedgerLine& line) {
    return line.kind == EntryKind::Reserve && line.key == key;
  });
  if (reserved == lines.end()) {
    return {Charged::No};
  }
  const auto settled = std::find_if(lines.begin(), lines.end(), [&](const LedgerLine& line) {
    return line.kind == EntryKind::Settle && line.reservation == reserved->index;
  });
  return {Charged::Yes, settled == lines.end() ? std::string() : settled->release};
}

bool is_there(const PressedEntry& entry, const std::filesystem::path& folder) {
  std::ostringstream document;
  document << std::ifstream(folder / "release.json", std::ios::binary).rdbuf();
  return !entry.release.empty() && hex(sha256(document.str())) == entry.release;
}

}  // namespace eigenveil::cli
