#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace eigenveil {

class RandomStream;

namespace trusted {
/// Stream number `index` of a family: independent of the family's position, so that parallel work
/// gives the same draws for every thread count. Security is inherited. The caller promises that no
/// number of one family serves twice: two releases that share their noise show the rows to whoever
/// subtracts them. A family is made by `split`, for one release.
[[nodiscard]] RandomStream substream(const RandomStream& family, std::uint64_t index);
}  // namespace trusted

namespace detail {
/// How many forks lie between this process and the one that loaded the library. Only the handler of
/// pthread_atfork, which takes no argument, writes it.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
extern std::atomic<std::uint32_t> forks_passed;
}  // namespace detail

/// Cryptographic random bits: ChaCha20 (libsodium). A secure stream is keyed by the operating
/// system (getrandom), rekeys itself on every refill and wipes what it handed out, so a later
/// memory dump reveals no earlier draw (what was not yet drawn, at most one buffer, it does
/// reveal). After a fork the child's copy of a secure stream keys itself anew: two processes that
/// share noise could be subtracted from each other. A moved-from stream must not be drawn from; it
/// no longer calls itself secure. A seeded stream is deterministic, for tests and reproduction:
/// whatever it releases is marked not private.
class RandomStream {
 public:
  static RandomStream secure();
  static RandomStream seeded(std::uint64_t seed);

  /// A stream of its own, for another thread or another table: its key is drawn from this one, so
  /// that no two calls give the same. Security is inherited.
  [[nodiscard]] RandomStream split();

  bool is_secure() const { return secure_; }

  std::uint64_t bits64() {
    if (has_forked()) {
      renew_after_fork();
    }
    if (next_ == kBufferWords) {
      refill();
    }
    return std::exchange((*buffer_)[next_++], 0);
  }
  /// The same words that bits64 would give, in bulk.
  void fill(std::span<std::uint64_t> words);

  RandomStream(RandomStream&&) noexcept;
  RandomStream& operator=(RandomStream&&) noexcept;
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;
  ~RandomStream();  ///< wipes key and buffer

 private:
  static constexpr std::size_t kBufferWords = 4096;
  using Key = std::array<unsigned char, 32>;
  using Buffer = std::array<std::uint64_t, kBufferWords>;

  friend RandomStream trusted::substream(const RandomStream& family, std::uint64_t index);
  RandomStream(const Key& key, bool secure);
  void refill();
  bool has_forked() const { return forks_ != detail::forks_passed.load(std::memory_order_relaxed); }
  void renew_after_fork();
  /// Writes kBufferWords words and replaces the key.
  void generate(std::uint64_t* words);
  void wipe();

  Key key_{};     ///< replaced on every refill (forward secrecy)
  Key family_{};  ///< only derives substreams
  bool secure_ = false;
  std::uint32_t forks_ = detail::forks_passed.load(std::memory_order_relaxed);
  std::size_t next_ = kBufferWords;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace eigenveil
