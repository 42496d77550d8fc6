// What merging refuses, and why: a shard counted twice doubles the sensitivity.
#include <gtest/gtest.h>

#include "gram_support.hpp"

namespace eigenveil::test::gram_merge_test {
namespace {

RowBound unit_norm() {
  return *RowBound::row_norm(2, 1.0);
}

TEST(GramMerge, RefusesAShardThatIsAlreadyInside) {
  const ExactGram a = gram_of(unit_norm(), {0.1, 0.2});
  const ExactGram b = gram_of(unit_norm(), {0.3, 0.4});
  const ExactGram c = gram_of(unit_norm(), {0.5, 0.6, 0.7, 0.1});
  ExactGram twice = a;
  ASSERT_FALSE(twice.merge(a));
  EXPECT_EQ(twice, a) << "a refused merge changes nothing";
  EXPECT_NE(twice.merge(a).error().message.find("same shard"), std::string::npos);

  ExactGram ab = a;
  ASSERT_TRUE(ab.merge(b));
  ExactGram bc = c;
  ASSERT_TRUE(bc.merge(b));
  EXPECT_FALSE(ab.merge(b)) << "nested on the left";
  EXPECT_FALSE(ExactGram(a).merge(ab)) << "nested on the right";
  EXPECT_FALSE(ab.merge(bc)) << "nested on both sides";
  EXPECT_TRUE(ab.merge(c));
}

TEST(GramMerge, EmptyShardsAreNeverDuplicates) {
  const ExactGram empty = gram_of(unit_norm(), {});
  ExactGram total = gram_of(unit_norm(), {0.1, 0.2});
  const ExactGram before = total;
  ASSERT_TRUE(total.merge(empty));
  ASSERT_TRUE(total.merge(empty));
  EXPECT_EQ(total, before);
  EXPECT_FALSE(total.merge(before)) << "an empty shard in between must not hide a duplicate";
  ExactGram none = empty;
  ASSERT_TRUE(none.merge(empty));
  ASSERT_TRUE(none.merge(before));
  EXPECT_FALSE(none.merge(before));
}

TEST(GramMerge, NamesWhatDiffers) {
  const auto refusal = [](const ExactGram& a, const ExactGram& b) {
    const Result<void> merged = ExactGram(a).merge(b);
    return merged ? std::string("merged") : merged.error().message;
  };
  const ExactGram norm = gram_of(unit_norm(), {0.1, 0.2});
  EXPECT_EQ(refusal(norm, gram_of(*RowBound::row_norm(3, 1.0), {})),
            "the tables cannot be merged: one has 2 columns, the other 3");
  EXPECT_EQ(refusal(norm, ExactGram(Schema{{"c1", "age"}}, unit_norm())),
            "the tables cannot be merged: column 2 is called \"c2\" in one and \"age\" in the "
            "other");
  EXPECT_EQ(refusal(norm, gram_of(*RowBound::ranges({{0, 1}, {0, 1}}), {})),
            "the tables cannot be merged: one is bounded by column ranges, the other by a row norm "
            "alone");
  EXPECT_EQ(refusal(norm, gram_of(*RowBound::row_norm(2, 1.0, 64), {})),
            "the tables cannot be merged: the grid's max_abs is 262144 in one and 64 in the other");
  EXPECT_EQ(refusal(norm, gram_of(*RowBound::row_norm(2, 2.0), {})),
            "the tables cannot be merged: the row norm bound is 1 in one and 2 in the other");
  EXPECT_EQ(refusal(norm, gram_of(*RowBound::row_norm(2, 1.0, 1 << 18, {0, 1}), {})),
            "the tables cannot be merged: the public center of column 2 differs");
  EXPECT_EQ(refusal(gram_of(*RowBound::ranges({{0, 1}, {0, 1}}), {}),
                    gram_of(*RowBound::ranges({{0, 1}, {0, 2}}), {})),
            "the tables cannot be merged: the public range of column 2 differs");
}

/// One pass and the shards it could have been cut into have other fingerprints, but equal totals.
TEST(GramMerge, ThePassAndItsShardsAreTheSameRows) {
  const ExactGram whole = gram_of(unit_norm(), {0.1, 0.2, 0.3, 0.4});
  ExactGram shards = gram_of(unit_norm(), {0.1, 0.2});
  ASSERT_TRUE(shards.merge(gram_of(unit_norm(), {0.3, 0.4})));
  ASSERT_EQ(whole, shards);
  EXPECT_FALSE(ExactGram(shards).merge(whole));
  EXPECT_FALSE(ExactGram(whole).merge(shards));
  EXPECT_TRUE(shards.merge(gram_of(unit_norm(), {0.5, 0.4})));
}

TEST(GramMerge, FilesDoNotDependOnTheOrder) {
  const ExactGram a = gram_of(unit_norm(), {0.1, 0.2});
  const ExactGram b = gram_of(unit_norm(), {0.3, 0.4});
  ExactGram ab = a;
  ExactGram ba = b;
  ASSERT_TRUE(ab.merge(b));
  ASSERT_TRUE(ba.merge(a));
  EXPECT_EQ(ab.statistic_digest(), ba.statistic_digest());
  EXPECT_NE(ab.statistic_digest(), a.statistic_digest());
}

}  // namespace
}  // namespace eigenveil::test::gram_merge_test
