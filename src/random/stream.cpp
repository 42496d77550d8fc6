#include "eigenveil/random/stream.hpp"

#include <pthread.h>
#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "eigenveil/core/cancellation.hpp"

namespace eigenveil {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::uint32_t> detail::forks_passed = 0;

namespace {

// A ChaCha20 block: the first 32 bytes of keystream become the next key, the rest of the block is
// dropped so that the words start on a block boundary.
constexpr std::size_t kBlockBytes = 64;

void initialise_sodium() {
  // Running without a working system generator would be a silent privacy failure.
  static const bool kReady = sodium_init() >= 0 && pthread_atfork(nullptr, nullptr, [] {
                                                     detail::forks_passed.fetch_add(1);
                                                   }) == 0;
  if (!kReady) {
    std::abort();
  }
}

}  // namespace

RandomStream::RandomStream(const Key& key, bool secure) : key_(key), secure_(secure) {
  constexpr std::string_view kDomain = "eigenveil substream family";
  crypto_generichash(family_.data(), family_.size(),
                     reinterpret_cast<const unsigned char*>(kDomain.data()), kDomain.size(),
                     key.data(), key.size());
}

RandomStream RandomStream::secure() {
  initialise_sodium();
  Key key{};
  randombytes_buf(key.data(), key.size());
  RandomStream stream(key, true);
  sodium_memzero(key.data(), key.size());
  return stream;
}

RandomStream RandomStream::seeded(std::uint64_t seed) {
  initialise_sodium();
  constexpr std::string_view kDomain = "eigenveil seeded stream, not private";
  Key key{};
  crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(&seed),
                     sizeof seed, reinterpret_cast<const unsigned char*>(kDomain.data()),
                     kDomain.size());
  return {key, false};
}

RandomStream RandomStream::split() {
  return trusted::substream(*this, bits64());
}

RandomStream trusted::substream(const RandomStream& family, std::uint64_t index) {
  if (family.secure_ && family.has_forked()) {
    return RandomStream::secure();  // the other process derives the same family
  }
  RandomStream::Key key{};
  crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(&index),
                     sizeof index, family.family_.data(), family.family_.size());
  RandomStream stream(key, family.secure_);
  sodium_memzero(key.data(), key.size());
  return stream;
}

void RandomStream::generate(std::uint64_t* words) {
  constexpr std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> kNonce{};
  constexpr std::size_t kBytes = kBufferWords * sizeof(std::uint64_t);
  std::array<unsigned char, kBlockBytes> first_block;
  crypto_stream_chacha20(first_block.data(), first_block.size(), kNonce.data(), key_.data());
  auto* bytes = reinterpret_cast<unsigned char*>(words);
  std::memset(bytes, 0, kBytes);
  crypto_stream_chacha20_xor_ic(bytes, bytes, kBytes, kNonce.data(), 1, key_.data());
  std::memcpy(key_.data(), first_block.data(), key_.size());
  sodium_memzero(first_block.data(), first_block.size());
}

void RandomStream::renew_after_fork() {
  if (secure_) {
    *this = secure();
  }
  forks_ = detail::forks_passed.load(std::memory_order_relaxed);
}

void RandomStream::refill() {
  stop_if_cancelled();  // whatever draws for long comes here
  if (!buffer_) {
    buffer_ = std::make_unique<Buffer>();
  }
  generate(buffer_->data());
  next_ = 0;
}

void RandomStream::fill(std::span<std::uint64_t> words) {
  if (has_forked()) {
    renew_after_fork();
  }
  while (!words.empty()) {
    if (next_ == kBufferWords) {
      if (words.size() >= kBufferWords) {
        stop_if_cancelled();
        generate(words.data());
        words = words.subspan(kBufferWords);
        continue;
      }
      refill();
    }
    const std::size_t count = std::min(words.size(), kBufferWords - next_);
    std::uint64_t* const source = buffer_->data() + next_;
    std::memcpy(words.data(), source, count * sizeof(std::uint64_t));
    std::memset(source, 0, count * sizeof(std::uint64_t));
    next_ += count;
    words = words.subspan(count);
  }
}

void RandomStream::wipe() {
  sodium_memzero(key_.data(), key_.size());
  sodium_memzero(family_.data(), family_.size());
  if (buffer_) {
    sodium_memzero(buffer_->data(), sizeof(Buffer));
  }
  next_ = kBufferWords;
  secure_ = false;  // everyone knows the zero key
}

RandomStream::RandomStream(RandomStream&& other) noexcept
    : key_(other.key_),
      family_(other.family_),
      secure_(other.secure_),
      forks_(other.forks_),
      next_(other.next_),
      buffer_(std::move(other.buffer_)) {
  other.wipe();
}

RandomStream& RandomStream::operator=(RandomStream&& other) noexcept {
  if (this != &other) {
    wipe();
    key_ = other.key_;
    family_ = other.family_;
    secure_ = other.secure_;
    forks_ = other.forks_;
    next_ = other.next_;
    buffer_ = std::move(other.buffer_);
    other.wipe();
  }
  return *this;
}

RandomStream::~RandomStream() {
  wipe();
}

}  // namespace eigenveil
