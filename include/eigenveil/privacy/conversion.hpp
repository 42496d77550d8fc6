#pragma once

#include <vector>

#include "eigenveil/core/result.hpp"
#include "eigenveil/privacy/guarantee.hpp"

namespace eigenveil {

/// Every rule is proved in docs/proofs/guarantees.md and rounded to the safe side. A loss with
/// impossible parameters counts as no protection at all (delta 1, epsilon infinite, error 0).

/// Smallest delta proved at `epsilon` (rounded up), and smallest epsilon proved at `delta`.
double delta_at(const Loss& loss, double epsilon);
double epsilon_at(const Loss& loss, double delta);

/// Lower bound on the type II error of any test with type I error `type_one` (rounded down).
double trade_off(const Loss& loss, double type_one);

/// Upper bound on the Renyi divergence of order `order` > 1; infinity when none is proved.
double renyi_divergence(const Loss& loss, double order);

/// The same loss for groups of `size` rows, or after moving from add-remove / zero-row to
/// replace-one (twice the rows; rules of docs/proofs/guarantees.md). No rule leads back.
[[nodiscard]] Result<Loss> group_loss(const Loss& loss, int size);
[[nodiscard]] Result<Guarantee> to_replace_one(const Guarantee& guarantee);

/// The guarantee stated for `target`: itself, or to_replace_one; any other pair is refused.
[[nodiscard]] Result<Guarantee> to_relation(const Guarantee& guarantee, Relation target);

/// rho-zCDP -> smallest epsilon at delta (Canonne, Kamath, Steinke 2020, minimised over the order).
double zcdp_epsilon(double rho, double delta);

/// Pure epsilon-DP is epsilon tanh(epsilon/2)-zCDP, which is at most epsilon^2/2 and attained.
Zcdp pure_zcdp(double epsilon);

/// Pure epsilon-DP is mu-GDP with mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)), attained.
GaussianDp pure_gdp(double epsilon);

/// The exponential mechanism with parameter epsilon is epsilon-bounded-range: epsilon^2/8-zCDP.
Zcdp bounded_range_zcdp(double epsilon);

/// The curve that a list of proved (epsilon, delta) pairs implies, each valid for both directions
/// of every neighbour pair; sorted by epsilon, not empty.
TradeOffCurve trade_off_curve_of(const std::vector<ApproxDp>& proved);

}  // namespace eigenveil
