#pragma once

#include <array>
#include <string>
#include <string_view>

#include "collection/shares.hpp"
#include "collection/study.hpp"

namespace eigenveil {

using ReportId = std::array<unsigned char, 16>;  ///< drawn by the participant, public

/// What a person gets with the invitation: one-time, from the issuer. Leaves the participant's
/// machine only as the two tokens made of it.
struct InvitationCode {
  std::array<unsigned char, 16> bytes = {};
};

/// What one aggregator gets to see of a code. Each has its own: an aggregator that knew the other's
/// could report in the person's name there, and leave one row alone among rows it made up.
using Token = std::array<unsigned char, 16>;

template <std::size_t N>
std::string_view view_of(const std::array<unsigned char, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), N};
}

/// What travels to one aggregator. Everything but the sealed part is public to whoever carries it.
///   "EVR2" role study(32) id(16) token(16) sealed
struct ReportMessage {
  Role role = Role::A;
  Digest study = {};
  ReportId id = {};
  Token token = {};
  std::string sealed;

  /// HPKE's associated data.
  std::string associated() const { return std::string(view_of(id)) + std::string(view_of(token)); }
};
std::string encode(const ReportMessage& message);
Result<ReportMessage> decode_report(std::string_view bytes);

/// The size of a message to an aggregator: the same for every row.
std::size_t report_bytes(const Manifest& manifest, Role role);

/// Hides the two shares from each other and binds them: an aggregator opens its own half and sees
/// the hash of the other one. Without `blind` A, who knows what to subtract, could try rows until
/// the hash of B's share fits.
struct Commitment {
  Digest blind = {};   ///< of the own half, drawn
  Digest others = {};  ///< hash of the other half
};
Digest half_commitment(Role role, const Digest& blind, std::string_view payload);
/// The same for both aggregators exactly if both halves come from one report.
Digest joint_commitment(const ReportId& id, const Digest& half_a, const Digest& half_b);

/// What is sealed: blind, hash of the other half, then the seed (A) or the share (B).
struct OpenedReport {
  std::string payload;
  Digest commitment = {};  ///< joint
};
std::string sealed_plaintext(const Commitment& commitment, std::string_view payload);
/// Of a plaintext of the size this study has.
Result<OpenedReport> read_plaintext(const Manifest& manifest, Role role, const ReportId& id,
                                    std::string_view plaintext);
/// The share of an opened report.
Result<ShareVector> share_of(const Manifest& manifest, Role role, std::string_view payload);

/// The first 16 bytes of SHA-256("eigenveil token 2 ", study, code, role).
Token token_for(Role role, const Digest& study, const InvitationCode& code);
/// Shown to nobody, kept by an aggregator instead of the token.
Digest token_hash(const Digest& study, const Token& token);

}  // namespace eigenveil
