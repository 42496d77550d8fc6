#include "collection/token_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sodium.h>

#include <algorithm>

namespace eigenveil {
namespace {

constexpr std::string_view kTokenListHead = "eigenveil tokens 2\n";

std::string head_of(const Study& study) {
  return fmt::format("{}study {}\n", kTokenListHead, hex(study.digest));
}

std::string token_lines(const Study& study, Role role, const std::vector<InvitationCode>& codes) {
  std::vector<std::string> lines;
  for (const InvitationCode& code : codes) {
    const Digest hash = token_hash(study.digest, token_for(role, study.digest, code));
    lines.push_back(fmt::format("{} {}\n", name_of(role), hex(hash)));
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ""));
}

}  // namespace

std::vector<InvitationCode> draw_codes(std::size_t count) {
  std::vector<InvitationCode> codes(count);
  for (InvitationCode& code : codes) {
    randombytes_buf(code.bytes.data(), code.bytes.size());
  }
  return codes;
}

std::string token_list(const Study& study, const std::vector<InvitationCode>& codes,
                       const SigningKey& issuer) {
  const std::string lines =
      head_of(study) + token_lines(study, Role::A, codes) + token_lines(study, Role::B, codes);
  return lines + "signature " + issuer.sign(lines) + "\n";
}

Result<std::vector<Digest>> read_token_list(const Study& study, Role role, std::string_view text) {
  constexpr const char* kComplaint =
      "this is no list of tokens for this study, or the issuer of the study did not sign it";
  constexpr std::size_t kName = 2;  // "a "
  constexpr std::size_t kLine = kName + 2 * sizeof(Digest) + 1;
  const std::string head = head_of(study);
  const std::size_t signature = text.rfind("signature ");
  if (!text.starts_with(head) || signature == std::string_view::npos || signature < head.size() ||
      (signature - head.size()) % kLine != 0 || !text.ends_with('\n')) {
    return bad_request(kComplaint);
  }
  const std::string_view signed_part = text.substr(0, signature);
  const std::string_view written = text.substr(signature + 10);
  if (!signature_holds(study.manifest.issuer_key, signed_part,
                       std::string(written.substr(0, written.size() - 1)))) {
    return bad_request(kComplaint);
  }
  std::vector<Digest> hashes;
  for (std::size_t at = head.size(); at < signature; at += kLine) {
    const auto bytes = from_hex(text.substr(at + kName, 2 * sizeof(Digest)), sizeof(Digest));
    if (!bytes) {
      return bad_request(kComplaint);
    }
    if (!text.substr(at).starts_with(name_of(role))) {
      continue;  // for the other aggregator
    }
    std::copy_n(bytes->begin(), sizeof(Digest), hashes.emplace_back().begin());
  }
  return hashes;
}

}  // namespace eigenveil
