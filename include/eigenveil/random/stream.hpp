#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace eigenveil {

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

  /// Stream number `index` of a family: independent of this stream's position, so that parallel
  /// work gives the same draws for every thread count. Security is inherited.
  RandomStream substream(std::uint64_t index) const;

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
