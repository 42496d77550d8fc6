#pragma once

#include <array>
#include <string_view>

namespace eigenveil::test {

/// False-alarm rate of every statistical test. A test without a row does not compile, and the rows
/// add up to less than 1e-6.
struct AlphaEntry {
  std::string_view test;
  double alpha;
};

inline constexpr std::array kAlphaLedger = {
    AlphaEntry{"random: rounded cells", 1e-9},
    AlphaEntry{"random: rounded at mechanism scale", 1e-9},
    AlphaEntry{"random: standard normal", 1e-9},
    AlphaEntry{"random: uniform", 1e-9},
    AlphaEntry{"random: haar coordinates", 1e-9},
    AlphaEntry{"random: wishart quadratic forms", 1e-9},
    AlphaEntry{"mechanism: law of released entries", 1e-9},
    AlphaEntry{"mechanism: diagonal of a wide table", 1e-9},
    AlphaEntry{"mechanism: noise of the trace", 1e-9},
    AlphaEntry{"bingham: peeled frames", 1e-9},
    AlphaEntry{"mechanism: projected moment", 1e-9},
    AlphaEntry{"mechanism: exponential draw", 1e-9},
    AlphaEntry{"mechanism: calibration noise", 1e-9},
    AlphaEntry{"mechanism: calibration margins", 1e-9},
    AlphaEntry{"mechanism: masked gram", 1e-9},
    AlphaEntry{"mechanism: pseudo rows", 1e-9},
    AlphaEntry{"mechanism: regression coverage", 1e-9},
    AlphaEntry{"mechanism: regression with few rows", 1e-9},
    AlphaEntry{"mechanism: eigenvalue limits", 1e-9},
    AlphaEntry{"mechanism: noise limits", 1e-9},
    AlphaEntry{"engine: isotropic rows", 1e-9},
    AlphaEntry{"audit: curves", 1e-9},
    AlphaEntry{"mechanism: pairwise coverage", 1e-9},
    AlphaEntry{"audit: shipped claims", 1e-9},
    AlphaEntry{"audit: mutant power", 1e-9},
    AlphaEntry{"audit: wishart with a mean", 1e-9},
    AlphaEntry{"audit: power with a mean", 1e-9},
    AlphaEntry{"audit: law of one table", 1e-9},
    AlphaEntry{"audit: outside the model", 1e-9},
    AlphaEntry{"audit: sharp trade-off", 1e-9},
    AlphaEntry{"bingham: circle", 1e-9},
    AlphaEntry{"bingham: sphere", 1e-9},
    AlphaEntry{"bingham: sphere complement", 1e-9},
    AlphaEntry{"bingham: right rotation", 1e-9},
    AlphaEntry{"bingham: haar rows", 1e-9},
    AlphaEntry{"bingham: weighted haar frames", 1e-9},
    AlphaEntry{"bingham: two stages agree", 1e-9},
    AlphaEntry{"bingham: large vectors", 1e-9},
    AlphaEntry{"bingham: conditional column", 1e-9},
    AlphaEntry{"bingham: gibbs keeps the law", 1e-9},
    AlphaEntry{"bingham: gaussian block", 1e-9},
    AlphaEntry{"bingham: metropolis chain", 1e-9},
    AlphaEntry{"sampling: orbit hciz moments", 1e-9},
    AlphaEntry{"sampling: orbit hciz diagonal", 1e-9},
    AlphaEntry{"sampling: orbit two dimensions", 1e-9},
    AlphaEntry{"sampling: orbit uniform marginals", 1e-9},
    AlphaEntry{"sampling: orbit large exponents", 1e-9},
    AlphaEntry{"sampling: orbit tie guard", 1e-9},
    AlphaEntry{"sampling: orbit angular envelope", 1e-9},
    AlphaEntry{"sampling: orbit pattern marginals", 1e-9},
    AlphaEntry{"sampling: orbit fibre moments", 1e-9},
    AlphaEntry{"sampling: orbit coupler marginals", 1e-9},
    AlphaEntry{"sampling: orbit coupler sharing", 1e-9},
    AlphaEntry{"sampling: orbit pairs of samplers", 1e-9},
    AlphaEntry{"sampling: orbit second moments", 1e-9},
    AlphaEntry{"sampling: orbit large draws", 1e-9},
    AlphaEntry{"sampling: haar groups", 1e-9},
    AlphaEntry{"bingham: hyperplanes", 1e-9},
    AlphaEntry{"bingham: head-tail repairs", 1e-9},
    AlphaEntry{"random: truncated laplace", 1e-9},
    AlphaEntry{"mechanism: stable core noise", 1e-9},
    AlphaEntry{"mechanism: subspace found", 1e-9},
    AlphaEntry{"mechanism: grid answers", 1e-9},
    AlphaEntry{"mechanism: grid noise angle", 1e-9},
    AlphaEntry{"mechanism: grid outlook", 1e-9},
    AlphaEntry{"mechanism: orbit law", 1e-9},
    AlphaEntry{"mechanism: eigenvalue noise", 1e-9},
    AlphaEntry{"mechanism: error of a draw", 1e-9},
    AlphaEntry{"audit: orbit", 1e-9},
    AlphaEntry{"audit: orbit power", 1e-9},
    AlphaEntry{"audit: low bits", 1e-9},
    AlphaEntry{"spiked: law of released entries", 1e-9},
    AlphaEntry{"collection: shares are uniform", 1e-9},
    AlphaEntry{"collection: broken shares", 1e-9},
    AlphaEntry{"spiked: block sampler", 1e-9},
    AlphaEntry{"spiked: basis of the wide draw", 1e-9},
};

consteval double total_alpha() {
  double total = 0.0;
  for (const AlphaEntry& entry : kAlphaLedger) {
    total += entry.alpha;
  }
  return total;
}
static_assert(total_alpha() <= 1e-6,
              "the false-alarm rates of all tests must add up to at most 1e-6");

/// The rate of one test; a name that is not in the ledger is a compile error.
consteval double alpha_of(std::string_view test) {
  for (const AlphaEntry& entry : kAlphaLedger) {
    if (entry.test == test) {
      return entry.alpha;
    }
  }
  throw "this statistical test has no row in the alpha ledger";
}

}  // namespace eigenveil::test
