// An aggregator that answers in people's names at the other one, to leave one noisy row alone among
// rows it made up (mode participants). It has the token it was shown; the other one asks for its
// own.
#include <gtest/gtest.h>

#include "collection_support.hpp"

namespace eigenveil::test::stolen_token_test {
namespace {

constexpr std::size_t kColumns = 2;
constexpr std::size_t kPeople = 12;
constexpr std::size_t kVictim = 5;
const StudyWishes kWishes = {
    .columns = kColumns, .minimum_batch = kPeople, .noise = NoiseMode::Participants};

struct Tokens {
  Token a;
  Token b;
};

std::string sealed_for(const Study& study, ReportMessage head, const std::string& plaintext) {
  const std::string raw =
      from_hex(study.manifest.card(head.role).sealing_key, hpke::kKeyBytes).value();
  hpke::PublicKey receiver = {};
  std::copy_n(raw.begin(), receiver.size(), receiver.begin());
  const std::string info = study.sealing_info(head.role);
  const std::string associated = head.associated();
  head.sealed = hpke::seal(receiver, {info, associated}, plaintext).value();
  return encode(head);
}

/// A whole report of any triangle under any two tokens: whoever has tokens can make one.
SealedReport report_of(const Study& study, const Tokens& tokens, const ReportId& id,
                       const std::vector<Int128>& triangle) {
  ShareSeed seed = {};
  seed[0] = id[0];
  const std::string payload_a(view_of(seed));
  const std::string payload_b = share_bytes(difference(triangle, expand(seed, triangle.size())));
  const Digest blind = {};
  const Digest half_a = half_commitment(Role::A, blind, payload_a);
  const Digest half_b = half_commitment(Role::B, blind, payload_b);
  return {id,
          sealed_for(study, {Role::A, study.digest, id, tokens.a, {}},
                     sealed_plaintext({blind, half_b}, payload_a)),
          sealed_for(study, {Role::B, study.digest, id, tokens.b, {}},
                     sealed_plaintext({blind, half_a}, payload_b))};
}

ReportId id_of(std::size_t person, unsigned char kind) {
  ReportId id = {};
  id[0] = static_cast<unsigned char>(person);
  id[1] = kind;
  return id;
}

/// Everybody sends to A first, as people do. A, rogue, uses the token it is shown for reports of
/// zeros at B, under an identifier of its own and under the person's; where B takes one, A counts
/// it instead of the person. How many were replaced.
std::size_t steal(Collection& collection, const std::vector<Tokens>& tokens,
                  const std::vector<std::vector<Int128>>& triangles) {
  const std::vector<Int128> zeros(triangles[0].size(), 0);
  std::size_t stolen = 0;
  for (std::size_t person = 0; person < kPeople; ++person) {
    const ReportId own = id_of(person, 0);
    const SealedReport honest = report_of(collection.study, tokens[person], own, triangles[person]);
    bool replaced = false;
    for (const ReportId& id : {id_of(person, 1), own}) {
      const Token seen = decode_report(honest.to_a).value().token;
      const SealedReport fake = report_of(collection.study, {seen, seen}, id, zeros);
      if (person != kVictim && !replaced && collection.b->accept(fake.to_b)) {
        EXPECT_TRUE(collection.a->accept(fake.to_a));
        replaced = true;
      }
    }
    stolen += replaced ? 1U : 0U;
    if (!replaced) {
      EXPECT_TRUE(collection.a->accept(honest.to_a));
    }
    EXPECT_NE(collection.b->accept(honest.to_b).has_value(), replaced);
  }
  return stolen;
}

std::vector<std::vector<Int128>> noisy_triangles(const Collection& collection) {
  RandomStream stream = RandomStream::secure();
  std::vector<std::vector<Int128>> triangles;
  for (std::size_t person = 0; person < kPeople; ++person) {
    triangles.push_back(outer_triangle(
        grid_row(collection.study.manifest, collection.plan(), answers(person, kColumns), stream)));
  }
  return triangles;
}

TEST(StolenTokens, TheTokenOneAggregatorSeesIsWorthNothingAtTheOther) {
  Collection collection(kWishes, kPeople);
  const auto triangles = noisy_triangles(collection);
  std::vector<Tokens> tokens;
  for (const InvitationCode& code : collection.codes) {
    tokens.push_back({token_for(Role::A, collection.study.digest, code),
                      token_for(Role::B, collection.study.digest, code)});
  }
  EXPECT_EQ(steal(collection, tokens, triangles), 0U);
  ASSERT_TRUE(collection.close());
  std::vector<Int128> all(triangles[0].size(), 0);
  for (const std::vector<Int128>& triangle : triangles) {
    std::transform(all.begin(), all.end(), triangle.begin(), all.begin(), std::plus<>());
  }
  EXPECT_EQ(collection.merged().value().triangle, all);
}

/// The broken twin, which this program once was: one token for both. All but the victim are
/// replaced by zeros, and the released Gram is the victim's noisy row, squared.
TEST(StolenTokens, OneTokenForBothLeavesTheVictimAlone) {
  Collection collection(kWishes, kPeople);
  const auto triangles = noisy_triangles(collection);
  std::vector<Tokens> tokens;
  std::vector<Digest> hashes;
  for (const InvitationCode& code : collection.codes) {
    const Token both = token_for(Role::A, collection.study.digest, code);
    tokens.push_back({both, both});
    hashes.push_back(token_hash(collection.study.digest, both));
  }
  ASSERT_TRUE(collection.b->store().add_tokens(hashes));
  EXPECT_EQ(steal(collection, tokens, triangles), kPeople - 1);
  ASSERT_TRUE(collection.close());
  EXPECT_EQ(collection.merged().value().triangle, triangles[kVictim]);
}

/// Either aggregator keeps the hashes for its own role alone.
TEST(StolenTokens, ListsDiffer) {
  const Collection collection;
  const std::string list = token_list(collection.study, collection.codes, collection.collector);
  const auto a = read_token_list(collection.study, Role::A, list).value();
  const auto b = read_token_list(collection.study, Role::B, list).value();
  EXPECT_EQ(a.size(), collection.codes.size());
  EXPECT_EQ(b.size(), collection.codes.size());
  for (const Digest& hash : a) {
    EXPECT_EQ(std::count(b.begin(), b.end(), hash), 0);
  }
}

/// Published with the format (docs/formats.md); the form computes the same in Chromium.
TEST(StolenTokens, TokenOfAKnownCode) {
  Digest study = {};
  study.fill(0x11);
  InvitationCode code;
  code.bytes.fill(0x22);
  EXPECT_EQ(to_hex(view_of(token_for(Role::A, study, code))), "ba2512defd583e8748b517ecaf07c499");
  EXPECT_EQ(to_hex(view_of(token_for(Role::B, study, code))), "4aab73b974299743af18abaf8126d54b");
}

}  // namespace
}  // namespace eigenveil::test::stolen_token_test
