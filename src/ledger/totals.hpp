#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ledger/charge.hpp"

namespace eigenveil {

/// Sums over all charges of a ledger, recomputed each time: at 50 digits, rounded up once. A charge
/// too small to change a sum at that precision counts as one that does.
struct LedgerSpent {
  double square_mu = 0.0;
  double epsilon = 0.0;
  double delta = 0.0;
  double draws = 0.0;
};
LedgerSpent spent_by(const std::vector<Charge>& charges);

/// Whether no sum exceeds its cap; decided before any rounding to doubles, so that three releases
/// of epsilon 1 fit a cap of 3.
bool within(const LedgerCaps& caps, const std::vector<Charge>& charges);

/// What is left of each cap, rounded down.
LedgerCaps left_of(const LedgerCaps& caps, const std::vector<Charge>& charges);

/// The share of its cap that a charge takes; above 1 where it has none.
double share_of(const LedgerCaps& caps, const Charge& charge);

/// Of the ways to charge a release, the one that takes the smaller share among those that fit; none
/// where none does.
Result<std::optional<Charge>> fitting_charge(const LedgerTerms& terms,
                                             const std::vector<Charge>& earlier,
                                             const ReleaseCost& cost);

/// The same, with a refusal that says what was asked, what is left, and the largest budget that
/// would fit.
Result<Charge> choose_charge(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                             const ReleaseCost& cost);

/// The largest factor up to 1 of a cost that would fit; none below a thousandth.
std::optional<double> largest_fitting(const LedgerTerms& terms, const std::vector<Charge>& earlier,
                                      const ReleaseCost& cost);

/// "mu 0.31 of 0.55 in the gaussian account; epsilon 0.75 of 0.75 ... in the basic one".
std::string left_in_words(const LedgerCaps& caps, const std::vector<Charge>& charges);

}  // namespace eigenveil
