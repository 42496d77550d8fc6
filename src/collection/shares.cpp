#include "collection/shares.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/bytes.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kEntryBytes = 16;

UInt128 entry_at(const char* bytes) {
  UInt128 value = 0;
  for (std::size_t i = kEntryBytes; i-- > 0;) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

ShareVector entries_of(std::string_view bytes) {
  ShareVector share(bytes.size() / kEntryBytes);
  for (std::size_t i = 0; i < share.size(); ++i) {
    share[i] = entry_at(bytes.data() + i * kEntryBytes);
  }
  return share;
}

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

}  // namespace

ShareVector expand(const ShareSeed& seed, std::size_t entries) {
  const std::unique_ptr<EVP_CIPHER_CTX, FreeCipher> context(EVP_CIPHER_CTX_new());
  const std::array<unsigned char, 16> counter = {};
  std::string stream(entries * kEntryBytes, '\0');  // encrypting zeros gives the key stream
  auto* bytes = reinterpret_cast<unsigned char*>(stream.data());
  int length = 0;
  if (!context ||
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_ctr(), nullptr, seed.data(), counter.data()) !=
          1 ||
      EVP_EncryptUpdate(context.get(), bytes, &length, bytes, static_cast<int>(stream.size())) !=
          1) {
    std::abort();  // a share of zeros would give the row away
  }
  return entries_of(stream);
}

void add_to(ShareVector& sum, const ShareVector& share) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += share[i];
  }
}

ShareVector difference(std::span<const Int128> values, const ShareVector& share) {
  ShareVector rest(values.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i] = static_cast<UInt128>(values[i]) - share[i];
  }
  return rest;
}

std::vector<Int128> as_signed(const ShareVector& share) {
  return {share.begin(), share.end()};
}

std::string share_bytes(const ShareVector& share) {
  ByteWriter bytes;
  bytes.reserve(share.size() * kEntryBytes);
  for (const UInt128 entry : share) {
    bytes.wide(static_cast<Int128>(entry));
  }
  return std::move(bytes).take();
}

Result<ShareVector> share_from_bytes(std::string_view bytes, std::size_t entries) {
  if (bytes.size() != entries * kEntryBytes) {
    return bad_request(fmt::format("a share must have {} entries of 16 bytes", entries));
  }
  return entries_of(bytes);
}

std::vector<Int128> outer_triangle(std::span<const std::int64_t> row) {
  std::vector<Int128> triangle;
  triangle.reserve(triangle_size(row.size()));
  for (std::size_t column = 0; column < row.size(); ++column) {
    for (std::size_t i = 0; i <= column; ++i) {
      triangle.push_back(Int128{row[i]} * row[column]);
    }
  }
  return triangle;
}

}  // namespace eigenveil
