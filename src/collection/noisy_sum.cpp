#include "collection/noisy_sum.hpp"

#include <algorithm>

#include "collection/signed_message.hpp"

namespace eigenveil {

Digest set_hash(std::vector<ListedReport> members) {
  std::sort(members.begin(), members.end());
  Sha256 hash;
  hash.update("eigenveil set 1 ");
  for (const ListedReport& member : members) {
    hash.update(view_of(member.id));
    hash.update(view_of(member.commitment));
  }
  return hash.finish();
}

std::string to_json(const NoisySum& sum, const Study& study, const SigningKey& key) {
  return detail::signed_message(key, "noisy sum",
                                {{"eigenveil_sum", 1},
                                 {"study", hex(study.digest)},
                                 {"role", name_of(sum.role)},
                                 {"set", hex(sum.set)},
                                 {"reports", sum.reports},
                                 {"secure_random", sum.secure_random},
                                 {"sum", to_hex(share_bytes(sum.sum))}});
}

Result<NoisySum> sum_from_json(std::string_view text, const Study& study) {
  constexpr const char* kComplaint =
      "this is no noisy sum of this study, or its aggregator did not sign it";
  return detail::reading_fields<NoisySum>(kComplaint, [&]() -> Result<NoisySum> {
    Role role = Role::A;
    Result<detail::Json> message =
        detail::verified_message(text, "noisy sum", study, study.manifest.a.signing_key);
    if (!message) {
      role = Role::B;
      message = detail::verified_message(text, "noisy sum", study, study.manifest.b.signing_key);
    }
    if (!message || message->at("role").get<std::string>() != name_of(role)) {
      return bad_request(kComplaint);
    }
    const std::size_t bytes = 16 * study.manifest.entries();
    const auto set = from_hex(message->at("set").get<std::string>(), sizeof(Digest));
    const auto entries = from_hex(message->at("sum").get<std::string>(), bytes);
    if (!set || !entries || message->at("eigenveil_sum").get<int>() != 1) {
      return bad_request(kComplaint);
    }
    NoisySum sum;
    sum.role = role;
    std::copy_n(set->begin(), sizeof(Digest), sum.set.begin());
    sum.reports = message->at("reports").get<std::uint64_t>();
    sum.secure_random = message->at("secure_random").get<bool>();
    return share_from_bytes(*entries, study.manifest.entries()).map([&](ShareVector&& share) {
      sum.sum = std::move(share);
      return sum;
    });
  });
}

Result<CollectedGram> merge_sums(const Study& study, const NoisySum& a, const NoisySum& b) {
  if (a.role != Role::A || b.role != Role::B) {
    return bad_request("a merge needs the sum of aggregator a and that of aggregator b");
  }
  if (a.set != b.set || a.reports != b.reports) {
    return bad_request(
        "the two sums are of different sets of reports: added up they are noise, and one of the "
        "aggregators did not keep to the protocol");
  }
  if (a.reports < static_cast<std::uint64_t>(study.manifest.minimum_batch)) {
    return bad_request("the sums hold fewer reports than the study's minimum");
  }
  ShareVector total = a.sum;
  add_to(total, b.sum);
  return CollectedGram{a.reports, a.set, a.secure_random && b.secure_random, as_signed(total)};
}

}  // namespace eigenveil
