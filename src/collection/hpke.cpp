#include "collection/hpke.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sodium.h>

#include <memory>

namespace eigenveil::hpke {
namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kAeadKeyBytes = 16;
constexpr std::size_t kNonceBytes = 12;
/// "KEM" and "HPKE" with the code points of RFC 9180, 7: X25519 0x20, HKDF-SHA256 1, AES-128-GCM 1.
const std::string kKemSuite("KEM\x00\x20", 5);
const std::string kSuite("HPKE\x00\x20\x00\x01\x00\x01", 10);

template <auto Free>
struct Freeing {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freeing<EVP_PKEY_CTX_free>>;
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, Freeing<EVP_CIPHER_CTX_free>>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// A string that held key material.
class Wiped {
 public:
  explicit Wiped(std::string text) : text_(std::move(text)) {}
  ~Wiped() { sodium_memzero(text_.data(), text_.size()); }
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  const std::string& get() const { return text_; }

 private:
  std::string text_;
};

std::string hmac(std::string_view key, std::string_view text) {
  std::string digest(kHashBytes, '\0');
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
       reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

std::string labeled_extract(const std::string& suite, std::string_view salt, std::string_view label,
                            std::string_view input) {
  const Wiped material(std::string("HPKE-v1") + suite + std::string(label) + std::string(input));
  return hmac(salt, material.get());
}

/// HKDF-Expand for at most one block, which is all this suite needs.
std::string labeled_expand(const std::string& suite, std::string_view secret,
                           std::string_view label, std::string_view info, std::size_t length) {
  const std::string size = {'\0', static_cast<char>(length)};
  const std::string labeled = size + "HPKE-v1" + suite + std::string(label) + std::string(info);
  return hmac(secret, labeled + '\x01').substr(0, length);
}

Key secret_of(const SecretKey& key) {
  return Key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, key.bytes().data(), kKeyBytes));
}

/// X25519; empty where the result is zero, which OpenSSL refuses as RFC 7748 asks.
std::string diffie_hellman(const SecretKey& own, std::string_view other) {
  const Key mine = secret_of(own);
  const Key theirs(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, bytes_of(other), other.size()));
  const KeyContext context(mine ? EVP_PKEY_CTX_new(mine.get(), nullptr) : nullptr);
  std::string shared(kKeyBytes, '\0');
  std::size_t size = shared.size();
  const bool derived =
      theirs && context && EVP_PKEY_derive_init(context.get()) == 1 &&
      EVP_PKEY_derive_set_peer(context.get(), theirs.get()) == 1 &&
      EVP_PKEY_derive(context.get(), reinterpret_cast<unsigned char*>(shared.data()), &size) == 1;
  return derived ? shared : std::string();
}

struct MessageKey {
  Wiped key;
  std::string nonce;
};

/// KEM's ExtractAndExpand and the key schedule of base mode, sequence number 0.
MessageKey message_key(const Wiped& shared_point, std::string_view enclosure,
                       std::string_view receiver, std::string_view info) {
  const Wiped extracted(labeled_extract(kKemSuite, "", "eae_prk", shared_point.get()));
  const Wiped shared(labeled_expand(kKemSuite, extracted.get(), "shared_secret",
                                    std::string(enclosure) + std::string(receiver), kHashBytes));
  const std::string schedule = std::string(1, '\0') +
                               labeled_extract(kSuite, "", "psk_id_hash", "") +
                               labeled_extract(kSuite, "", "info_hash", info);
  const Wiped secret(labeled_extract(kSuite, shared.get(), "secret", ""));
  return {Wiped(labeled_expand(kSuite, secret.get(), "key", schedule, kAeadKeyBytes)),
          labeled_expand(kSuite, secret.get(), "base_nonce", schedule, kNonceBytes)};
}

std::string encrypted(const MessageKey& key, std::string_view associated,
                      std::string_view plaintext) {
  const CipherContext context(EVP_CIPHER_CTX_new());
  std::string output(plaintext.size() + kTagBytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(output.data());
  int length = 0;
  const bool done = context &&
                    EVP_EncryptInit_ex(context.get(), EVP_aes_128_gcm(), nullptr,
                                       bytes_of(key.key.get()), bytes_of(key.nonce)) == 1 &&
                    EVP_EncryptUpdate(context.get(), nullptr, &length, bytes_of(associated),
                                      static_cast<int>(associated.size())) == 1 &&
                    EVP_EncryptUpdate(context.get(), out, &length, bytes_of(plaintext),
                                      static_cast<int>(plaintext.size())) == 1 &&
                    EVP_EncryptFinal_ex(context.get(), out + plaintext.size(), &length) == 1 &&
                    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes,
                                        out + plaintext.size()) == 1;
  return done ? output : std::string();
}

Result<std::string> decrypted(const MessageKey& key, std::string_view associated,
                              std::string_view ciphertext) {
  const CipherContext context(EVP_CIPHER_CTX_new());
  const std::size_t size = ciphertext.size() - kTagBytes;
  std::string tag(ciphertext.substr(size));
  std::string output(size, '\0');
  auto* out = reinterpret_cast<unsigned char*>(output.data());
  int length = 0;
  const bool opened =
      context &&
      EVP_DecryptInit_ex(context.get(), EVP_aes_128_gcm(), nullptr, bytes_of(key.key.get()),
                         bytes_of(key.nonce)) == 1 &&
      EVP_DecryptUpdate(context.get(), nullptr, &length, bytes_of(associated),
                        static_cast<int>(associated.size())) == 1 &&
      EVP_DecryptUpdate(context.get(), out, &length, bytes_of(ciphertext),
                        static_cast<int>(size)) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(context.get(), out + size, &length) == 1;
  if (!opened) {
    sodium_memzero(output.data(), output.size());
    return bad_request("the message does not open");
  }
  return output;
}

std::string_view view(const PublicKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

}  // namespace

SecretKey::~SecretKey() {
  sodium_memzero(bytes_.data(), bytes_.size());
}

SecretKey make_key() {
  PublicKey bytes = {};
  randombytes_buf(bytes.data(), bytes.size());
  SecretKey key(bytes);
  sodium_memzero(bytes.data(), bytes.size());
  return key;
}

PublicKey public_part(const SecretKey& key) {
  PublicKey bytes = {};
  std::size_t size = bytes.size();
  EVP_PKEY_get_raw_public_key(secret_of(key).get(), bytes.data(), &size);
  return bytes;
}

Result<std::string> seal_with(const SecretKey& ephemeral, const PublicKey& receiver,
                              const Context& context, std::string_view plaintext) {
  const Wiped point(diffie_hellman(ephemeral, view(receiver)));
  if (point.get().empty()) {
    return bad_request("the public key of the receiver is none");
  }
  const PublicKey enclosure = public_part(ephemeral);
  const std::string ciphertext =
      encrypted(message_key(point, view(enclosure), view(receiver), context.info),
                context.associated, plaintext);
  if (ciphertext.empty()) {
    return input_output_error("OpenSSL cannot encrypt with AES-128-GCM here");
  }
  return std::string(view(enclosure)) + ciphertext;
}

Result<std::string> seal(const PublicKey& receiver, const Context& context,
                         std::string_view plaintext) {
  return seal_with(make_key(), receiver, context, plaintext);
}

Result<std::string> open(const SecretKey& receiver, const Context& context,
                         std::string_view sealed) {
  if (sealed.size() < kEnclosureBytes + kTagBytes) {
    return bad_request("the message does not open");
  }
  const std::string_view enclosure = sealed.substr(0, kEnclosureBytes);
  const Wiped point(diffie_hellman(receiver, enclosure));
  if (point.get().empty()) {
    return bad_request("the message does not open");
  }
  const PublicKey own = public_part(receiver);
  return decrypted(message_key(point, enclosure, view(own), context.info), context.associated,
                   sealed.substr(kEnclosureBytes));
}

}  // namespace eigenveil::hpke
