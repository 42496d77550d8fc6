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
  app.add_flag("--same-data", same_data,
               "ask on the terminal where the rows are not those of the last release under this "
               "name; a keyed fingerprint lies beside the ledger's key, nothing is in the release")
      ->group("Ledger");
}

Result<Spending> LedgerOptions::open(const InputOptions& input, const OutputOptions& output) const {
  if (ledger.empty()) {
    if (!key.empty()) {
      return bad_request("--ledger-key needs --ledger");
    }
    if (same_data) {
      return bad_request("--same-data needs --ledger, whose key it uses");
    }
    return Spending();
  }
  if (output.out.empty()) {
    return bad_request(
        "a release that is charged to a ledger must be kept: give --out a directory");
  }
  if (output.target(true, 1).is_file()) {
    return bad_request(
        "a release that is charged to a ledger appears as one: give --out a directory");
  }
  if (input.is_text() && input.header == "auto") {
    return bad_request(
        "with a ledger nothing is read before the budget is reserved: say --header present or "
        "--header absent");
  }
  return Spending::open(ledger, key, output.data_set);
}

}  // namespace eigenveil::cli
