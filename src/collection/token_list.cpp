#include "collection/token_list.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>

namespace eigenveil {
namespace {

constexpr std::string_view kTokenListHead = "eigenveil tokens 1\n";

std::string token_lines(const Study& study, const std::vector<Digest>& hashes) {
  std::string text = fmt::format("{}study {}\n", kTokenListHead, hex(study.digest));
  for (const Digest& hash : hashes) {
    text += hex(hash) + "\n";
  }
  return text;
}

}  // namespace

std::vector<Token> draw_tokens(std::size_t count) {
  std::vector<Token> tokens(count);
  for (Token& token : tokens) {
    randombytes_buf(token.data(), token.size());
  }
  return tokens;
}

std::string token_list(const Study& study, const std::vector<Token>& tokens,
                       const SigningKey& collector) {
  std::vector<Digest> hashes;
  for (const Token& token : tokens) {
    hashes.push_back(token_hash(study.digest, token));
  }
  std::sort(hashes.begin(), hashes.end());
  const std::string lines = token_lines(study, hashes);
  return lines + "signature " + collector.sign(lines) + "\n";
}

Result<std::vector<Digest>> read_token_list(const Study& study, std::string_view text) {
  constexpr const char* kComplaint =
      "this is no list of tokens for this study, or the collector of the study did not sign it";
  constexpr std::size_t kLine = 2 * sizeof(Digest) + 1;
  const std::string head = token_lines(study, {});
  const std::size_t signature = text.rfind("signature ");
  if (!text.starts_with(head) || signature == std::string_view::npos || signature < head.size() ||
      (signature - head.size()) % kLine != 0 || !text.ends_with('\n')) {
    return bad_request(kComplaint);
  }
  const std::string_view signed_part = text.substr(0, signature);
  const std::string_view written = text.substr(signature + 10);
  if (!signature_holds(study.manifest.collector_key, signed_part,
                       std::string(written.substr(0, written.size() - 1)))) {
    return bad_request(kComplaint);
  }
  std::vector<Digest> hashes;
  for (std::size_t at = head.size(); at < signature; at += kLine) {
    const auto bytes = from_hex(text.substr(at, kLine - 1), sizeof(Digest));
    if (!bytes) {
      return bad_request(kComplaint);
    }
    std::copy_n(bytes->begin(), sizeof(Digest), hashes.emplace_back().begin());
  }
  return hashes;
}

}  // namespace eigenveil
