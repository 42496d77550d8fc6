#include "core/keyed_hash.hpp"

#include <sodium.h>

namespace eigenveil {

std::array<std::uint64_t, 2> keyed_hash(const HashKey& key, std::string_view text) {
  std::array<std::uint64_t, 2> hash{};
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), sizeof(hash),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), key.data(),
                     key.size());
  return hash;
}

}  // namespace eigenveil
