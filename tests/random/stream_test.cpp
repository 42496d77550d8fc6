#include "eigenveil/random/stream.hpp"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/seed.hpp"

namespace eigenveil::test::stream_test {
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
  RandomStream before = trusted::substream(parent, 5);
  take(parent, kRefillWords + 17);
  RandomStream after = trusted::substream(parent, 5);
  const auto words = take(before, 64);
  EXPECT_EQ(words, take(after, 64));
  for (const std::uint64_t other : {0ULL, 4ULL, 6ULL, 5ULL << 32U}) {
    RandomStream sibling = trusted::substream(parent, other);
    EXPECT_NE(words, take(sibling, 64));
  }
  RandomStream child_of_child = trusted::substream(trusted::substream(parent, 5), 5);
  EXPECT_NE(words, take(child_of_child, 64));
  RandomStream other_family = trusted::substream(RandomStream::seeded(kSeed + 1), 5);
  EXPECT_NE(words, take(other_family, 64));
}

/// Two calls, two keys: whoever gives every table a stream of its own shares no noise between them.
TEST(Stream, EverySplitHasItsOwnNoise) {
  RandomStream secure = RandomStream::secure();
  RandomStream first = secure.split();
  RandomStream second = secure.split();
  EXPECT_TRUE(first.is_secure());
  EXPECT_NE(take(first, 64), take(second, 64));
  EXPECT_NE(take(first, 64), take(secure, 64));
  RandomStream seeded = RandomStream::seeded(kSeed);
  RandomStream again = RandomStream::seeded(kSeed);
  RandomStream one = seeded.split();
  RandomStream same = again.split();
  EXPECT_FALSE(one.is_secure());
  EXPECT_EQ(take(one, 64), take(same, 64));
  RandomStream other = again.split();
  EXPECT_NE(take(one, 64), take(other, 64));
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
  EXPECT_TRUE(trusted::substream(a, 1).is_secure());
  EXPECT_FALSE(RandomStream::seeded(1).is_secure());
  EXPECT_FALSE(trusted::substream(RandomStream::seeded(1), 1).is_secure());
  EXPECT_FALSE(std::is_copy_constructible_v<RandomStream>);
}

/// Its key is zero, so a release drawn from it must not be called private.
TEST(Stream, AMovedFromStreamIsNotSecure) {
  RandomStream first = RandomStream::secure();
  RandomStream second = std::move(first);
  EXPECT_FALSE(first.is_secure());  // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(trusted::substream(first, 1).is_secure());
  EXPECT_TRUE(second.is_secure());
  first = std::move(second);
  EXPECT_TRUE(first.is_secure());
  EXPECT_FALSE(second.is_secure());  // NOLINT(bugprone-use-after-move)
}

/// Words of single draws, in bulk, and of a substream, as a process sees them after a fork.
std::vector<std::uint64_t> words_after_fork(RandomStream& single, RandomStream& bulk) {
  std::vector<std::uint64_t> words = take(single, 4);
  std::vector<std::uint64_t> filled(4);
  bulk.fill(filled);
  words.insert(words.end(), filled.begin(), filled.end());
  RandomStream child = trusted::substream(single, 7);
  const std::vector<std::uint64_t> derived = take(child, 4);
  words.insert(words.end(), derived.begin(), derived.end());
  return words;
}

struct BothProcesses {
  std::vector<std::uint64_t> parent;
  std::vector<std::uint64_t> child;
};

BothProcesses fork_and_draw(RandomStream single, RandomStream bulk) {
  take(single, 3);  // the buffer holds words that a fork copies
  take(bulk, 3);
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t process = ::fork();
  BothProcesses words{words_after_fork(single, bulk), std::vector<std::uint64_t>(12)};
  if (process == 0) {
    const ssize_t sent = ::write(ends[1], words.parent.data(), 12 * sizeof(std::uint64_t));
    ::_exit(sent < 0 ? 1 : 0);
  }
  EXPECT_EQ(::read(ends[0], words.child.data(), 12 * sizeof(std::uint64_t)), 96);
  EXPECT_EQ(::waitpid(process, nullptr, 0), process);
  ::close(ends[0]);
  ::close(ends[1]);
  return words;
}

/// A seeded stream is the twin: two processes that go on with one stream draw the same noise.
TEST(Stream, AForkDoesNotShareSecureWords) {
  const BothProcesses secure = fork_and_draw(RandomStream::secure(), RandomStream::secure());
  for (std::size_t i = 0; i < secure.parent.size(); ++i) {
    EXPECT_NE(secure.parent[i], secure.child[i]) << i;
  }
  const BothProcesses seeded =
      fork_and_draw(RandomStream::seeded(kSeed), RandomStream::seeded(kSeed + 1));
  EXPECT_EQ(seeded.parent, seeded.child);
}

}  // namespace
}  // namespace eigenveil::test::stream_test
