// Shards that carry their name: what a merge of them refuses, and that it says which.
#include <gtest/gtest.h>

#include "gram_support.hpp"
#include "statistics/shards.hpp"

namespace eigenveil::test::gram_shards_test {
namespace {

RowBound unit_norm() {
  return *RowBound::row_norm(2, 1.0);
}

ExactGram shard(const std::string& run, std::uint64_t index, std::uint64_t count,
                const std::vector<double>& values = {0.1, 0.2}) {
  ExactGram gram = gram_of(unit_norm(), values);
  gram.set_identity({run, index, count});
  return gram;
}

std::string refusal(ExactGram total, const ExactGram& part) {
  const Result<void> merged = total.merge(part);
  return merged ? "" : merged.error().message;
}

// Partitions of constant rows: by their totals they would be one.
TEST(GramShards, EqualTotalsOfOneRunAreDifferentRows) {
  ExactGram total = shard("a", 0, 3);
  ASSERT_TRUE(total.merge(shard("a", 2, 3)));
  EXPECT_NE(total.check_complete().error().message.find("shard 1 of 3 of run \"a\" is missing"),
            std::string::npos)
      << total.check_complete().error().message;
  ASSERT_TRUE(total.merge(shard("a", 1, 3)));
  EXPECT_TRUE(total.check_complete());
  EXPECT_EQ(total, gram_of(unit_norm(), {0.1, 0.2, 0.1, 0.2, 0.1, 0.2}));
}

TEST(GramShards, RefusesARepeatedAForeignAndANamelessShardAndSaysWhich) {
  EXPECT_NE(
      refusal(shard("a", 1, 3), shard("a", 1, 3, {0.5, 0.5})).find("shard 1 of 3 of run \"a\""),
      std::string::npos)
      << "a task that ran twice, on other rows even";
  EXPECT_NE(refusal(shard("a", 0, 3), shard("b", 1, 3, {0.5, 0.5})).find("does not belong to run"),
            std::string::npos);
  EXPECT_NE(refusal(shard("a", 0, 3), shard("a", 1, 4, {0.5, 0.5})).find("3 shards in one and 4"),
            std::string::npos);
  EXPECT_NE(refusal(shard("a", 0, 3), gram_of(unit_norm(), {0.5, 0.5})).find("does not say"),
            std::string::npos);
  EXPECT_NE(refusal(gram_of(unit_norm(), {0.5, 0.5}), shard("a", 0, 3)).find("does not say"),
            std::string::npos);
  ExactGram merged = shard("a", 0, 3);
  ASSERT_TRUE(merged.merge(shard("a", 1, 3, {0.5, 0.5})));
  EXPECT_NE(refusal(merged, shard("a", 0, 3)), "") << "inside a merged one too";
}

// A count that nobody can list: a slip of the keyboard, or a file made to hang a merge.
TEST(GramShards, HugeCountsAreRefusedAndNotListed) {
  EXPECT_FALSE(check_identity({"a", 0, std::uint64_t{100'000'000'000'000}}));
  EXPECT_FALSE(check_identity({"", 0, 1}));
  EXPECT_FALSE(check_identity({"a", 3, 3}));
  EXPECT_TRUE(check_identity({"a", 2, 3}));
  const std::string said = shard("a", 1, 100'000'000'000'000).check_complete().error().message;
  EXPECT_NE(said.find("shard 0, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 99999999999989 more of"),
            std::string::npos)
      << said;
}

TEST(GramShards, CompleteRunsAreTables) {
  ExactGram one = shard("a", 0, 2);
  ASSERT_TRUE(one.merge(shard("a", 1, 2, {0.3, 0.3})));
  ExactGram other = shard("b", 0, 1, {0.7, 0.1});
  ASSERT_TRUE(one.merge(other));
  EXPECT_EQ(one.parts().size(), 2U);
  EXPECT_NE(refusal(one, shard("b", 0, 1, {0.2, 0.1})), "") << "that run is inside already";
  EXPECT_NE(refusal(other, shard("c", 0, 1, {0.7, 0.1})), "") << "equal totals are a question";
  EXPECT_TRUE(other.merge(shard("c", 0, 1, {0.7, 0.1}), EqualTotals::DifferentRows));
}

/// A shard of people; `mark` is that of its key.
ExactGram of_people(const PeopleLimit& people, const ShardIdentity& identity,
                    const std::vector<double>& values = {0.1, 0.2}) {
  Schema schema = numbered_columns(2);
  schema.people = people;
  GramAccumulator sums(schema, unit_norm(), 1);
  EXPECT_TRUE(sums.add(MatrixView::row_major(values.data(), values.size() / 2, 2)));
  ExactGram gram = *sums.finish();
  if (!identity.run.empty()) {
    gram.set_identity(identity);
  }
  return gram;
}

// Whatever could bring a person in twice is refused: another key, another limit, another run, and
// tables of people that are no shards.
TEST(GramShards, PeopleMergeAsShardsOfOneRunAndKey) {
  const PeopleLimit limit = {"who", 3};
  const ExactGram first = of_people(limit, {"a", 0, 2, "mark"});
  ExactGram total = first;
  ASSERT_TRUE(total.merge(
      *ExactGram::from_bytes(of_people(limit, {"a", 1, 2, "mark"}, {0.3, 0.4}).to_bytes())));
  EXPECT_TRUE(total.check_complete());
  EXPECT_EQ(total.schema().people, limit);
  const ExactGram again = *ExactGram::from_bytes(total.to_bytes());
  EXPECT_EQ(again, total);
  EXPECT_EQ(again.schema().people, limit);
  EXPECT_EQ(again.parts(), total.parts());
  EXPECT_NE(refusal(first, of_people(limit, {"a", 1, 2, "other"})).find("person_key"),
            std::string::npos);
  EXPECT_NE(refusal(first, of_people({"who", 4}, {"a", 1, 2, "mark"})).find("another number"),
            std::string::npos);
  EXPECT_NE(refusal(first, of_people({"whom", 3}, {"a", 1, 2, "mark"})), "");
  EXPECT_NE(refusal(first, shard("a", 1, 2)).find("one of them alone"), std::string::npos);
  EXPECT_NE(refusal(total, of_people(limit, {"b", 0, 1, "mark"}, {0.5, 0.5})).find("in both"),
            std::string::npos)
      << "two complete runs";
  EXPECT_NE(refusal(of_people(limit, {}), of_people(limit, {}, {0.5, 0.5})).find("in both"),
            std::string::npos);
}

// A file that says half of it, or holds people of two runs.
TEST(GramShards, FilesOfPeopleThatContradictThemselvesAreDamaged) {
  const auto refused = [](const ExactGram& gram) {
    return !ExactGram::from_bytes(gram.to_bytes());
  };
  EXPECT_FALSE(refused(of_people({"who", 3}, {"a", 0, 2, "mark"})));
  EXPECT_FALSE(refused(of_people({"who", 3}, {})));
  EXPECT_TRUE(refused(of_people({"", 3}, {})));
  EXPECT_TRUE(refused(of_people({"who", 0}, {})));
  EXPECT_TRUE(refused(of_people({"who", PeopleLimit::kMostRows + 1}, {})));
  EXPECT_TRUE(refused(of_people({"who", 3}, {"a", 0, 2, ""}))) << "no key";
  EXPECT_TRUE(refused(of_people({}, {"a", 0, 2, "mark"}))) << "a key of nobody";
}

TEST(GramShards, TheQuestionOfEqualTotalsCanBeAnswered) {
  ExactGram total = gram_of(unit_norm(), {0.1, 0.2});
  const ExactGram again = total;
  EXPECT_NE(refusal(total, again).find("are they different rows"), std::string::npos);
  ASSERT_TRUE(total.merge(again, EqualTotals::DifferentRows));
  EXPECT_EQ(total, gram_of(unit_norm(), {0.1, 0.2, 0.1, 0.2}));
  EXPECT_EQ(*ExactGram::from_bytes(total.to_bytes()), total) << "and be written";
}

TEST(GramShards, BytesKeepTheShardsInAnyTree) {
  std::vector<ExactGram> all;
  for (std::uint64_t i = 0; i < 5; ++i) {
    all.push_back(*ExactGram::from_bytes(shard("a", i, 5).to_bytes()));
  }
  const auto tree = [&](const std::vector<std::size_t>& order) {
    ExactGram total = all[order[0]];
    for (std::size_t i = 1; i < order.size(); ++i) {
      EXPECT_TRUE(total.merge(all[order[i]]));
      total = *ExactGram::from_bytes(total.to_bytes());
    }
    return total.to_bytes();
  };
  EXPECT_EQ(tree({0, 1, 2, 3, 4}), tree({4, 2, 0, 3, 1}));
  EXPECT_NE(tree({0, 1, 2}), tree({0, 1, 3})) << "equal totals, other shards";
}

}  // namespace
}  // namespace eigenveil::test::gram_shards_test
