#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/terms.hpp"

namespace eigenveil {

/// What a release costs, as its plan states it before a row is read. All of it is public.
struct ReleaseCost {
  std::string task = {};           ///< "pca"
  std::string method = {};         ///< "gauss"
  Guarantee guarantee = {};        ///< with secure randomness
  std::vector<Loss> further = {};  ///< other losses that are proved for the same release
  Budget requested = PureDp{0.0};
  bool seeded = false;  ///< the randomness is known
  /// Of draws that are computed in doubles: how far their law may be from one for which the
  /// guarantee holds (total variation; D of docs/proofs/double_precision.md). 0: no such draw.
  double draw_error = 0.0;
  /// Purely private noise whose scale was rounded up: the loss is at most (1 - 2^-51) of what is
  /// stated.
  bool has_margin = false;
  /// The release may state a smaller loss, and more that it supposes, than is charged: its public
  /// number of rows is known by then (Plan::tightens_with_rows).
  bool tightens = false;
};

enum class Account : std::uint8_t { Gaussian, Basic };
std::string_view name_of(Account account);  ///< "gaussian"
Result<Account> parse_account(std::string_view name);

/// What one release takes from one account: mu of the gaussian, or epsilon and delta of the basic.
struct Charge {
  Account account = Account::Basic;
  double mu = 0.0;
  double epsilon = 0.0;
  double delta = 0.0;
  double draws = 0.0;  ///< of the cap for draws in doubles
  int steps = 1;       ///< of the release's neighbours that lie between the ledger's
};
std::string in_words(const Charge& charge);  ///< "mu 0.24", "(1, 1e-06)", "mu 0.48 for 2 steps"

/// Why a release is counted for several steps; empty for one step.
std::string steps_reason(const LedgerTerms& terms, const ReleaseCost& cost, int steps);
/// The same, with what would be counted once.
std::string steps_in_words(const LedgerTerms& terms, const ReleaseCost& cost, int steps);

/// Steps of the release's relation that lie between neighbours of the ledger: 1 or 2 for one row,
/// times the groups that cover the ledger's unit. Refused where no number of steps does.
Result<int> steps_between(const LedgerTerms& terms, const ReleaseCost& cost);

/// The accounts that can carry the release, one or both; the loss for the ledger's neighbours,
/// rounded up. Refused: relations that imply nothing, releases without a proof for every data set
/// (unless the ledger takes them), and losses for which the ledger has no account.
Result<std::vector<Charge>> charges_of(const LedgerTerms& terms, const ReleaseCost& cost);

/// Whether a release is proved for every data set with secret randomness.
bool is_proved(const ReleaseCost& cost);

}  // namespace eigenveil
