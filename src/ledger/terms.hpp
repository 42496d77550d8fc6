#pragma once

#include <string>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// What the two accounts of a ledger may hold in all; they never change. Zero closes an account.
///   gaussian: the sum of mu^2 is at most mu^2
///   basic:    the sum of epsilon is at most epsilon, that of delta at most delta
/// Both sums stay valid when every budget is chosen after seeing all earlier answers, and together
/// they are leaky randomised response beside one Gaussian (docs/proofs/ledger.md).
struct LedgerCaps {
  double mu = 0.0;
  double epsilon = 0.0;
  double delta = 0.0;

  bool has_gaussian() const { return mu > 0.0; }
  bool has_basic() const { return epsilon > 0.0; }
};

/// Whom every release of a ledger protects: so many rows together, or a person and all rows that
/// bear the same entry in a public column.
struct LedgerUnit {
  int rows = 1;
  std::string person = {};  ///< name of that column; empty for rows
};

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
};

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

/// "(3, 1e-06)-DP for adding or removing one row" without a basis, which only releases have.
std::string promise_in_words(const LedgerTerms& terms);
std::string unit_in_words(const LedgerTerms& terms);

}  // namespace eigenveil
