#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace eigenveil {

/// Cryptographic random bits: ChaCha20 (libsodium). A secure stream is keyed by the operating
/// system (getrandom) and rekeys itself on every refill, so a later memory dump does not reveal
/// earlier draws. A seeded stream is deterministic, for tests and reproduction: whatever it
/// releases is marked not private.
class RandomStream {
 public:
  static RandomStream secure();
  static RandomStream seeded(std::uint64_t seed);

  /// Stream number `index` of a family: independent of this stream's position, so that parallel
  /// work gives the same draws for every thread count. Security is inherited.
  RandomStream substream(std::uint64_t index) const;

  bool is_secure() const { return secure_; }

  std::uint64_t bits64() {
    if (next_ == kBufferWords) {
      refill();
    }
    return (*buffer_)[next_++];
  }
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

  Key key_{};     ///< replaced on every refill (forward secrecy)
  Key family_{};  ///< only derives substreams
  bool secure_ = false;
  std::size_t next_ = kBufferWords;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace eigenveil
