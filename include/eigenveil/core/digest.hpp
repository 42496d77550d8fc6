#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace eigenveil {

using Digest = std::array<std::uint8_t, 32>;

/// Incremental SHA-256 (OpenSSL), for checksums of files and releases.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(const void* bytes, std::size_t count);
  void update(std::string_view text) { update(text.data(), text.size()); }
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest sha256(std::string_view text);
std::string hex(const Digest& digest);

}  // namespace eigenveil
