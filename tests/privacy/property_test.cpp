#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "finite_pairs.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::property_test {
namespace {

using test::FinitePair;
using test::kEnumerationError;

/// The seed is the hash of the name: a pass stays a pass.
template <class Property>
void check_property(const char* name, int runs, Property&& property) {
  rc::detail::TestParams parameters;
  parameters.seed = test::seed_for(name);
  parameters.maxSuccess = runs;
  rc::detail::TestMetadata metadata;
  metadata.id = name;
  const auto result =
      rc::detail::checkTestable(std::forward<Property>(property), metadata, parameters);
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << name << ": " << message.str();
}

double fraction(int bits) {
  return static_cast<double>(*rc::gen::inRange(1, 1 << bits)) / static_cast<double>(1 << bits);
}

/// A random loss over the useful range.
Loss any_loss() {
  const double size = std::exp2(-12.0 + 15.0 * fraction(16));
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return PureDp{size};
    case 1:
      return ApproxDp{size, std::exp2(-30.0 * fraction(10))};
    case 2:
      return Zcdp{size};
    case 3:
      return GaussianDp{size};
    default: {
      RenyiCurve curve;
      for (const double order : {1.5, 2.0, 4.0, 8.0, 32.0, 128.0}) {
        curve.orders.push_back(order);
        curve.divergences.push_back(renyi_divergence(PureDp{size}, order));
      }
      return curve;
    }
  }
}

FinitePair any_pair() {
  FinitePair pair;
  const int points = *rc::gen::inRange(2, 6);
  for (std::vector<double>* law : {&pair.first, &pair.second}) {
    double total = 0.0;
    for (int i = 0; i < points; ++i) {
      law->push_back(std::exp2(-6.0 * fraction(12)));
      total += law->back();
    }
    std::for_each(law->begin(), law->end(), [&](double& mass) { mass /= total; });
  }
  return pair;
}

TEST(Property, TradeOffIsDecreasingConvexAndBelowTheDiagonal) {
  check_property("privacy.trade_off_shape", 60, [] {
    const Loss loss = any_loss();
    const double a = fraction(12);
    const double c = a + (1.0 - a) * fraction(12);
    const double middle = (a + c) / 2.0;
    RC_ASSERT(trade_off(loss, a) >= trade_off(loss, c));
    RC_ASSERT(trade_off(loss, a) <= 1.0 - a);
    // The search over orders is not exact, so convexity holds up to its own resolution.
    RC_ASSERT(trade_off(loss, middle) <= (trade_off(loss, a) + trade_off(loss, c)) / 2.0 + 1e-9);
  });
}

TEST(Property, TradeOffAndDeltaAreDual) {
  check_property("privacy.duality", 60, [] {
    const Loss loss = any_loss();
    const double a = fraction(12);
    const double epsilon = 8.0 * fraction(12);
    const double line = 1.0 - delta_at(loss, epsilon) - std::exp(epsilon) * a;
    RC_ASSERT(trade_off(loss, a) >= line - 1e-12);
  });
}

TEST(Property, EpsilonAndDeltaAreInverse) {
  check_property("privacy.inverse", 60, [] {
    const Loss loss = any_loss();
    const double delta = std::exp2(-100.0 * fraction(12));
    const double epsilon = epsilon_at(loss, delta);
    if (std::isfinite(epsilon)) {
      RC_ASSERT(delta_at(loss, epsilon) <= delta * (1.0 + 1e-9));
    }
    RC_ASSERT(epsilon_at(loss, delta) >= epsilon_at(loss, std::min(1.0, 2.0 * delta)));
  });
}

/// For a random finite pair the exact parameters of each notion are enumerated; every conversion
/// from them must cover every enumerated value of every other notion.
TEST(Property, ConversionsCoverRandomFinitePairs) {
  check_property("privacy.finite_pairs", 100, [] {
    const FinitePair pair = any_pair();
    const FinitePair swapped{pair.second, pair.first};
    const double epsilon = test::true_epsilon(pair) * (1.0 + kEnumerationError);
    RenyiCurve renyi;
    for (const double order : {1.01, 1.5, 2.0, 4.0, 8.0, 32.0}) {
      const double larger =
          std::max(test::true_renyi(pair, order), test::true_renyi(swapped, order));
      renyi.orders.push_back(order);
      renyi.divergences.push_back(larger * (1.0 + 1e-10) + kEnumerationError);
    }
    const double at = epsilon * fraction(10);
    const ApproxDp approx{at, test::true_delta(pair, at) * (1 + kEnumerationError)};
    const double a = fraction(10);
    const double probe = epsilon * fraction(10);
    for (const Loss& loss : {Loss(PureDp{epsilon}), Loss(approx), Loss(renyi),
                             Loss(pure_zcdp(epsilon)), Loss(pure_gdp(epsilon))}) {
      RC_ASSERT(delta_at(loss, probe) >= test::true_delta(pair, probe) - kEnumerationError);
      RC_ASSERT(trade_off(loss, a) <= test::true_trade_off(pair, a) + kEnumerationError);
      RC_ASSERT(trade_off(loss, a) <= test::true_trade_off(swapped, a) + kEnumerationError);
      RC_ASSERT(renyi_divergence(loss, 3.0) >= test::true_renyi(pair, 3.0) - kEnumerationError);
    }
  });
}

TEST(Property, ComposingNeverHelps) {
  check_property("privacy.compose_monotone", 25, [] {
    const Loss first = any_loss();
    const Loss second = any_loss();
    const Loss both = compose_losses({first, second}).value();
    const double a = fraction(10);
    // A release that adds orders or a grid to the first one is not exactly comparable in kind.
    RC_ASSERT(trade_off(both, a) <= trade_off(first, a) + 1e-9);
    const double epsilon = 4.0 * fraction(10);
    if (both.index() == first.index() && both.index() == second.index()) {
      RC_ASSERT(delta_at(both, epsilon) >= delta_at(first, epsilon));
    }
  });
}

}  // namespace
}  // namespace eigenveil::test::property_test
