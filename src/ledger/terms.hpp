#pragma once

#include <string>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// What the two accounts of a ledger may hold in all; they never change. Zero closes an account.
///   gaussian: the sum of mu^2 is at most mu^2
///   basic:    the sum of epsilon is at most epsilon, that of delta at most delta
///   draws:    what draws that are computed in doubles add to delta, or, where only mu is promised,
///             the probability that one of them is not what exact arithmetic would have drawn
/// Both sums stay valid when every budget is chosen after seeing all earlier answers, and together
/// they are leaky randomised response beside one Gaussian (docs/proofs/ledger.md).
struct LedgerCaps {
  double mu = 0.0;
  double epsilon = 0.0;
  double delta = 0.0;
  double draws = 0.0;

  bool has_gaussian() const { return mu > 0.0; }
  bool has_basic() const { return epsilon > 0.0; }
};

/// Whom every release of a ledger protects: so many rows together, or a person and all rows that
/// bear the same entry in a public column.
struct LedgerUnit {
  int rows = 1;
  std::string person = {};  ///< name of that column; empty for rows
};

/// Of the files that this version makes.
constexpr int kLedgerFormat = 3;

/// What is fixed when a ledger is made.
struct LedgerTerms {
  std::string id = {};    ///< 32 hexadecimal digits, drawn
  std::string name = {};  ///< of the data set, in the curator's words
  Relation relation = Relation::AddRemove;
  LedgerUnit unit = {};
  LedgerCaps caps = {};
  Loss promise = PureDp{0.0};   ///< what the caps add up to, in closed form
  bool allow_unproved = false;  ///< takes releases that are not proved for every data set
  std::string created = {};     ///< UTC, "2026-11-17T18:31:08Z"
  std::string public_key = {};  ///< of the signatures, hexadecimal
  /// 3: the terms are signed. 2: they are not, and rest on the first entry, which bears their hash.
  int format = kLedgerFormat;
  std::string made_by = {};    ///< version of this program; empty before format 3
  std::string signature = {};  ///< Ed25519 over the hash of the terms
};

/// What draws in doubles may add where nothing else is said: as much again as the delta that is
/// promised; 1e-6 where none is.
double default_draws(const Loss& promise);

/// Whether these caps add up to no more than the promise; a file may have been changed.
bool caps_keep(const Loss& promise, const LedgerCaps& caps);

/// What the error D of a draw in doubles counts for beside a loss of `epsilon`: (1 + e^epsilon) D,
/// rounded up.
double draw_delta(double error, double epsilon);

constexpr double kBasicShare = 0.25;

/// Caps whose whole is at most `promise`. (epsilon, delta): the basic account gets `basic_share` of
/// both, and mu is the largest with delta_GDP(mu)(epsilon - E) <= delta - D. Pure epsilon: a basic
/// account alone. rho and mu: a gaussian account alone.
Result<LedgerCaps> caps_for(const Budget& promise, double basic_share = kBasicShare);

/// Ranges of caps given one by one.
Result<LedgerCaps> check_caps(const LedgerCaps& caps);

/// The (epsilon, delta) that both caps imply at `epsilon`: delta + delta_GDP(mu)(epsilon - E), 1
/// below E. Rounded up.
double whole_delta(const LedgerCaps& caps, double epsilon);

/// What caps given one by one promise: mu, epsilon, (epsilon, delta), or with both accounts the
/// smallest epsilon at twice the delta of the basic one (halfway to 1 where that is less; at 1e-6
/// where it has none).
Loss promise_of(const LedgerCaps& caps);

/// Everything that can be said of the whole, for trade-off curves and detection: as promise_of with
/// one account; with both the curve of leaky randomised response beside a Gaussian.
Loss whole_loss(const LedgerCaps& caps);

/// The same with draws in doubles as far as they are capped: delta(epsilon) + (1 + e^epsilon) times
/// the cap, since that is never less than the sum of their errors.
Loss whole_loss_with_draws(const LedgerCaps& caps);

/// "(3, 1e-06)-DP for adding or removing one row" without a basis, which only releases have.
std::string promise_in_words(const LedgerTerms& terms);
std::string unit_in_words(const LedgerTerms& terms);

}  // namespace eigenveil
