#include "eigenveil/core/digest.hpp"

#include <sodium.h>

namespace eigenveil {

struct Sha256::State {
  crypto_hash_sha256_state sodium;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  crypto_hash_sha256_init(&state_->sodium);
}

Sha256::~Sha256() = default;

void Sha256::update(const void* bytes, std::size_t count) {
  crypto_hash_sha256_update(&state_->sodium, static_cast<const unsigned char*>(bytes), count);
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
