// Charges, caps and sums: against references with 50 digits, and every rule of the page once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "eigenveil/privacy/conversion.hpp"
#include "ledger_support.hpp"
#include "support/source_directory.hpp"

namespace eigenveil::test::charge_test {
namespace {

using Reference = boost::multiprecision::cpp_bin_float_50;

struct Golden {
  std::string quantity;
  double a = 0.0;
  double b = 0.0;
  double c = 0.0;
  double d = 0.0;
  Reference value;
};

std::vector<Golden> golden_rows() {
  std::ifstream file(source_directory() / "tests/ledger/golden/charges.csv");
  std::vector<Golden> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    Golden row;
    std::string cell;
    std::getline(cells, row.quantity, ',');
    for (double* number : {&row.a, &row.b, &row.c, &row.d}) {
      std::getline(cells, cell, ',');
      *number = std::stod(cell);
    }
    std::getline(cells, cell, ',');
    row.value = Reference(cell);
    rows.push_back(row);
  }
  return rows;
}

const LedgerCaps kBoth = {1.0, 1.0, 1e-6};

Charge only_charge(const LedgerTerms& terms, const ReleaseCost& cost) {
  const Result<std::vector<Charge>> ways = charges_of(terms, cost);
  EXPECT_TRUE(ways && ways->size() == 1) << (ways ? "" : ways.error().message);
  return ways && !ways->empty() ? ways->front() : Charge{};
}

Charge gaussian_way(const LedgerTerms& terms, const ReleaseCost& cost) {
  const std::vector<Charge> ways = *charges_of(terms, cost);
  for (const Charge& way : ways) {
    if (way.account == Account::Gaussian) {
      return way;
    }
  }
  ADD_FAILURE();
  return {};
}

std::string refusal(const LedgerTerms& terms, const ReleaseCost& cost) {
  const Result<std::vector<Charge>> ways = charges_of(terms, cost);
  EXPECT_FALSE(ways);
  return ways ? "" : ways.error().message;
}

double computed(const Golden& row) {
  if (row.quantity == "pure_mu") {
    return gaussian_way(terms_with(kBoth), pure_cost(row.a)).mu;
  }
  if (row.quantity == "pure_mu_two_steps") {
    return gaussian_way(terms_with(kBoth, Relation::ReplaceOne), pure_cost(row.a)).mu;
  }
  if (row.quantity == "pair_delta") {
    return only_charge(terms_with({0.0, 9.0, 0.5}, Relation::AddRemove, static_cast<int>(row.c)),
                       pair_cost(row.a, row.b))
        .delta;
  }
  if (row.quantity == "cap_mu") {
    return caps_for(ApproxDp{row.a, row.b}, row.c)->mu;
  }
  EXPECT_EQ(row.quantity, "whole_delta");
  return whole_delta({row.a, row.b, row.c}, row.d);
}

/// A charge is not below its reference, a cap not above it; neither by more than rounding explains.
TEST(Charges, AgreeWithFiftyDigits) {
  const std::vector<Golden> rows = golden_rows();
  EXPECT_GT(rows.size(), 50U);
  for (const Golden& row : rows) {
    const double value = computed(row);
    const bool cap = row.quantity == "cap_mu";
    EXPECT_TRUE(cap ? Reference(value) <= row.value : Reference(value) >= row.value)
        << row.quantity << " " << row.a << " " << row.b << " " << row.c;
    // cap_mu: mu moves by delta/(mu slope) for one unit of delta, below 1 here; the others are
    // closed forms rounded once or twice. whole_delta loses digits in epsilon - E, which is exact.
    EXPECT_LE(abs(Reference(value) / row.value - 1), 8 * 0x1p-52)
        << row.quantity << " " << row.a << " " << row.b << " " << row.c;
  }
}

TEST(Charges, CapsKeepThePromise) {
  for (const double share : {0.0, 0.1, 0.25, 0.5, 0.9, 1.0}) {
    const LedgerCaps caps = *caps_for(ApproxDp{3.0, 1e-6}, share);
    EXPECT_LE(whole_delta(caps, 3.0), 1e-6) << share;
    EXPECT_EQ(caps.has_basic(), share > 0.0);
    EXPECT_EQ(caps.has_gaussian(), share < 1.0);
    if (caps.has_gaussian()) {
      LedgerCaps more = caps;
      more.mu *= 1.0 + 1e-9;
      EXPECT_GT(whole_delta(more, 3.0), 1e-6) << "the caps waste budget";
    }
  }
  EXPECT_EQ(caps_for(PureDp{2.0})->epsilon, 2.0);
  EXPECT_FALSE(caps_for(PureDp{2.0})->has_gaussian());
  EXPECT_LE(caps_for(Zcdp{0.5})->mu, 1.0);
  EXPECT_GE(caps_for(Zcdp{0.5})->mu, 1.0 - 1e-15);
  EXPECT_FALSE(caps_for(ApproxDp{1.0, 1e-6}, 1.5));
  EXPECT_FALSE(caps_for(PureDp{0.0}));
  for (const double delta : {0.0, 1e-9, 0.3, 0.6, 0.99}) {
    const LedgerCaps caps = {0.7, 0.4, delta};
    const auto promise = std::get<ApproxDp>(promise_of(caps));
    EXPECT_LT(promise.delta, 1.0);
    EXPECT_LE(whole_delta(caps, promise.epsilon), promise.delta) << delta;
  }
  EXPECT_FALSE(check_caps({0.0, 0.0, 0.0}));
  EXPECT_FALSE(check_caps({1.0, 0.0, 1e-6}));
}

/// The curve of the whole is never worse than the pair, and implies every pair it was made of.
TEST(Charges, WholeCurveIsAtLeastAsGoodAsThePair) {
  const LedgerCaps caps = *caps_for(ApproxDp{3.0, 1e-6});
  const Loss whole = whole_loss(caps);
  for (const double epsilon : {caps.epsilon, 1.0, 2.0, 3.0}) {
    EXPECT_LE(delta_at(whole, epsilon), whole_delta(caps, epsilon) * 1.02) << epsilon;
  }
  EXPECT_LT(max_power(whole, 0.05), max_power(ApproxDp{3.0, 1e-6}, 0.05));
  EXPECT_GE(max_power(whole, 0.05), max_power(GaussianDp{caps.mu}, 0.05));
}

/// Steps of the release's relation between the ledger's neighbours; 0: refused.
TEST(Charges, RelationsThatImplyEachOther) {
  const std::vector<Relation> relations = {Relation::AddRemove, Relation::ReplaceOne,
                                           Relation::ZeroRow, Relation::BoundedChange,
                                           Relation::IndependentCopy};
  const int expected[3][5] = {{1, 0, 0, 0, 0}, {2, 1, 2, 0, 0}, {2, 1, 1, 0, 0}};
  for (std::size_t ledger = 0; ledger < 3; ++ledger) {
    for (std::size_t release = 0; release < relations.size(); ++release) {
      const LedgerTerms terms = terms_with(kBoth, relations[ledger]);
      const Result<int> steps = steps_between(terms, pure_cost(0.1, relations[release]));
      EXPECT_EQ(steps ? *steps : 0, expected[ledger][release]) << ledger << release;
    }
  }
  EXPECT_NE(refusal(terms_with(kBoth), pure_cost(1.0, Relation::ReplaceOne))
                .find("says nothing about the number of rows"),
            std::string::npos);
  const LedgerTerms replace = terms_with(kBoth, Relation::ReplaceOne);
  EXPECT_EQ(only_charge(replace, gaussian_cost(0.25)).mu, 0.5);
  EXPECT_EQ(only_charge(replace, pair_cost(0.25, 1e-8)).epsilon, 0.5);
  EXPECT_GE(only_charge(replace, pair_cost(0.25, 1e-8)).delta, (1.0 + std::exp(0.25)) * 1e-8);
}

TEST(Charges, GroupsOfRows) {
  const LedgerTerms four = terms_with(kBoth, Relation::AddRemove, 4);
  EXPECT_EQ(only_charge(four, gaussian_cost(0.1)).mu, 0.4);
  const auto grouped = [](int size) {
    return cost_of(GaussianDp{0.1}, GaussianDp{0.1}, Relation::AddRemove, size);
  };
  EXPECT_EQ(only_charge(four, grouped(4)).mu, 0.1);
  EXPECT_EQ(only_charge(four, grouped(9)).mu, 0.1);
  EXPECT_EQ(only_charge(four, grouped(3)).mu, 0.2);
  EXPECT_EQ(only_charge(terms_with(kBoth), grouped(3)).mu, 0.1);
  // Replacing four rows: out and in, each in two groups of three.
  EXPECT_EQ(only_charge(terms_with(kBoth, Relation::ReplaceOne, 4), grouped(3)).mu, 0.4);
  // Sizes at the end of an int do not wrap round.
  constexpr int kLargest = std::numeric_limits<int>::max();
  EXPECT_EQ(only_charge(four, grouped(kLargest)).mu, 0.1);
  EXPECT_FALSE(charges_of(terms_with(kBoth, Relation::ReplaceOne, kLargest), grouped(1)));
}

TEST(Charges, PersonsNeedACapOnTheirColumn) {
  LedgerTerms terms = terms_with(kBoth);
  terms.unit.person = "household";
  ReleaseCost cost = gaussian_cost(0.1);
  EXPECT_NE(refusal(terms, cost).find("household"), std::string::npos);
  cost.guarantee.person = "household";
  EXPECT_EQ(only_charge(terms, cost).mu, 0.1);
  EXPECT_FALSE(charges_of(terms_with(kBoth), cost));
}

TEST(Charges, EveryLossHasItsAccount) {
  const LedgerTerms terms = terms_with(kBoth);
  EXPECT_EQ(charges_of(terms, pure_cost(0.5))->size(), 2U);
  EXPECT_EQ(only_charge(terms, pair_cost(0.5, 1e-7)).account, Account::Basic);
  // The exponential mechanism at epsilon 1 is 1/8-zCDP; sqrt(2 rho) = .5 does not cover it.
  const Charge zcdp = only_charge(terms, cost_of(Zcdp{0.001}, Zcdp{0.001}));
  EXPECT_EQ(zcdp.account, Account::Basic);
  EXPECT_GE(zcdp.epsilon, zcdp_epsilon(0.001, zcdp.delta));
  EXPECT_NEAR(zcdp.epsilon / kBoth.epsilon / (zcdp.delta / kBoth.delta), 1.0, 1e-5);
  const TradeOffCurve curve = trade_off_curve_of({{0.4, 1e-7}, {0.8, 1e-9}});
  const Charge asked = only_charge(terms, cost_of(curve, ApproxDp{0.5, 2e-7}));
  EXPECT_EQ(asked.epsilon, 0.5);
  EXPECT_EQ(asked.delta, 2e-7);
  const Charge not_implied = only_charge(terms, cost_of(curve, ApproxDp{0.1, 1e-9}));
  EXPECT_GE(not_implied.epsilon, epsilon_at(curve, not_implied.delta));
  // Without a gaussian account mu is charged as the pair that was asked for.
  const LedgerTerms basic = terms_with({0.0, 2.0, 1e-5});
  const double mu = gaussian_mu_for({1.0, 1e-6});
  EXPECT_EQ(only_charge(basic, cost_of(GaussianDp{mu}, ApproxDp{1.0, 1e-6})).epsilon, 1.0);
  EXPECT_NE(refusal(terms_with({0.0, 2.0, 0.0}), gaussian_cost(0.1)).find("pure"),
            std::string::npos);
  EXPECT_NE(refusal(terms_with({1.0, 0.0, 0.0}), pair_cost(0.1, 1e-8)).find("gaussian account"),
            std::string::npos);
}

/// sqrt(2 rho) would undercharge the exponential mechanism: at epsilon 1 it is 1/8-zCDP, and with
/// two answers whose scores move in opposite directions it is randomised response with 1/2, which
/// has a point on its trade-off curve below that of mu = .5.
TEST(Charges, PureEpsilonNeedsItsOwnMu) {
  const double root = std::sqrt(2.0 * bounded_range_zcdp(1.0).rho);
  EXPECT_EQ(root, 0.5);
  const double a = 1.0 / (1.0 + std::exp(0.5));
  EXPECT_LT(trade_off(PureDp{0.5}, a), trade_off(GaussianDp{root}, a));
  const double mu = gaussian_way(terms_with(kBoth), pure_cost(0.5)).mu;
  EXPECT_GE(trade_off(PureDp{0.5}, a) * (1.0 + 1e-12), trade_off(GaussianDp{mu}, a));
  EXPECT_GT(mu, 0.62);
  EXPECT_LT(mu, 0.63);
}

TEST(Charges, UnprovedReleasesAreRefusedUnlessAllowed) {
  ReleaseCost sharp = gaussian_cost(0.1);
  sharp.method = "sharp";
  sharp.guarantee.basis = Basis::Asymptotic;
  ReleaseCost seeded = gaussian_cost(0.1);
  seeded.seeded = true;
  LedgerTerms terms = terms_with(kBoth);
  EXPECT_NE(refusal(terms, sharp).find("sharp"), std::string::npos);
  EXPECT_NE(refusal(terms, seeded).find("{seed}"), std::string::npos);
  terms.allow_unproved = true;
  EXPECT_EQ(only_charge(terms, sharp).mu, 0.1);
  EXPECT_EQ(only_charge(terms, seeded).mu, 0.1);
}

std::vector<Charge> copies(std::size_t count, const Charge& charge) {
  return std::vector<Charge>(count, charge);
}

TEST(Totals, ExactSumsReachTheCap) {
  const Charge one = {Account::Basic, 0.0, 1.0, 1e-7};
  const LedgerCaps caps = {2.0, 3.0, 1e-6};
  EXPECT_TRUE(within(caps, copies(3, one)));
  EXPECT_FALSE(within(caps, copies(4, one)));
  EXPECT_EQ(spent_by(copies(3, one)).epsilon, 3.0);
  const Charge mu = {Account::Gaussian, 1.0, 0.0, 0.0};
  EXPECT_TRUE(within(caps, copies(4, mu)));
  EXPECT_FALSE(within(caps, copies(5, mu)));
  EXPECT_EQ(left_of(caps, copies(2, mu)).mu, std::nextafter(std::sqrt(2.0), 0.0));
  EXPECT_EQ(left_of(caps, copies(4, mu)).mu, 0.0);
}

/// k releases at c fit a cap of k c, whatever c and k c are as doubles: the noise leaves 2^-51 of
/// each (has_margin). Without that ten tenths do not.
TEST(Totals, DecimalsAddUp) {
  int refused_without = 0;
  for (const double unit : {1e-3, 1e-2, 0.1, 1.0}) {
    for (int digits = 1; digits < 100; ++digits) {
      for (const int count : {2, 3, 7, 10, 30}) {
        // The doubles nearest to the decimals, as somebody would type them.
        const int places = -static_cast<int>(std::lround(std::log10(unit)));
        const double each = std::stod(fmt::format("{}e-{}", digits, places));
        const double cap = std::stod(fmt::format("{}e-{}", digits * count, places));
        const LedgerTerms terms = terms_with({0.0, cap, 0.0});
        ReleaseCost cost = pure_cost(each);
        const auto whether = [&](bool margin) {
          cost.has_margin = margin;
          const Charge one = choose_charge(terms, {}, cost).value_or(Charge{});
          return one.epsilon > 0.0 &&
                 within(terms.caps, copies(static_cast<std::size_t>(count), one));
        };
        EXPECT_TRUE(whether(true)) << count << " times " << each;
        refused_without += whether(false) ? 0 : 1;
        const Charge one = *choose_charge(terms, {}, cost);
        EXPECT_GE(one.epsilon, each * (1.0 - std::ldexp(1.0, -50)));
      }
    }
  }
  EXPECT_GT(refused_without, 100);
}

TEST(Totals, TinyChargesStillCount) {
  const LedgerCaps caps = {1.0, 1.0, 1e-6};
  std::vector<Charge> charges = {{Account::Gaussian, 1.0, 0.0, 0.0}};
  EXPECT_TRUE(within(caps, charges));
  charges.push_back({Account::Gaussian, 1e-140, 0.0, 0.0});
  EXPECT_FALSE(within(caps, charges));
  charges = {{Account::Basic, 0.0, 1.0, 0.0}, {Account::Basic, 0.0, 5e-324, 0.0}};
  EXPECT_FALSE(within(caps, charges));
  charges = {{Account::Basic, 0.0, std::nan(""), 0.0}};
  EXPECT_FALSE(within(caps, charges));
}

TEST(Totals, PureReleasesTakeTheSmallerShare) {
  const LedgerTerms terms = terms_with({2.0, 1.0, 1e-6});
  EXPECT_EQ(choose_charge(terms, {}, pure_cost(0.5))->account, Account::Gaussian);
  const LedgerTerms narrow = terms_with({0.6, 1.0, 1e-6});
  EXPECT_EQ(choose_charge(narrow, {}, pure_cost(0.5))->account, Account::Basic);
  // When the better account is full the other one pays.
  const std::vector<Charge> full = {{Account::Basic, 0.0, 0.9, 0.0}};
  EXPECT_EQ(choose_charge(narrow, full, pure_cost(0.25))->account, Account::Gaussian);
}

TEST(Totals, RefusalSaysWhatIsLeftAndWhatWouldFit) {
  const LedgerTerms terms = terms_with({0.5, 0.5, 1e-6});
  const std::vector<Charge> earlier = {{Account::Gaussian, 0.4, 0.0, 0.0}};
  const double mu = gaussian_mu_for({3.0, 1e-6});
  const ReleaseCost cost = cost_of(GaussianDp{mu}, ApproxDp{3.0, 1e-6});
  const Result<Charge> refused = choose_charge(terms, earlier, cost);
  ASSERT_FALSE(refused);
  const std::string& text = refused.error().message;
  EXPECT_NE(text.find("mu 0.3 of 0.5 in the gaussian account"), std::string::npos) << text;
  const std::size_t at = text.find("{epsilon ");
  ASSERT_NE(at, std::string::npos) << text;
  const double offered = std::stod(text.substr(at + 9));
  EXPECT_LE(gaussian_mu_for({offered, 1e-6}), 0.3);
  EXPECT_GE(gaussian_mu_for({offered * 1.002, 1e-6}), 0.3);
  const LedgerTerms spent = terms_with({0.5, 0.0, 0.0});
  const Result<Charge> nothing =
      choose_charge(spent, {{Account::Gaussian, 0.5, 0.0, 0.0}}, gaussian_cost(0.1));
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message.find("no smaller budget"), std::string::npos);
}

/// Where the delta alone is too large, one that fits is named.
TEST(Totals, RefusalNamesADeltaThatFits) {
  const LedgerTerms terms = terms_with({0.0, 1.0, 1e-6});
  const Result<Charge> refused = choose_charge(terms, {}, pair_cost(0.5, 1e-5));
  ASSERT_FALSE(refused);
  const std::string& text = refused.error().message;
  const std::string words = "{epsilon 0.5} {delta ";
  const std::size_t at = text.find(words);
  ASSERT_NE(at, std::string::npos) << text;
  const double offered = std::stod(text.substr(at + words.size()));
  EXPECT_TRUE(choose_charge(terms, {}, pair_cost(0.5, offered)));
  EXPECT_FALSE(choose_charge(terms, {}, pair_cost(0.5, 1.001 * offered)));
}

/// A draw has a mu of its own beside its epsilon, and both shrink.
TEST(Totals, RefusalScalesEveryLossOfTheRelease) {
  ReleaseCost cost = pure_cost(2.0);
  cost.further = {GaussianDp{1.25}};  // less than pure_gdp(2), as for a draw in a bounded range
  const Result<Charge> refused = choose_charge(terms_with({0.5, 0.0, 0.0}), {}, cost);
  ASSERT_FALSE(refused);
  const std::string& text = refused.error().message;
  const std::string words = "the largest that would fit is about {epsilon ";
  const std::size_t at = text.find(words);
  ASSERT_NE(at, std::string::npos) << text;
  const double offered = std::stod(text.substr(at + words.size()));
  EXPECT_LE(1.25 * offered / 2.0, 0.5);
  EXPECT_GE(1.25 * 1.001 * offered / 2.0, 0.5);
}

}  // namespace
}  // namespace eigenveil::test::charge_test
