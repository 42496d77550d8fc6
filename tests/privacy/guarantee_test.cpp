#include "eigenveil/privacy/guarantee.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "eigenveil/privacy/calibration.hpp"
#include "eigenveil/privacy/conversion.hpp"

namespace eigenveil::test::guarantee_test {
namespace {

Guarantee proved(const Loss& loss) {
  return {Relation::AddRemove, loss, Basis::Proved, {}, true};
}

TEST(Words, FollowTheProductPage) {
  EXPECT_EQ(in_words(proved(ApproxDp{1.0, 1e-6})),
            "(1, 1e-06)-DP for adding or removing one row; holds for every data set (proved)");
  EXPECT_EQ(in_words(proved(PureDp{1.0})),
            "1-DP (pure) for adding or removing one row; holds for every data set (proved)");
  EXPECT_EQ(in_words(proved(Zcdp{0.5})),
            "0.5-zCDP for adding or removing one row; holds for every data set (proved)");
  Guarantee asymptotic = proved(GaussianDp{0.25});
  asymptotic.basis = Basis::Asymptotic;
  asymptotic.relation = Relation::ReplaceOne;
  EXPECT_EQ(in_words(asymptotic),
            "0.25-AGDP for replacing one row; holds for this data set as its size grows, not for a "
            "given size");
  asymptotic.basis = Basis::ProvedRealArithmetic;
  EXPECT_TRUE(in_words(asymptotic).starts_with("0.25-GDP"));
}

TEST(Words, DetectionComesFromTheGaussianCurveAndRoundsUp) {
  const double mu = gaussian_mu_for(ApproxDp{1.0, 1e-6});
  EXPECT_EQ(detection_in_words(proved(GaussianDp{mu})),
            "someone who accepts 5% false alarms detects a given person with at most 8.0% power");
  // 5% e = 13.59%: rounded up, never down.
  EXPECT_EQ(detection_in_words(proved(PureDp{1.0})),
            "someone who accepts 5% false alarms detects a given person with at most 13.6% power");
  EXPECT_EQ(detection_in_words(proved(PureDp{50.0})),
            "someone who accepts 5% false alarms detects a given person with at most 100.0% power");
}

/// A number of detection is never said without what its basis supposes and leaves open.
TEST(Words, DetectionCarriesItsBasis) {
  const Guarantee all = proved(PureDp{1.0});
  const std::string bound = detection_in_words(all);
  EXPECT_EQ(stated_power(all).field, "max_power_at_5pct");
  for (const Basis basis : {Basis::Asymptotic, Basis::ModelProbability}) {
    Guarantee some = all;
    some.basis = basis;
    const BasisCondition condition = condition_of(basis);
    ASSERT_FALSE(condition.empty());
    const std::string words = detection_in_words(some);
    EXPECT_TRUE(words.starts_with(condition.supposing)) << words;
    EXPECT_NE(words.find(bound), std::string::npos) << words;
    EXPECT_TRUE(words.ends_with(condition.not_covered)) << words;
    EXPECT_NE(stated_power(some).field, "max_power_at_5pct");
    EXPECT_EQ(stated_power(some).power, stated_power(all).power);
  }
  for (const Basis basis : {Basis::Proved, Basis::ProvedRealArithmetic, Basis::NotPrivate}) {
    EXPECT_TRUE(condition_of(basis).empty());
  }
}

TEST(Words, PrintedLossIsNeverSmallerThanTheLoss) {
  EXPECT_TRUE(in_words(proved(PureDp{0.1234561})).starts_with("0.123457-DP"));
  EXPECT_TRUE(in_words(proved(PureDp{1.0000001})).starts_with("1.00001-DP"));
}

TEST(Words, NotPrivateIsLoud) {
  Guarantee seeded = proved(PureDp{1.0});
  seeded.basis = Basis::NotPrivate;
  EXPECT_TRUE(in_words(seeded).starts_with("NOT PRIVATE"));
  EXPECT_TRUE(detection_in_words(seeded).starts_with("NOT PRIVATE"));
}

TEST(Names, RoundTrip) {
  for (const Relation relation : {Relation::AddRemove, Relation::ReplaceOne, Relation::ZeroRow,
                                  Relation::BoundedChange, Relation::IndependentCopy}) {
    EXPECT_EQ(parse_relation(name_of(relation)).value(), relation);
    EXPECT_EQ(row_count_is_public(relation), relation != Relation::AddRemove);
  }
  for (const Basis basis : {Basis::Proved, Basis::ProvedRealArithmetic, Basis::Asymptotic,
                            Basis::ModelProbability, Basis::NotPrivate}) {
    EXPECT_EQ(parse_basis(name_of(basis)).value(), basis);
  }
  EXPECT_FALSE(parse_relation("add_remove"));
  EXPECT_FALSE(parse_basis("exact"));
}

TEST(Calibration, MuIsTheLargestThatMeetsTheTarget) {
  for (const double epsilon : {1e-6, 0.1, 1.0, 30.0, 1000.0}) {
    for (const double delta : {1e-300, 1e-6, 0.1, 0.999}) {
      const double mu = gaussian_mu_for(ApproxDp{epsilon, delta});
      EXPECT_LE(delta_at(GaussianDp{mu}, epsilon), delta);
      EXPECT_GT(delta_at(GaussianDp{mu * (1.0 + 1e-9)}, epsilon), delta);
    }
  }
}

TEST(Calibration, BudgetsAreCheckedWithTheFlagInTheMessage) {
  EXPECT_NE(check_budget(PureDp{-1.0}).error().message.find("{epsilon}"), std::string::npos);
  EXPECT_NE(check_budget(ApproxDp{1.0, 0.0}).error().message.find("{delta}"), std::string::npos);
  EXPECT_NE(check_budget(ApproxDp{1.0, 1.0}).error().message.find("{delta}"), std::string::npos);
  EXPECT_NE(check_budget(Zcdp{std::nan("")}).error().message.find("{rho}"), std::string::npos);
  EXPECT_NE(check_budget(GaussianDp{HUGE_VAL}).error().message.find("{mu}"), std::string::npos);
  EXPECT_NE(budget_per_row(PureDp{1.0}, 0).error().message.find("{group_size}"), std::string::npos);
  EXPECT_TRUE(check_budget(ApproxDp{1.0, 1e-6}));
  EXPECT_FALSE(gaussian_budget(PureDp{1.0}));
  EXPECT_EQ(gaussian_budget(Zcdp{0.5})->mu, 1.0);
}

TEST(Calibration, GroupsOfRowsMeetTheBudgetOfOne) {
  const ApproxDp target{1.0, 1e-6};
  const Budget row = budget_per_row(target, 3).value();
  const Loss group = group_loss(std::get<GaussianDp>(row), 3).value();
  EXPECT_LE(delta_at(group, target.epsilon), target.delta);
  EXPECT_LE(std::get<PureDp>(budget_per_row(PureDp{1.0}, 3).value()).epsilon * 3.0, 1.0);
  // A group of a pure loss is pure: (epsilon, delta) is converted for the group, not through mu.
  const PureDp whole = pure_budget(target).value();
  EXPECT_LE(pure_budget_per_row(target, 3)->epsilon * 3.0, whole.epsilon);
  EXPECT_GT(pure_budget_per_row(target, 3)->epsilon * 3.0, whole.epsilon * (1.0 - 1e-12));
  EXPECT_EQ(std::get<Zcdp>(budget_per_row(Zcdp{1.0}, 2).value()).rho, 0.25);
}

TEST(Calibration, PureBudgetsMeetTheirTargets) {
  EXPECT_LE(pure_zcdp(pure_budget(Zcdp{0.5})->epsilon).rho, 0.5);
  EXPECT_LE(pure_gdp(pure_budget(GaussianDp{1.0})->epsilon).mu, 1.0);
  const double epsilon = pure_budget(ApproxDp{1.0, 1e-6})->epsilon;
  EXPECT_LE(delta_at(PureDp{epsilon}, 1.0), 1e-6);
  EXPECT_GT(epsilon, 1.0);
  EXPECT_LE(classic_gaussian_budget(ApproxDp{0.5, 1e-6})->mu, gaussian_mu_for({0.5, 1e-6}));
  EXPECT_FALSE(classic_gaussian_budget(ApproxDp{2.0, 1e-6}));
}

TEST(Ranges, NothingIsEverNotANumber) {
  const std::array values = {0.0, 5e-324, 1e-300, 1e-8, 1e-3, 1.0, 100.0, 1e3, 1e8, 1e300};
  for (const double parameter : values) {
    const std::array<Loss, 4> losses = {PureDp{parameter}, ApproxDp{parameter, 1e-6},
                                        Zcdp{parameter}, GaussianDp{parameter}};
    for (const Loss& loss : losses) {
      for (const double argument : values) {
        const double delta = delta_at(loss, argument);
        const double power = max_power(loss, std::min(argument, 1.0));
        EXPECT_TRUE(delta >= 0.0 && delta <= 1.0) << parameter << " " << argument;
        EXPECT_TRUE(power >= 0.0 && power <= 1.0) << parameter << " " << argument;
        EXPECT_GE(epsilon_at(loss, std::min(argument, 1.0)), 0.0) << parameter << " " << argument;
        EXPECT_GE(renyi_divergence(loss, 1.0 + std::max(argument, 1e-12)), 0.0);
      }
    }
  }
  EXPECT_EQ(delta_at(PureDp{-1.0}, 1.0), 1.0);
  EXPECT_EQ(trade_off(GaussianDp{std::nan("")}, 0.5), 0.0);
}

/// A curve whose delta never falls to 1e-6 is summed up where its epsilon is finite.
TEST(GuaranteeWords, ACurveIsSummedUpAtADeltaItReaches) {
  const Result<Guarantee> sum = compose(proved(ApproxDp{1.0, 1e-6}), proved(GaussianDp{1.0}));
  ASSERT_TRUE(sum);
  ASSERT_TRUE(std::isinf(epsilon_at(sum->loss, 1e-6)));
  const std::string words = in_words(*sum);
  EXPECT_EQ(words.find("inf"), std::string::npos) << words;
  EXPECT_NE(words.find(", 2e-06)-DP"), std::string::npos) << words;
}

TEST(GuaranteeWords, NameTheGroup) {
  Guarantee guarantee{Relation::AddRemove, PureDp{1.0}, Basis::Proved, {}, true, 4};
  EXPECT_NE(in_words(guarantee).find("adding or removing up to 4 rows"), std::string::npos);
  EXPECT_NE(detection_in_words(guarantee).find("a given group of 4 rows"), std::string::npos);
  guarantee.group_size = 1;
  EXPECT_NE(in_words(guarantee).find("adding or removing one row"), std::string::npos);
  EXPECT_NE(detection_in_words(guarantee).find("a given person"), std::string::npos);
}

TEST(GuaranteeWords, GroupsOfDifferentSizeDoNotCompose) {
  const Guarantee one{Relation::AddRemove, PureDp{1.0}, Basis::Proved, {}, true, 1};
  const Guarantee four{Relation::AddRemove, PureDp{1.0}, Basis::Proved, {}, true, 4};
  EXPECT_FALSE(compose(one, four));
  EXPECT_EQ(compose(four, four)->group_size, 4);
}

}  // namespace
}  // namespace eigenveil::test::guarantee_test
