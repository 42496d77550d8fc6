// Indicator columns: lists as users write them, and the bound of the expanded rows.
#include "data/one_hot.hpp"

#include <gtest/gtest.h>

namespace eigenveil::test::one_hot_test {
namespace {

TEST(OneHot, NumbersAreCodesAndWordsArePlaces) {
  const Result<Categories> codes = categories_of("education", {"1", "2.5"});
  ASSERT_TRUE(codes);
  EXPECT_EQ(codes->codes, (std::vector<double>{1.0, 2.5}));
  EXPECT_TRUE(codes->names.empty());
  const Result<Categories> words = categories_of("sex", {"male", "2", "*"});
  ASSERT_TRUE(words);
  EXPECT_EQ(words->codes, (std::vector<double>{1.0, 2.0, 0.0}));  // any other word is read as 0
  EXPECT_EQ(words->names.size(), 3U);
}

TEST(OneHot, ListsThatSayNothingAreRefused) {
  const std::vector<std::vector<std::string>> wrong = {{}, {""}, {"a", "a"}, {"*", "a"}};
  for (const std::vector<std::string>& list : wrong) {
    EXPECT_FALSE(categories_of("sex", list));
  }
  EXPECT_FALSE(categories_of("", {"a"}));
}

TEST(OneHot, IndicatorsLieBetweenZeroAndOne) {
  const Schema before{{"age", "sex"}};
  const Schema after{{"age", "sex=1", "sex=2"}};
  const Result<RowBound> plain = RowBound::ranges({{0.0, 120.0}, {-7.0, 7.0}}, std::nullopt, 1024);
  ASSERT_TRUE(plain);
  const Result<RowBound> bound = with_indicators(*plain, before, after, std::nullopt);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->dimension(), 3U);
  EXPECT_EQ(bound->midpoint(0), 60.0);
  EXPECT_EQ(bound->half_width(0), 60.0);
  for (const std::size_t indicator : {1U, 2U}) {
    EXPECT_EQ(bound->midpoint(indicator), 0.5);
    EXPECT_EQ(bound->half_width(indicator), 0.5);
  }
  EXPECT_EQ(bound->max_abs(), 1024);
}

TEST(OneHot, ARowNormIsThatOfTheExpandedRow) {
  const Schema before{{"age", "sex"}};
  const Schema after{{"age", "sex=1", "sex=2"}};
  const Result<RowBound> plain = RowBound::row_norm(2, 3.0, 1024);
  ASSERT_TRUE(plain);
  const Result<RowBound> bound = with_indicators(*plain, before, after, 3.0);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->dimension(), 3U);
  EXPECT_FALSE(bound->has_ranges());
  EXPECT_EQ(bound->radius(), RowBound::row_norm(3, 3.0, 1024)->radius());
}

}  // namespace
}  // namespace eigenveil::test::one_hot_test
