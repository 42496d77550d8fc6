#include "collection/report_message.hpp"

#include <algorithm>

namespace eigenveil {
namespace {

constexpr std::string_view kMagic = "EVR2";
constexpr std::size_t kHeadBytes = 4 + 1 + 32 + 16 + 16;

std::size_t payload_bytes(const Manifest& manifest, Role role) {
  return role == Role::A ? sizeof(ShareSeed) : 16 * manifest.entries();
}

template <class Bytes>
void take(std::string_view& rest, Bytes& bytes) {
  std::copy_n(rest.begin(), bytes.size(), bytes.begin());
  rest.remove_prefix(bytes.size());
}

}  // namespace

std::string encode(const ReportMessage& message) {
  std::string bytes(kMagic);
  bytes += message.role == Role::A ? 'a' : 'b';
  bytes.append(view_of(message.study));
  bytes.append(view_of(message.id));
  bytes.append(view_of(message.token));
  return bytes + message.sealed;
}

Result<ReportMessage> decode_report(std::string_view bytes) {
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kMagic) ||
      (bytes[4] != 'a' && bytes[4] != 'b')) {
    return bad_request("this is no report");
  }
  ReportMessage message;
  message.role = bytes[4] == 'a' ? Role::A : Role::B;
  std::string_view rest = bytes.substr(5);
  take(rest, message.study);
  take(rest, message.id);
  take(rest, message.token);
  message.sealed = rest;
  return message;
}

std::size_t report_bytes(const Manifest& manifest, Role role) {
  return kHeadBytes + hpke::kEnclosureBytes + hpke::kTagBytes + 64 + payload_bytes(manifest, role);
}

Digest half_commitment(Role role, const Digest& blind, std::string_view payload) {
  Sha256 hash;
  hash.update("eigenveil half 1 ");
  hash.update(name_of(role));
  hash.update(view_of(blind));
  hash.update(payload);
  return hash.finish();
}

Digest joint_commitment(const ReportId& id, const Digest& half_a, const Digest& half_b) {
  Sha256 hash;
  hash.update("eigenveil report 1 ");
  hash.update(view_of(id));
  hash.update(view_of(half_a));
  hash.update(view_of(half_b));
  return hash.finish();
}

std::string sealed_plaintext(const Commitment& commitment, std::string_view payload) {
  return std::string(view_of(commitment.blind)) + std::string(view_of(commitment.others)) +
         std::string(payload);
}

Result<OpenedReport> read_plaintext(const Manifest& manifest, Role role, const ReportId& id,
                                    std::string_view plaintext) {
  Commitment commitment;
  if (plaintext.size() != 64 + payload_bytes(manifest, role)) {
    return bad_request("the sealed part of the report has not the size this study asks for");
  }
  std::string_view rest = plaintext;
  take(rest, commitment.blind);
  take(rest, commitment.others);
  const Digest own = half_commitment(role, commitment.blind, rest);
  return OpenedReport{std::string(rest), role == Role::A
                                             ? joint_commitment(id, own, commitment.others)
                                             : joint_commitment(id, commitment.others, own)};
}

Result<ShareVector> share_of(const Manifest& manifest, Role role, std::string_view payload) {
  if (role == Role::B) {
    return share_from_bytes(payload, manifest.entries());
  }
  ShareSeed seed = {};
  if (payload.size() != seed.size()) {
    return bad_request("a seed has 32 bytes");
  }
  std::copy_n(payload.begin(), seed.size(), seed.begin());
  return expand(seed, manifest.entries());
}

Token token_for(Role role, const Digest& study, const InvitationCode& code) {
  Sha256 hash;
  hash.update("eigenveil token 2 ");
  hash.update(view_of(study));
  hash.update(view_of(code.bytes));
  hash.update(name_of(role));
  const Digest digest = hash.finish();
  Token token = {};
  std::copy_n(digest.begin(), token.size(), token.begin());
  return token;
}

Digest token_hash(const Digest& study, const Token& token) {
  Sha256 hash;
  hash.update("eigenveil listed token 2 ");
  hash.update(view_of(study));
  hash.update(view_of(token));
  return hash.finish();
}

}  // namespace eigenveil
