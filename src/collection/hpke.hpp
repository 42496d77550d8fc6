#pragma once

#include <array>
#include <string>
#include <string_view>

#include "eigenveil/core/result.hpp"

namespace eigenveil::hpke {

// Hybrid public key encryption, RFC 9180, base mode, one message to a key: DHKEM(X25519,
// HKDF-SHA256), HKDF-SHA256, AES-128-GCM. Primitives are OpenSSL's; tests hold the RFC's vectors
// and an independent implementation against it.

constexpr std::size_t kKeyBytes = 32;        ///< of either half of a key pair
constexpr std::size_t kEnclosureBytes = 32;  ///< the sender's ephemeral public key
constexpr std::size_t kTagBytes = 16;

using PublicKey = std::array<unsigned char, kKeyBytes>;

/// Wiped when it goes.
class SecretKey {
 public:
  SecretKey() = default;
  explicit SecretKey(const PublicKey& bytes) : bytes_(bytes) {}
  ~SecretKey();
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  const PublicKey& bytes() const { return bytes_; }

 private:
  PublicKey bytes_ = {};
};

SecretKey make_key();
PublicKey public_part(const SecretKey& key);

/// What binds a message to its place without being secret.
struct Context {
  std::string_view info;        ///< both sides know it
  std::string_view associated;  ///< travels beside the message
};

/// Enclosure, then ciphertext with its tag: plaintext + 48 bytes. Refused for a public key that is
/// no point of full order.
Result<std::string> seal(const PublicKey& receiver, const Context& context,
                         std::string_view plaintext);
/// With the ephemeral key given, for test vectors alone: one that is used twice gives everything
/// away.
Result<std::string> seal_with(const SecretKey& ephemeral, const PublicKey& receiver,
                              const Context& context, std::string_view plaintext);
/// One sentence for every failure: why a message does not open tells a forger something.
Result<std::string> open(const SecretKey& receiver, const Context& context,
                         std::string_view sealed);

}  // namespace eigenveil::hpke
