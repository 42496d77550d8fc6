#include <gtest/gtest.h>

#include "collection_support.hpp"

namespace eigenveil::test::refusals_test {
namespace {

template <class T>
std::string refusal_of(const Result<T>& result) {
  return result ? "accepted" : result.error().message;
}

TEST(Refusals, ReplayChangesNothingAndIsToldSo) {
  Collection collection;
  const SealedReport report = collection.send(0, answers(0, 3));
  const auto again = collection.a->accept(report.to_a);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->already);
  EXPECT_EQ(collection.a->store().count().value(), 1U);
}

TEST(Refusals, OneTokenIsOneReport) {
  Collection collection;
  collection.send(0, answers(0, 3));
  const SealedReport second = collection.sealed(0, answers(1, 3));
  EXPECT_EQ(refusal_of(collection.a->accept(second.to_a)),
            "the code has been used here for another report; a code works once");
}

TEST(Refusals, SwappedRoles) {
  Collection collection;
  const SealedReport report = collection.sealed(0, answers(0, 3));
  EXPECT_EQ(refusal_of(collection.a->accept(report.to_b)),
            "this half of the report is for the other aggregator");
  std::string relabelled = report.to_b;
  relabelled[4] = 'a';
  EXPECT_NE(refusal_of(collection.a->accept(relabelled)), "accepted");
}

TEST(Refusals, ForeignStudyAndStaleManifest) {
  Collection collection;
  Collection other;
  const SealedReport foreign = other.sealed(0, answers(0, 3));
  EXPECT_EQ(refusal_of(collection.a->accept(foreign.to_a)),
            "the report belongs to another study, or to another version of this one");
  // The same sealed bytes under the name of this study: bound to the other one, they do not open.
  std::string renamed = foreign.to_a;
  const SealedReport own = collection.sealed(0, answers(0, 3));
  renamed.replace(0, 69, own.to_a, 0, 69);
  EXPECT_EQ(refusal_of(collection.a->accept(renamed)).substr(0, 24), "the report does not open");
}

TEST(Refusals, ForgedToken) {
  Collection collection;
  RandomStream stream = RandomStream::secure();
  const SealedReport forged =
      seal_row(collection.study, collection.plan(), draw_codes(1).front(), answers(0, 3), stream)
          .value();
  EXPECT_EQ(refusal_of(collection.a->accept(forged.to_a)), "the code is not one of this study");
  const std::string list =
      token_list(collection.study, draw_codes(3), SigningKey::make());  // not the collector's key
  EXPECT_FALSE(collection.a->add_tokens(list));
  Collection other;
  EXPECT_FALSE(collection.a->add_tokens(token_list(other.study, other.codes, other.collector)));
}

TEST(Refusals, TokenOfAnotherPersonUnderTheSameSeal) {
  Collection collection;
  SealedReport report = collection.sealed(0, answers(0, 3));
  const Token others = token_for(Role::A, collection.study.digest, collection.codes[1]);
  std::copy_n(others.begin(), others.size(), report.to_a.begin() + 53);
  EXPECT_EQ(refusal_of(collection.a->accept(report.to_a)).substr(0, 24),
            "the report does not open");
}

TEST(Refusals, AnyChangedByte) {
  Collection collection({.columns = 1});
  const SealedReport report = collection.sealed(0, answers(0, 1));
  for (std::size_t i = 0; i < report.to_b.size(); ++i) {
    std::string damaged = report.to_b;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    EXPECT_FALSE(collection.b->accept(damaged)) << i;
    EXPECT_FALSE(collection.b->accept(std::string_view(report.to_b).substr(0, i))) << i;
  }
  EXPECT_EQ(collection.b->store().count().value(), 0U);
}

TEST(Refusals, BelowTheMinimumNothingIsReleased) {
  Collection collection({.minimum_batch = 5});
  for (std::size_t person = 0; person < 4; ++person) {
    collection.send(person, answers(person, 3));
  }
  EXPECT_FALSE(collection.close());
  EXPECT_EQ(collection.a->store().state(), CollectionState::Open);
  EXPECT_EQ(collection.b->store().state(), CollectionState::Open);
  EXPECT_FALSE(collection.b->sum_for(collection.order()));
  collection.send(4, answers(4, 3));
  EXPECT_TRUE(collection.close());
}

/// A report that only one side has does not count, and the list says so.
TEST(Refusals, HalvesDoNotCount) {
  Collection collection({.minimum_batch = 3});
  for (std::size_t person = 0; person < 3; ++person) {
    collection.send(person, answers(person, 3));
  }
  const SealedReport half = collection.sealed(3, answers(3, 3));
  ASSERT_TRUE(collection.a->accept(half.to_a));
  // Two halves of two reports under one identifier: commitments differ.
  const SealedReport one = collection.sealed(4, answers(4, 3));
  RandomStream stream = RandomStream::secure();
  SealedReport other = collection.sealed(4, answers(5, 3));
  ASSERT_TRUE(collection.a->accept(one.to_a));
  ASSERT_TRUE(collection.b->accept(other.to_b));
  ASSERT_TRUE(collection.close());
  EXPECT_EQ(collection.merged().value().reports, 3U);
  const std::string list = collection.a->closing_list().value();
  EXPECT_EQ(list, collection.b->closing_list().value());
  EXPECT_EQ(list.find(to_hex(view_of(half.id))), std::string::npos);
}

TEST(Refusals, ClosingNeedsTimeOrOrder) {
  Collection collection({.minimum_batch = 2});
  collection.send(0, answers(0, 3));
  collection.send(1, answers(1, 3));
  EXPECT_FALSE(collection.a->proposal(""));
  EXPECT_FALSE(collection.a->proposal(closing_order(collection.study, SigningKey::make())));
  EXPECT_TRUE(collection.a->proposal(collection.order()));
  EXPECT_FALSE(collection.b->proposal(collection.order()));  // A starts
}

TEST(Refusals, MessagesOfClosingAreForTheirPlace) {
  Collection collection({.minimum_batch = 2});
  for (std::size_t person = 0; person < 3; ++person) {
    collection.send(person, answers(person, 3));
  }
  const std::string proposal = collection.a->proposal(collection.order()).value();
  EXPECT_FALSE(collection.a->agreement(proposal));
  EXPECT_FALSE(collection.b->closed(proposal));
  EXPECT_FALSE(collection.b->agreement("{}"));
  const std::string agreement = collection.b->agreement(proposal).value();
  EXPECT_FALSE(collection.a->draw_and_close());  // nothing drawn before the set is stored
  EXPECT_FALSE(collection.a->stored(proposal));
  const std::string note = collection.a->stored(agreement).value();
  Collection other({.minimum_batch = 2});
  EXPECT_FALSE(other.b->closed(note));
  ASSERT_TRUE(collection.b->closed(note));
  EXPECT_EQ(collection.a->store().state(), CollectionState::Agreed);
  ASSERT_TRUE(collection.a->draw_and_close());
  EXPECT_TRUE(collection.merged());
}

/// However often its steps are repeated, a closing has one sum.
TEST(Refusals, ThereIsOneClosing) {
  Collection collection({.minimum_batch = 2});
  for (std::size_t person = 0; person < 3; ++person) {
    collection.send(person, answers(person, 3));
  }
  ASSERT_TRUE(collection.close());
  const std::string first = collection.a->sum_for(collection.order()).value();
  const std::string second = collection.b->sum_for(collection.order()).value();
  ASSERT_TRUE(collection.close());
  ASSERT_TRUE(collection.a->draw_and_close());
  collection.open_both({}, {});
  ASSERT_TRUE(collection.a->draw_and_close());
  EXPECT_EQ(collection.a->sum_for(collection.order()).value(), first);
  EXPECT_EQ(collection.b->sum_for(collection.order()).value(), second);
  EXPECT_EQ(refusal_of(collection.a->accept(collection.sealed(5, answers(5, 3)).to_a)),
            "the study is closed and takes no more reports");
  EXPECT_FALSE(std::filesystem::exists(collection.folder / "a/sealing.key"));
  EXPECT_FALSE(std::filesystem::exists(collection.folder / "b/sealing.key"));
}

/// A store of A from before its closing: B, which closed after A had drawn, does not help it to
/// draw again.
TEST(Refusals, AForgottenClosingIsNotRepeated) {
  Collection collection({.minimum_batch = 2});
  for (std::size_t person = 0; person < 3; ++person) {
    collection.send(person, answers(person, 3));
  }
  collection.a.reset();  // a backup of a folder at rest
  std::filesystem::copy(collection.folder / "a", collection.folder / "backup",
                        std::filesystem::copy_options::recursive);
  collection.a = Aggregator::open(collection.folder / "a", {}).value();
  ASSERT_TRUE(collection.close());
  collection.a = Aggregator::open(collection.folder / "backup", {}).value();
  EXPECT_EQ(refusal_of(collection.close()).substr(0, 25), "the study is closed here,");
  EXPECT_EQ(collection.a->store().state(), CollectionState::Open);
}

/// As if it had come before the deadline.
void put(Aggregator& aggregator, std::size_t person, const Collection& collection) {
  const Token token =
      token_for(aggregator.role(), collection.study.digest, collection.codes[person]);
  StoredReport report;
  report.id.fill(static_cast<unsigned char>(person));
  report.token = token_hash(collection.study.digest, token);
  report.sealed = "a share";
  ASSERT_EQ(aggregator.store().add(report).value(), AddOutcome::Stored);
}

/// People whose report A has, and those whose report B has; three are the minimum.
void expect_failure(const std::vector<std::size_t>& at_a, const std::vector<std::size_t>& at_b) {
  Collection collection({.minimum_batch = 3, .deadline = "2020-01-01T00:00:00Z"});
  for (const std::size_t person : at_a) {
    put(*collection.a, person, collection);
  }
  for (const std::size_t person : at_b) {
    put(*collection.b, person, collection);
  }
  EXPECT_EQ(collection.close().value(), CollectionState::Failed);
  for (int again = 0; again < 2; ++again) {  // and after both were started again
    for (Aggregator* one : {collection.a.get(), collection.b.get()}) {
      EXPECT_EQ(one->store().state(), CollectionState::Failed);
      EXPECT_EQ(refusal_of(one->sum_for(collection.order())), kStudyFailed);
      EXPECT_EQ(refusal_of(one->closing_list()), kStudyFailed);
      EXPECT_FALSE(one->draw_and_close());
    }
    for (const char* name : {"a", "b"}) {
      EXPECT_FALSE(std::filesystem::exists(collection.folder / name / "sealing.key"));
      std::ifstream file(collection.folder / name / "reports.db", std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      EXPECT_EQ(bytes.find("a share"), std::string::npos);
    }
    collection.open_both({}, {});
    EXPECT_EQ(collection.close().value(), CollectionState::Failed);
  }
}

TEST(Refusals, BelowTheMinimumAtTheDeadlineNothingIsKept) {
  expect_failure({0, 1}, {0, 1, 2, 3});     // A alone knows
  expect_failure({0, 1, 2, 3}, {0, 1});     // B alone knows
  expect_failure({0, 1, 2, 3}, {2, 3, 4});  // only both together do
}

/// Before the deadline a study stays open, and nobody but the other aggregator can end it.
TEST(Refusals, StudiesDoNotFailEarly) {
  Collection collection({.minimum_batch = 3});
  EXPECT_TRUE(collection.a->fail_below_minimum());
  EXPECT_FALSE(collection.close());
  EXPECT_FALSE(collection.a->failure_note());
  EXPECT_FALSE(collection.b->failed(collection.order()));
  EXPECT_EQ(collection.b->store().state(), CollectionState::Open);
}

TEST(Refusals, OneProcessServesAFolder) {
  Collection collection;
  EXPECT_EQ(refusal_of(Aggregator::open(collection.folder / "a")).substr(0, 23),
            "another process serves ");
}

TEST(Refusals, KeysThatOthersCanRead) {
  Collection collection;
  collection.a.reset();
  std::filesystem::permissions(collection.folder / "a/sealing.key",
                               std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  EXPECT_NE(refusal_of(Aggregator::open(collection.folder / "a", {})).find("chmod 600"),
            std::string::npos);
}

TEST(Refusals, AddressesAndTimes) {
  for (const char* address : {"ftp://a", "https://x;script-src'*'", "https://a b",
                              "http://example.org:1", "https://a/"}) {
    EXPECT_FALSE(check_address(address)) << address;
  }
  EXPECT_TRUE(check_address("https://a.example.org:8441/study_1"));
  EXPECT_TRUE(check_address("http://[::1]:8441"));
  EXPECT_TRUE(parse_utc("2028-02-29T12:00:00Z"));
  EXPECT_FALSE(parse_utc("2027-02-29T12:00:00Z"));
  EXPECT_FALSE(parse_utc("2027-01-01T12:00:60Z"));
}

TEST(Refusals, SumsOfDifferentSets) {
  Collection one({.minimum_batch = 2});
  for (std::size_t person = 0; person < 2; ++person) {
    one.send(person, answers(person, 3));
  }
  ASSERT_TRUE(one.close());
  const NoisySum a = sum_from_json(one.a->sum_for(one.order()).value(), one.study).value();
  NoisySum b = sum_from_json(one.b->sum_for(one.order()).value(), one.study).value();
  EXPECT_FALSE(merge_sums(one.study, a, a));
  EXPECT_FALSE(merge_sums(one.study, b, a));
  b.set[0] ^= 1U;
  EXPECT_FALSE(merge_sums(one.study, a, b));
  std::string forged = one.b->sum_for(one.order()).value();
  forged[forged.find("\"sum\":\"") + 8] ^= 1;
  EXPECT_FALSE(sum_from_json(forged, one.study));
}

}  // namespace
}  // namespace eigenveil::test::refusals_test
