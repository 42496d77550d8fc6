#include "eigenveil/engine/ledgers.hpp"

#include "engine/ledger_terms.hpp"
#include "ledger/summary.hpp"
#include "ledger/verify.hpp"

namespace eigenveil {

Result<void> create_ledger(const std::filesystem::path& path, std::string_view text) {
  return ledger_terms(text)
      .and_then([&](const LedgerTerms& terms) { return Ledger::create(path, terms); })
      .map([](const Ledger&) {});
}

Result<std::string> show_ledger(const std::filesystem::path& path, std::string_view view) {
  const Result<LedgerState> state =
      Ledger::open(path).and_then([](const Ledger& ledger) { return ledger.state(); });
  return state.and_then([&](const LedgerState& checked) -> Result<std::string> {
    const LedgerSummary summary = summary_of(checked);
    constexpr std::string_view kRegistry = "registry";
    if (view.starts_with(kRegistry) && view.size() > kRegistry.size()) {
      return curator_type(std::string(view.substr(kRegistry.size() + 1)))
          .map([&](const std::string& kind) { return registry_record(summary, kind); });
    }
    return view == "html"      ? ledger_html(summary)
           : view == "text"    ? ledger_text(summary)
           : view == kRegistry ? registry_record(summary)
                               : ledger_json(summary);
  });
}

Result<std::vector<std::string>> ledger_problems(const std::filesystem::path& path,
                                                 const std::vector<std::string>& releases) {
  return verify_ledger(path, {releases.begin(), releases.end()}).map([](const auto& found) {
    return found.problems;
  });
}

Result<void> back_up_ledger(const std::filesystem::path& path, const std::filesystem::path& copy) {
  return Ledger::open(path).and_then([&](const Ledger& ledger) { return ledger.backup(copy); });
}

}  // namespace eigenveil
