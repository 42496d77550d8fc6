#include "collection/participant.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>

#include "mechanism/gauss/integer_noise.hpp"

namespace eigenveil {
namespace {

template <class Bytes>
Bytes drawn(RandomStream& stream) {
  static_assert(sizeof(Bytes) % sizeof(std::uint64_t) == 0);
  std::array<std::uint64_t, sizeof(Bytes) / sizeof(std::uint64_t)> words = {};
  stream.fill(words);
  Bytes bytes = {};
  std::memcpy(bytes.data(), words.data(), sizeof(bytes));
  sodium_memzero(words.data(), sizeof(words));
  return bytes;
}

Result<std::string> sealed_half(const Study& study, Role role, const ReportId& id,
                                const InvitationCode& code, const std::string& plaintext) {
  const auto key = from_hex(study.manifest.card(role).sealing_key, hpke::kKeyBytes);
  hpke::PublicKey receiver = {};
  std::copy_n(key->begin(), receiver.size(), receiver.begin());
  const ReportMessage head{role, study.digest, id, token_for(role, study.digest, code), {}};
  const std::string info = study.sealing_info(role);
  const std::string associated = head.associated();
  return hpke::seal(receiver, {info, associated}, plaintext).map([&](const std::string& sealed) {
    return encode(head) + sealed;
  });
}

}  // namespace

std::vector<std::int64_t> grid_row(const Manifest& manifest, const CollectionPlan& plan,
                                   std::span<const double> cells, RandomStream& noise) {
  const BoundedRows bounded = BoundedRows::clip(plan.bound, cells.data(), 1);
  std::vector<std::int64_t> row = {manifest.constant};
  for (const double value : bounded.values()) {
    row.push_back(static_cast<std::int64_t>(value));
  }
  if (manifest.noise == NoiseMode::Participants) {
    const std::vector<std::int64_t> added =
        gaussian_cell_noise(row.size(), static_cast<double>(manifest.cell_sigma), noise);
    std::transform(row.begin(), row.end(), added.begin(), row.begin(), std::plus<>());
  }
  return row;
}

Result<SealedReport> seal_row(const Study& study, const CollectionPlan& plan,
                              const InvitationCode& code, std::span<const double> cells,
                              RandomStream& stream) {
  const Manifest& manifest = study.manifest;
  if (cells.size() != manifest.columns.size()) {
    return bad_request(
        fmt::format("the study has {} columns, the row {}", manifest.columns.size(), cells.size()));
  }
  const std::vector<Int128> triangle = outer_triangle(grid_row(manifest, plan, cells, stream));
  const auto seed = drawn<ShareSeed>(stream);
  const std::string payload_a(view_of(seed));
  const std::string payload_b = share_bytes(difference(triangle, expand(seed, triangle.size())));
  const auto blind_a = drawn<Digest>(stream);
  const auto blind_b = drawn<Digest>(stream);
  const Digest half_a = half_commitment(Role::A, blind_a, payload_a);
  const Digest half_b = half_commitment(Role::B, blind_b, payload_b);

  const auto id = drawn<ReportId>(stream);
  Result<std::string> to_a =
      sealed_half(study, Role::A, id, code, sealed_plaintext({blind_a, half_b}, payload_a));
  Result<std::string> to_b =
      sealed_half(study, Role::B, id, code, sealed_plaintext({blind_b, half_a}, payload_b));
  if (!to_a || !to_b) {
    return error_of(to_a ? to_b : to_a);
  }
  return SealedReport{id, std::move(*to_a), std::move(*to_b)};
}

}  // namespace eigenveil
