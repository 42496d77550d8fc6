#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ledger/ledger.hpp"

namespace eigenveil {

/// One reservation with what became of it, for people.
struct LedgerRow {
  const LedgerLine* line = nullptr;
  double share = 0.0;        ///< of its account's cap
  std::string release = {};  ///< hash of the document; empty: spent, no release
};

/// What is promised, spent and left, from the lines alone.
struct LedgerSummary {
  LedgerTerms terms;
  LedgerSpent spent;
  LedgerCaps left;
  double gaussian_share = 0.0;  ///< of mu^2
  double basic_share = 0.0;     ///< the larger of epsilon and delta
  std::size_t released = 0;
  std::vector<LedgerRow> rows;
  /// Of all releases this ledger will ever allow: loss of the caps, weakest basis so far, all
  /// assumptions. Basis NotPrivate: one release is not proved, so nothing is promised.
  Guarantee whole;
};

/// `state` must outlive the summary, whose rows point into it.
LedgerSummary summary_of(const LedgerState& state);

/// "3 of its 4 releases are published"; the page for terminals.
std::string ledger_text(const LedgerSummary& summary);

/// The same for machines.
std::string ledger_json(const LedgerSummary& summary);

/// The same as one page: promise, accounts, releases in their order, what an adversary can do with
/// all of them. Loads nothing, runs nothing.
std::string ledger_html(const LedgerSummary& summary);

/// A record for the public registry of deployments (opendp/deployments-registry-data, tier 3), as
/// YAML. What only the curator knows is left for them, marked "to be filled in".
/// `curator`: Government, Industry or Nonprofit; empty: left out, as nothing says.
std::string registry_record(const LedgerSummary& summary, const std::string& curator = {});
/// "industry" -> "Industry".
Result<std::string> curator_type(std::string_view name);

/// What draws in doubles may add to the promise, as far as the ledger lets them.
std::string draws_in_words(const LedgerTerms& terms);

/// The promise and its basis, or that there is none.
std::string promise_sentence(const LedgerSummary& summary);

}  // namespace eigenveil
