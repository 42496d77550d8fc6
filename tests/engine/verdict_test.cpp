// The verdict before anything is spent: which of its three reasons, and that public numbers decide.
#include "engine/verdict.hpp"

#include <gtest/gtest.h>

#include "eigenveil/engine/registry.hpp"

namespace eigenveil {
namespace {

struct Asked {
  std::size_t columns = 14079;
  Eigen::Index components = 2;
  double mu = 1.0;
  std::optional<std::int64_t> rows = 1092;
  bool keeps_columns = true;
};

std::string judged(const Asked& asked) {
  Request request;
  request.budget = GaussianDp{asked.mu};
  request.components = asked.components;
  const Method* method = choose_method(request).value();
  settle_center(*method, request);
  PublicFacts facts{
      Schema::numbered(asked.columns),
      RowBound::ranges(std::vector<ColumnRange>(asked.columns, {0.0, 2.0}), std::nullopt, 1)
          .value()};
  facts.keeps_columns = asked.keeps_columns;
  const Result<void> found = verdict(*method, request, facts, asked.rows);
  return found ? std::string() : found.error().message;
}

bool says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

// All variants of the 1000 Genomes, with their public sizes.
TEST(Verdict, GenotypesOfAThousandPeople) {
  EXPECT_TRUE(says(judged({.mu = 0.2}), "no table within these bounds has 2 components above"));
  EXPECT_TRUE(says(judged({}), "2 components with half of the variance would have"));
  EXPECT_TRUE(says(judged({.components = 1}), "j-th variance is 1/j of the first"));
  for (const std::string& advice : {judged({}), judged({.components = 1}), judged({.mu = 0.2})}) {
    EXPECT_TRUE(says(advice, "{project}") && says(advice, "{anyway}") && says(advice, "1/2"));
  }
}

TEST(Verdict, CoordinatesThatWereChosenAreNotJudgedByThePowerLaw) {
  EXPECT_EQ(judged({.components = 1, .keeps_columns = false}), "");
}

// Nobody said how many: what 2,000 rows would not show either asks for the number, with the one
// that would do; smaller questions do not ask.
TEST(Verdict, WithoutADeclaredNumber) {
  const std::string asks = judged({.rows = std::nullopt});
  EXPECT_TRUE(says(asks, "{people N}") && says(asks, "{project}") && says(asks, "{anyway}"));
  EXPECT_TRUE(says(asks, "nobody said"));
  EXPECT_EQ(judged({.columns = 100, .rows = std::nullopt}), "");
}

TEST(Verdict, AsManyRowsAsItSaysDo) {
  for (const Asked& asked : {Asked{}, Asked{.rows = std::nullopt}, Asked{.components = 1},
                             Asked{.mu = 0.2}, Asked{.columns = 500, .mu = 0.1}}) {
    const std::string advice = judged(asked);
    const std::size_t at = advice.find("; about ");
    ASSERT_NE(at, std::string::npos) << advice;
    Asked enough = asked;
    enough.rows = std::stoll(advice.substr(at + 8));
    EXPECT_EQ(judged(enough), "") << advice;
    enough.rows = *enough.rows * 4 / 5;  // rounded up to two digits: by a tenth at most
    EXPECT_NE(judged(enough), "") << advice;
  }
}

// More rows, fewer columns or more budget help, as the advice says; each alone.
TEST(Verdict, WhatHelps) {
  EXPECT_NE(judged({}), "");
  EXPECT_EQ(judged({.rows = 20 * 1092}), "");
  EXPECT_EQ(judged({.columns = 100}), "");
  EXPECT_EQ(judged({.mu = 20.0}), "");
}

}  // namespace
}  // namespace eigenveil
