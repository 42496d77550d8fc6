#include "collection/noisy_sum.hpp"
#include "collection/report_message.hpp"
#include "collection/signed_message.hpp"
#include "collection/token_list.hpp"
#include "tests/fuzz/blob_files.hpp"

namespace {

/// A study of two columns, the same in every run.
const eigenveil::Study& study() {
  static const eigenveil::Study made = [] {
    eigenveil::Manifest manifest;
    manifest.id = std::string(32, '0');
    manifest.title = "fuzzed";
    manifest.columns = {{"a", 0.0, 1.0, ""}, {"b", -1.0, 1.0, ""}};
    manifest.max_abs = 1024;
    manifest.constant = 512;
    manifest.minimum_batch = 2;
    manifest.deadline = "2099-01-01T00:00:00Z";
    manifest.collector_key = std::string(64, '1');
    manifest.issuer_key = manifest.collector_key;
    manifest.a = {eigenveil::Role::A, "https://a", std::string(64, '2'), std::string(64, '3')};
    manifest.b = {eigenveil::Role::B, "https://b", std::string(64, '4'), std::string(64, '5')};
    return eigenveil::Study::of(manifest);
  }();
  return made;
}

}  // namespace

/// Everything that comes from strangers in a collection, each reader on the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil;  // NOLINT(google-build-using-namespace)
  const std::string text(fuzz::as_text(data, size));
  if (const Result<ReportMessage> message = decode_report(text)) {
    if (encode(*message) != text) {
      __builtin_trap();
    }
  }
  for (const Role role : {Role::A, Role::B}) {
    if (const auto opened = read_plaintext(study().manifest, role, {}, text)) {
      (void)share_of(study().manifest, role, opened->payload).value();
    }
  }
  if (const Result<Study> read = study_from_json(text)) {
    if (study_from_json(to_json(*read))->text != read->text) {
      __builtin_trap();
    }
  }
  (void)manifest_from_json(text);
  (void)card_from_json(text);
  (void)read_token_list(study(), Role::A, text);
  (void)sum_from_json(text, study());
  (void)detail::verified_message(text, "proposal", study(), study().manifest.a.signing_key);
  return 0;
}
