#include "eigenveil/core/digest.hpp"

#include <sodium.h>

#include <algorithm>

#include "sha256_blocks.hpp"

namespace eigenveil {

struct Sha256::State {
  crypto_hash_sha256_state sodium;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  crypto_hash_sha256_init(&state_->sodium);
}

Sha256::~Sha256() = default;

void Sha256::update(const void* bytes, std::size_t count) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  constexpr std::size_t kBlock = 64;
  if (detail::has_sha256_instructions()) {
    // libsodium keeps the unfinished block and the padding; whole blocks go past it.
    const std::size_t held = state_->sodium.count / 8 % kBlock;  // its count is in bits
    const std::size_t fill = std::min(count, (kBlock - held) % kBlock);
    crypto_hash_sha256_update(&state_->sodium, next, fill);
    next += fill;
    count -= fill;
    const std::size_t blocks = count / kBlock;
    if (blocks > 0) {  // then nothing is held
      detail::compress_sha256_blocks(state_->sodium.state, next, blocks);
      state_->sodium.count += 8 * kBlock * blocks;
      next += kBlock * blocks;
      count -= kBlock * blocks;
    }
  }
  crypto_hash_sha256_update(&state_->sodium, next, count);
}

Digest Sha256::finish() {
  Digest digest{};
  static_assert(std::tuple_size_v<Digest> == crypto_hash_sha256_BYTES);
  crypto_hash_sha256_final(&state_->sodium, digest.data());
  return digest;
}

Digest sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.finish();
}

std::string hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    text.push_back(kDigits[byte >> 4U]);
    text.push_back(kDigits[byte & 15U]);
  }
  return text;
}

}  // namespace eigenveil
