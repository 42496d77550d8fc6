#include "eigenveil/core/digest.hpp"

#include <openssl/evp.h>

#include <new>

namespace eigenveil {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
};

/// OpenSSL and not libsodium, whose portable code is five times slower than the processor's own
/// instructions: a million pseudo-rows would wait for their checksum.
Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (state_->context == nullptr ||
      EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();
  }
}

Sha256::~Sha256() {
  EVP_MD_CTX_free(state_->context);
}

void Sha256::update(const void* bytes, std::size_t count) {
  EVP_DigestUpdate(state_->context, bytes, count);
}

Digest Sha256::finish() {
  Digest digest{};
  EVP_DigestFinal_ex(state_->context, digest.data(), nullptr);
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
