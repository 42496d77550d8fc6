#include "eigenveil/random/stream.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/seed.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kRefillWords = 4096;
constexpr std::uint64_t kSeed = test::seed_for("stream");

using Key = std::array<unsigned char, 32>;

Key key_of_seed(std::uint64_t seed) {
  constexpr std::string_view kDomain = "eigenveil seeded stream, not private";
  Key key{};
  crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(&seed),
                     sizeof seed, reinterpret_cast<const unsigned char*>(kDomain.data()),
                     kDomain.size());
  return key;
}

/// libsodium's keystream from block 0 on: 8 words of header, then the words a stream hands out.
std::vector<std::uint64_t> raw_keystream(const Key& key, std::size_t words) {
  const std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{};
  std::vector<std::uint64_t> result(words);
  crypto_stream_chacha20(reinterpret_cast<unsigned char*>(result.data()), words * 8, nonce.data(),
                         key.data());
  return result;
}

std::vector<std::uint64_t> take(RandomStream& stream, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  std::ranges::generate(words, [&stream] { return stream.bits64(); });
  return words;
}

TEST(Stream, EqualsRawChaCha20AndRekeysOnEveryRefill) {
  RandomStream stream = RandomStream::seeded(kSeed);
  const std::vector<std::uint64_t> words = take(stream, 3 * kRefillWords);
  Key key = key_of_seed(kSeed);
  for (std::size_t refill = 0; refill < 3; ++refill) {
    const auto raw = raw_keystream(key, 8 + 2 * kRefillWords);
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(refill * kRefillWords);
    EXPECT_TRUE(std::equal(begin, begin + kRefillWords, raw.begin() + 8));
    // The twin without rekeying would go on with the same keystream.
    if (refill < 2) {
      EXPECT_FALSE(std::equal(begin + kRefillWords, begin + 2 * kRefillWords,
                              raw.begin() + 8 + kRefillWords));
    }
    for (std::size_t secret = 0; secret < 4; ++secret) {
      EXPECT_EQ(std::ranges::count(words, raw[secret]), 0) << "a key word was handed out";
    }
    std::memcpy(key.data(), raw.data(), key.size());
  }
}

TEST(Stream, FillGivesTheWordsOfSingleDraws) {
  RandomStream single = RandomStream::seeded(kSeed);
  RandomStream bulk = RandomStream::seeded(kSeed);
  for (const std::size_t count : {1UL, 7UL, 4088UL, 4096UL, 0UL, 3UL, 10000UL, 4095UL, 8192UL}) {
    std::vector<std::uint64_t> words(count);
    bulk.fill(words);
    EXPECT_EQ(words, take(single, count)) << count;
  }
}

TEST(Stream, SubstreamsDoNotDependOnPositionAndDiffer) {
  RandomStream parent = RandomStream::seeded(kSeed);
  RandomStream before = parent.substream(5);
  take(parent, kRefillWords + 17);
  RandomStream after = parent.substream(5);
  const auto words = take(before, 64);
  EXPECT_EQ(words, take(after, 64));
  for (const std::uint64_t other : {0ULL, 4ULL, 6ULL, 5ULL << 32U}) {
    RandomStream sibling = parent.substream(other);
    EXPECT_NE(words, take(sibling, 64));
  }
  RandomStream child_of_child = parent.substream(5).substream(5);
  EXPECT_NE(words, take(child_of_child, 64));
  RandomStream other_family = RandomStream::seeded(kSeed + 1).substream(5);
  EXPECT_NE(words, take(other_family, 64));
}

TEST(Stream, MovingKeepsTheSequence) {
  RandomStream reference = RandomStream::seeded(kSeed);
  RandomStream first = RandomStream::seeded(kSeed);
  EXPECT_EQ(take(first, 10), take(reference, 10));
  RandomStream second = std::move(first);
  EXPECT_EQ(take(second, 10), take(reference, 10));
  RandomStream third = RandomStream::seeded(kSeed + 1);
  third = std::move(second);
  EXPECT_EQ(take(third, kRefillWords), take(reference, kRefillWords));
}

TEST(Stream, SecureStreamsDifferAndSayWhatTheyAre) {
  RandomStream a = RandomStream::secure();
  RandomStream b = RandomStream::secure();
  EXPECT_NE(take(a, 4), take(b, 4));
  EXPECT_TRUE(a.is_secure());
  EXPECT_TRUE(a.substream(1).is_secure());
  EXPECT_FALSE(RandomStream::seeded(1).is_secure());
  EXPECT_FALSE(RandomStream::seeded(1).substream(1).is_secure());
  EXPECT_FALSE(std::is_copy_constructible_v<RandomStream>);
}

}  // namespace
}  // namespace eigenveil
