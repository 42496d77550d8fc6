#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// The Ed25519 key of a ledger (libsodium): made with it, kept beside it in a file of its own, mode
/// 0600, never inside. Who has the file but not the key cannot write a line that verifies. Others
/// who sign, aggregators and collectors, keep theirs in the same way: `owner` says whose it is, in
/// the file and in sentences.
class SigningKey {
 public:
  static SigningKey make();
  static Result<SigningKey> load(const std::filesystem::path& path,
                                 std::string_view owner = "ledger");
  Result<void> save(const std::filesystem::path& path,
                    std::string_view owner = "ledger") const;  ///< a new file
  std::string public_part() const;                             ///< hexadecimal
  std::string sign(std::string_view text) const;               ///< hexadecimal
  /// HMAC-SHA-256 of a text under a key of its own for each purpose, hexadecimal.
  std::string tag(std::string_view purpose, std::string_view text) const;
  ~SigningKey();
  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;

 private:
  SigningKey() = default;
  std::array<unsigned char, 64> secret_ = {};
};

/// "survey.ledger" -> "survey.ledger.key".
std::filesystem::path key_path(const std::filesystem::path& ledger);

bool signature_holds(const std::string& public_key, std::string_view text,
                     const std::string& signature);

/// 32 hexadecimal digits, drawn.
std::string random_identifier();

}  // namespace eigenveil
