#include "cli/options/ledger_options.hpp"

#include "cli/options/checks.hpp"

namespace eigenveil::cli {

void LedgerOptions::declare(CLI::App& app) {
  constexpr const char* kGroup = "Ledger";
  app.add_option("--ledger", ledger,
                 "charge this release to a ledger (eigenveil ledger create), before a row is read; "
                 "EIGENVEIL_LEDGER sets it for a shell")
      ->envname("EIGENVEIL_LEDGER")
      ->check(not_empty())
      ->group(kGroup);
  app.add_option("--ledger-key", key,
                 "a name for this release, to repeat the command safely: the same request again "
                 "publishes the same bits at no charge, or says that they are lost")
      ->check(not_empty())
      ->group(kGroup);
}

void LedgerOptions::declare_same_data(CLI::App& app) {
  app.add_option("--same-data", same_data,
                 "ask, yes or no: are the rows those of the last release under this name? ask: "
                 "where a keyed fingerprint beside the ledger's key says that they are others, you "
                 "are asked on the terminal; yes: answered, and remembered. Nothing is in the "
                 "release")
      ->check(one_of({"ask", "yes", "no"}))
      ->group("Ledger");
}

void LedgerOptions::fill(ReleaseOutput& output) const {
  output.ledger = ledger;
  output.ledger_key = key;
  output.same_data = same_data_of(same_data);
}

}  // namespace eigenveil::cli
