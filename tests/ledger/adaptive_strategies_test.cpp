// The headline against adversaries who choose each release, and its budget, after seeing all
// earlier ones: every strategy on a menu of tiny mechanisms, evaluated exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "eigenveil/privacy/conversion.hpp"
#include "ledger_support.hpp"
#include "privacy/finite_pairs.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::adaptive_strategies_test {
namespace {

/// A mechanism on neighbours with finitely many answers, and what a ledger charges for it.
struct TinyMechanism {
  FinitePair laws;
  ReleaseCost cost;
};

/// epsilon-DP with equality: the answer is the truth with odds e^epsilon.
TinyMechanism randomised_response(double epsilon) {
  const double p = 1.0 / (1.0 + std::exp(-epsilon));
  return {{{p, 1.0 - p}, {1.0 - p, p}}, pure_cost(epsilon)};
}

/// (epsilon, delta)-DP with equality: with probability delta it says which table it saw.
TinyMechanism leaky_response(double epsilon, double delta) {
  const double p = (1.0 - delta) / (1.0 + std::exp(-epsilon));
  const double q = 1.0 - delta - p;
  return {{{delta, p, q, 0.0}, {0.0, q, p, delta}}, pair_cost(epsilon, delta)};
}

double below(double t) {
  return 0.5 * std::erfc(-t / std::sqrt(2.0));
}

/// N(0,1) against N(mu,1), seen through three cells: mu-GDP.
TinyMechanism binned_gaussian(double mu) {
  const std::vector<double> edges = {mu / 2.0 - 0.7, mu / 2.0 + 0.7};
  const auto law = [&](double shift) {
    const double low = below(edges[0] - shift);
    const double high = below(edges[1] - shift);
    return std::vector<double>{low, high - low, 1.0 - high};
  };
  return {{law(0.0), law(mu)}, gaussian_cost(mu)};
}

/// Two answers with losses t and t - range: not symmetric, and charged by its bounded range where
/// that is cheaper.
TinyMechanism bounded_range(double range, double t) {
  const double q = std::expm1(range - t) / std::expm1(range);
  const double p = std::exp(t) * q;
  ReleaseCost cost = pure_cost(range);
  cost.further = {GaussianDp{pure_gdp(range / 2.0).mu}};
  return {{{p, 1.0 - p}, {q, 1.0 - q}}, cost};
}

/// Tables that are two steps of the release's relation apart, as a replaced row is two of
/// add-remove: answers whose loss for one step is exactly what is said, and for two as large as it
/// can be. An answer that one step makes likely by (1 + e^epsilon) delta and the next impossible.
TinyMechanism two_steps_of_a_pair(double epsilon, double delta) {
  const double growth = std::exp(epsilon);
  const std::vector<std::vector<double>> chain = {
      {(1.0 + growth) * delta, 1.0 - (1.0 + growth) * delta}, {delta, 1.0 - delta}, {0.0, 1.0}};
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    EXPECT_LE(true_delta({chain[i], chain[i + 1]}, epsilon), delta * (1.0 + 1e-12));
    EXPECT_LE(true_delta({chain[i + 1], chain[i]}, epsilon), delta * (1.0 + 1e-12));
  }
  return {{chain.front(), chain.back()}, pair_cost(epsilon, delta)};
}

TinyMechanism two_steps_of_pure(double epsilon) {
  return {randomised_response(2.0 * epsilon).laws, pure_cost(epsilon)};
}

TinyMechanism two_steps_of_gaussian(double mu) {
  return {binned_gaussian(2.0 * mu).laws, gaussian_cost(mu)};
}

TinyMechanism mirrored(TinyMechanism mechanism) {
  std::swap(mechanism.laws.first, mechanism.laws.second);
  return mechanism;
}

/// What no test can beat at e^epsilon = growth once the laws of the transcript stand: sum (p - g
/// q)+.
double stick(const FinitePair& laws, double epsilon) {
  return true_delta(laws, epsilon);
}

/// The largest delta at `epsilon` any strategy reaches: H_x = max over what fits of E_P H_{x-L}.
/// `p` and `q` are the probabilities of the transcript so far under both tables.
double best_delta(const LedgerTerms& terms, const std::vector<TinyMechanism>& menu, double growth,
                  double p, double q, std::vector<Charge>& charges, int depth) {
  double best = std::max(0.0, p - growth * q);
  if (depth == 0) {
    return best;
  }
  for (const TinyMechanism& mechanism : menu) {
    const std::optional<Charge> charge = *fitting_charge(terms, charges, mechanism.cost);
    if (!charge) {
      continue;
    }
    charges.push_back(*charge);
    double total = 0.0;
    for (std::size_t i = 0; i < mechanism.laws.first.size(); ++i) {
      total += best_delta(terms, menu, growth, p * mechanism.laws.first[i],
                          q * mechanism.laws.second[i], charges, depth - 1);
    }
    charges.pop_back();
    best = std::max(best, total);
  }
  return best;
}

/// Sums of a few hundred doubles, each below 1.
constexpr double kSumming = 1e-13;

TEST(AdaptiveStrategies, TheBestOneStaysBelowTheHeadline) {
  struct Setting {
    LedgerCaps caps;
    std::vector<TinyMechanism> menu;
    int depth;
    Relation relation = Relation::AddRemove;
  };
  const std::vector<Setting> settings = {
      {{0.9, 0.8, 0.02},
       {randomised_response(0.4), leaky_response(0.3, 0.01), binned_gaussian(0.5)},
       4},
      {{0.6, 1.0, 0.05},
       {leaky_response(0.5, 0.02), leaky_response(0.1, 0.03), binned_gaussian(0.3)},
       4},
      {{0.0, 1.2, 0.03}, {randomised_response(0.6), leaky_response(0.3, 0.015)}, 5},
      {{1.1, 0.0, 0.0}, {randomised_response(0.5), binned_gaussian(0.45)}, 6},
      {{0.9, 0.5, 0.01},
       {bounded_range(0.8, 0.1), bounded_range(0.8, 0.7), mirrored(bounded_range(0.6, 0.5)),
        leaky_response(0.2, 0.005)},
       4},
      {{0.9, 0.9, 0.09},
       {two_steps_of_a_pair(0.3, 0.02), mirrored(two_steps_of_a_pair(0.2, 0.03)),
        two_steps_of_pure(0.15), two_steps_of_gaussian(0.2)},
       4,
       Relation::ReplaceOne}};
  double closest = 0.0;
  for (const Setting& setting : settings) {
    const LedgerTerms terms = terms_with(setting.caps, setting.relation);
    const Loss whole = whole_loss(setting.caps);
    for (const double epsilon : {0.0, 0.3, 0.8, 1.0, 1.5, 2.0}) {
      std::vector<Charge> charges;
      const double reached =
          best_delta(terms, setting.menu, std::exp(epsilon), 1.0, 1.0, charges, setting.depth);
      EXPECT_LE(reached, whole_delta(setting.caps, epsilon) + kSumming) << epsilon;
      EXPECT_LE(reached, delta_at(whole, epsilon) + kSumming) << epsilon;
      closest = std::max(closest, reached / delta_at(whole, epsilon));
    }
  }
  EXPECT_GT(closest, 0.9) << "the headline is so loose that this test could not fail";
}

/// One random strategy: at every transcript a mechanism of random kind and size, if it fits.
void play(const LedgerTerms& terms, std::mt19937_64& random, double p, double q,
          std::vector<Charge>& charges, int depth, FinitePair& transcript) {
  std::uniform_real_distribution<double> uniform;
  const int kind = static_cast<int>(4.0 * uniform(random));
  const double size = 0.01 + 0.7 * uniform(random);
  const double second = uniform(random);
  const TinyMechanism mechanism = kind == 0   ? randomised_response(size)
                                  : kind == 1 ? leaky_response(size, 0.02 * second)
                                  : kind == 2 ? bounded_range(size, size * (0.05 + 0.9 * second))
                                              : binned_gaussian(size);
  const std::optional<Charge> charge = *fitting_charge(terms, charges, mechanism.cost);
  if (depth == 0 || !charge) {
    transcript.first.push_back(p);
    transcript.second.push_back(q);
    return;
  }
  charges.push_back(*charge);
  for (std::size_t i = 0; i < mechanism.laws.first.size(); ++i) {
    play(terms, random, p * mechanism.laws.first[i], q * mechanism.laws.second[i], charges,
         depth - 1, transcript);
  }
  charges.pop_back();
}

TEST(AdaptiveStrategies, RandomOnesStayBelowTheHeadline) {
  std::mt19937_64 random(seed_for("ledger: random strategies"));
  const LedgerCaps caps = {0.8, 0.9, 0.03};
  const LedgerTerms terms = terms_with(caps);
  const Loss whole = whole_loss(caps);
  for (int strategy = 0; strategy < 60; ++strategy) {
    FinitePair transcript;
    std::vector<Charge> charges;
    play(terms, random, 1.0, 1.0, charges, 4, transcript);
    for (const double epsilon : {0.0, 0.5, 0.9, 1.4, 2.0}) {
      EXPECT_LE(stick(transcript, epsilon), delta_at(whole, epsilon) + kSumming);
      EXPECT_LE(stick(transcript, epsilon), whole_delta(caps, epsilon) + kSumming);
    }
  }
}

/// Twins: a step that is charged as if it were none, a delta that only doubles, a bounded range
/// whose mu is that of half as much, a rho taken for Gaussian noise. Each is refuted by releases
/// that its own sums would allow.
TEST(AdaptiveStrategies, WrongRatesOfExchangeAreRefuted) {
  const double epsilon = 0.5;
  const double delta = 0.02;
  const TinyMechanism replaced = two_steps_of_a_pair(epsilon, delta);
  EXPECT_GT(stick(replaced.laws, epsilon), whole_delta({0.0, epsilon, delta}, epsilon));
  EXPECT_GT(stick(replaced.laws, 2.0 * epsilon),
            whole_delta({0.0, 2.0 * epsilon, 2.0 * delta}, 2.0 * epsilon));
  const Charge right =
      *choose_charge(terms_with({0.0, 9.0, 0.5}, Relation::ReplaceOne), {}, replaced.cost);
  EXPECT_LE(stick(replaced.laws, right.epsilon), right.delta);
  EXPECT_NEAR(stick(replaced.laws, right.epsilon), right.delta, 1e-12);
  const double mu = 0.3;
  const TinyMechanism shifted = two_steps_of_gaussian(mu);
  const auto passes = [&](const FinitePair& laws, double wrong) {
    double worst = 0.0;
    for (const double at : {0.0, 0.1, 0.3, 0.6, 1.0}) {
      worst = std::max(worst, stick(laws, at) - whole_delta({wrong, 0.0, 0.0}, at));
    }
    return worst <= kSumming;
  };
  EXPECT_FALSE(passes(shifted.laws, mu));
  EXPECT_FALSE(passes(shifted.laws, std::sqrt(2.0) * mu));
  EXPECT_TRUE(passes(shifted.laws, 2.0 * mu));
  const TinyMechanism drawn = bounded_range(1.0, 0.5);
  EXPECT_FALSE(passes(drawn.laws, pure_gdp(0.25).mu));
  EXPECT_FALSE(passes(drawn.laws, std::sqrt(2.0 * bounded_range_zcdp(1.0).rho)));
  EXPECT_TRUE(passes(drawn.laws, pure_gdp(0.5).mu));
}

/// A ledger that composes the curves of what was released and stops when delta at its epsilon would
/// pass its limit, is broken by two releases: the second is chosen by the answer of the first. On
/// each path the composed curve keeps the limit, the whole does not.
TEST(AdaptiveStrategies, ALedgerThatComposesCurvesAndStopsIsRefuted) {
  const double epsilon = 1.0;
  const TinyMechanism first = randomised_response(0.5);
  const TinyMechanism sharp = randomised_response(0.6);
  // Made to cost the same at epsilon: after `first`, a leak of d adds d at every epsilon.
  const double limit = stick(product(first.laws, sharp.laws), epsilon);
  const TinyMechanism leak = leaky_response(0.0, limit);
  ASSERT_LE(stick(product(first.laws, leak.laws), epsilon), limit + kSumming);
  // After the answer that speaks for the first table the sharp one, else the leak.
  FinitePair transcript;
  for (std::size_t i = 0; i < 2; ++i) {
    const FinitePair& next = i == 0 ? sharp.laws : leak.laws;
    for (std::size_t j = 0; j < next.first.size(); ++j) {
      transcript.first.push_back(first.laws.first[i] * next.first[j]);
      transcript.second.push_back(first.laws.second[i] * next.second[j]);
    }
  }
  EXPECT_GT(stick(transcript, epsilon), 1.3 * limit);
  // Ours, with the same promise, does not let it happen: one of the paths is refused.
  const LedgerTerms terms = terms_with(*caps_for(ApproxDp{epsilon, limit}));
  std::vector<Charge> charges;
  const Result<Charge> opening = choose_charge(terms, charges, first.cost);
  const bool played = opening && [&] {
    charges.push_back(*opening);
    return choose_charge(terms, charges, sharp.cost) && choose_charge(terms, charges, leak.cost);
  }();
  EXPECT_FALSE(played);
}

}  // namespace
}  // namespace eigenveil::test::adaptive_strategies_test
