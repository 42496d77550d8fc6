#include "ledger/signing_key.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "core/atomic_output.hpp"

namespace eigenveil {
namespace {

std::string first_line(std::string_view owner) {
  return fmt::format("eigenveil {} key 1\n", owner);
}

void start_sodium() {
  if (sodium_init() < 0) {
    std::abort();  // the system has no secure randomness
  }
}

template <class Bytes>
std::string to_hex(const Bytes& bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

bool from_hex(std::string_view text, unsigned char* bytes, std::size_t size) {
  std::size_t written = 0;
  return sodium_hex2bin(bytes, size, text.data(), text.size(), nullptr, &written, nullptr) == 0 &&
         written == size && text.size() == 2 * size;
}

}  // namespace

SigningKey::~SigningKey() {
  sodium_memzero(secret_.data(), secret_.size());
}

SigningKey SigningKey::make() {
  SigningKey key;
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> ignored = {};
  start_sodium();
  crypto_sign_keypair(ignored.data(), key.secret_.data());
  return key;
}

Result<SigningKey> SigningKey::load(const std::filesystem::path& path, std::string_view owner) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open()) {
    return input_output_error(
        fmt::format("the key of the {}, {}, cannot be read; without it nothing can be {}", owner,
                    path.string(), owner == "ledger" ? "charged" : "signed"));
  }
  const std::string first = first_line(owner);
  SigningKey key;
  const bool sound =
      text.starts_with(first) && text.ends_with('\n') &&
      from_hex(std::string_view(text).substr(first.size(), text.size() - first.size() - 1),
               key.secret_.data(), key.secret_.size());
  sodium_memzero(text.data(), text.size());
  if (!sound) {
    return bad_request(fmt::format("{} is not the key of {} {}", path.string(),
                                   owner == "aggregator" ? "an" : "a", owner));
  }
  return key;
}

Result<void> SigningKey::save(const std::filesystem::path& path, std::string_view owner) const {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    return bad_request(fmt::format("{} exists; give the {} another name", path.string(), owner));
  }
  return write_file_atomically(path, fmt::format("{}{}\n", first_line(owner), to_hex(secret_)),
                               FileAccess::OwnerOnly);
}

std::string SigningKey::public_part() const {
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> bytes = {};
  crypto_sign_ed25519_sk_to_pk(bytes.data(), secret_.data());
  return to_hex(bytes);
}

std::string SigningKey::sign(std::string_view text) const {
  std::array<unsigned char, crypto_sign_BYTES> signature = {};
  crypto_sign_detached(signature.data(), nullptr,
                       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                       secret_.data());
  return to_hex(signature);
}

std::string SigningKey::tag(std::string_view purpose, std::string_view text) const {
  using Bytes = std::array<unsigned char, crypto_auth_hmacsha256_BYTES>;
  static_assert(crypto_auth_hmacsha256_KEYBYTES == crypto_sign_SEEDBYTES);
  const auto bytes_of = [](std::string_view from) {
    return reinterpret_cast<const unsigned char*>(from.data());
  };
  // The first half of the secret is the seed it was made from; each purpose has a key of its own.
  Bytes own = {};
  const std::string label = fmt::format("eigenveil ledger tag 1: {}", purpose);
  crypto_auth_hmacsha256(own.data(), bytes_of(label), label.size(), secret_.data());
  Bytes tag = {};
  crypto_auth_hmacsha256(tag.data(), bytes_of(text), text.size(), own.data());
  sodium_memzero(own.data(), own.size());
  return to_hex(tag);
}

std::filesystem::path key_path(const std::filesystem::path& ledger) {
  std::filesystem::path path = ledger;
  path += ".key";
  return path;
}

bool signature_holds(const std::string& public_key, std::string_view text,
                     const std::string& signature) {
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> key = {};
  std::array<unsigned char, crypto_sign_BYTES> bytes = {};
  return from_hex(public_key, key.data(), key.size()) &&
         from_hex(signature, bytes.data(), bytes.size()) &&
         crypto_sign_verify_detached(bytes.data(),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size(), key.data()) == 0;
}

std::string random_identifier() {
  std::array<unsigned char, 16> bytes = {};
  start_sodium();
  randombytes_buf(bytes.data(), bytes.size());
  return to_hex(bytes);
}

}  // namespace eigenveil
