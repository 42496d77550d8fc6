// Every message an aggregator or a collector reads from strangers: mutated, cut, and made up. None
// may crash, none may be taken for a sound one.
#include <gtest/gtest.h>

#include "collection_support.hpp"
#include "eigenveil/engine/ledgers.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "engine/ledger_batch.hpp"
#include "engine/table/release_job.hpp"
#include "engine/table/table_spec.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::fuzz_test {
namespace {

constexpr int kMutations = 400;

/// A few bytes changed, removed, repeated or put in.
std::string mutated(std::string text, RandomStream& stream) {
  const auto pick = [&](std::size_t limit) {
    return static_cast<std::size_t>(stream.bits64() % std::max<std::size_t>(limit, 1));
  };
  for (std::size_t change = 1 + pick(3); change > 0 && !text.empty(); --change) {
    const std::size_t at = pick(text.size());
    switch (pick(4)) {
      case 0:
        text[at] = static_cast<char>(stream.bits64());
        break;
      case 1:
        text.erase(at, 1 + pick(20));
        break;
      case 2:
        text.insert(at, text.substr(at, 1 + pick(20)));
        break;
      default:
        text.insert(at, 1, "\"{}[],:0\\\n"[pick(10)]);
    }
  }
  return text;
}

/// `read` says whether it took a text; a text that differs must not be taken.
template <class Read>
void expect_none_taken(const std::string& sound, std::string_view name, const Read& read) {
  RandomStream stream = RandomStream::seeded(seed_for(name));
  for (int i = 0; i < kMutations; ++i) {
    const std::string text = mutated(sound, stream);
    if (text != sound) {
      EXPECT_FALSE(read(text)) << name << " " << i;
    }
  }
  for (const std::size_t size : {0U, 1U, 4U, 68U, 69U, 100U}) {
    EXPECT_FALSE(read(std::string(size, 'x'))) << name;
    EXPECT_FALSE(read(sound.substr(0, std::min(size, sound.size() - 1)))) << name;
  }
}

TEST(Fuzz, Reports) {
  Collection collection;
  const SealedReport report = collection.sealed(0, answers(0, 3));
  expect_none_taken(report.to_a, "fuzz.to_a",
                    [&](const std::string& text) { return collection.a->accept(text); });
  expect_none_taken(report.to_b, "fuzz.to_b",
                    [&](const std::string& text) { return collection.b->accept(text); });
  EXPECT_EQ(collection.a->store().count().value(), 0U);
}

TEST(Fuzz, MessagesOfClosing) {
  Collection collection({.minimum_batch = 2});
  for (std::size_t person = 0; person < 3; ++person) {
    collection.send(person, answers(person, 3));
  }
  const std::string order = collection.order();
  expect_none_taken(order, "fuzz.order",
                    [&](const std::string& text) { return check_order(collection.study, text); });
  const std::string proposal = collection.a->proposal(order).value();
  expect_none_taken(proposal, "fuzz.proposal",
                    [&](const std::string& text) { return collection.b->agreement(text); });
  const std::string agreement = collection.b->agreement(proposal).value();
  expect_none_taken(agreement, "fuzz.agreement",
                    [&](const std::string& text) { return collection.a->stored(text); });
  const std::string note = collection.a->stored(agreement).value();
  expect_none_taken(note, "fuzz.note",
                    [&](const std::string& text) { return collection.b->closed(text); });
  ASSERT_TRUE(collection.a->draw_and_close());
  const std::string sum = collection.a->sum_for(order).value();
  expect_none_taken(sum, "fuzz.sum",
                    [&](const std::string& text) { return sum_from_json(text, collection.study); });
}

TEST(Fuzz, StudiesAndTokens) {
  const Collection collection;
  const std::string study = to_json(collection.study);
  expect_none_taken(study, "fuzz.study", [&](const std::string& text) {
    const Result<Study> read = study_from_json(text);
    return read && read->text != collection.study.text && check_signatures(*read, "", "");
  });
  const std::string list = token_list(collection.study, collection.codes, collection.collector);
  expect_none_taken(list, "fuzz.tokens", [&](const std::string& text) {
    return read_token_list(collection.study, Role::A, text);
  });
  const std::string card = to_json(collection.study.manifest.a);
  RandomStream stream = RandomStream::seeded(seed_for("fuzz.card"));
  for (int i = 0; i < kMutations; ++i) {
    (void)card_from_json(mutated(card, stream));  // checked with the manifest; must not crash
  }
}

/// Nested so deep that whatever recurses over it leaves its stack.
TEST(Fuzz, DeepNestingIsRefusedByEveryReader) {
  Collection collection;
  constexpr std::size_t kLevels = 500'000;
  const std::string lists = std::string(kLevels, '[') + std::string(kLevels, ']');
  const std::string message = "{\"message\":" + lists + ",\"signature\":\"";
  const auto refused = [](const auto& result) {
    return !result && result.error().code == ErrorCode::BadRequest;
  };
  for (const std::string& digits : {std::string("00"), std::string(128, '0')}) {
    const std::string text = message + digits + "\"}";
    EXPECT_TRUE(refused(collection.b->agreement(text)));
    EXPECT_TRUE(refused(collection.b->closed(text)));
    EXPECT_TRUE(refused(collection.a->stored(text)));
    EXPECT_TRUE(refused(collection.a->sum_for(text)));
    EXPECT_TRUE(refused(sum_from_json(text, collection.study)));
  }
  // A party of the study may send it, too: then the signature holds.
  const std::string order =
      message + collection.collector.sign("eigenveil message 1 order to close\n" + lists) + "\"}";
  EXPECT_TRUE(refused(check_order(collection.study, order)));
  const std::string manifest = "{\"manifest\":" + lists + "}";
  EXPECT_TRUE(refused(study_from_json(manifest)));
  for (const std::string& text : {manifest, lists}) {
    EXPECT_TRUE(refused(manifest_from_json(text)));
    EXPECT_TRUE(refused(card_from_json(text)));
    EXPECT_TRUE(refused(request_from_json(text)));
    EXPECT_TRUE(refused(table_from_json(text)));
    EXPECT_TRUE(refused(release_job(text, false)));
    EXPECT_TRUE(refused(wanted_releases(text, {})));
    EXPECT_TRUE(refused(create_ledger(collection.folder / "ledger", text)));
  }
}

}  // namespace
}  // namespace eigenveil::test::fuzz_test
