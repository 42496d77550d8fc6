#include <nlohmann/json.hpp>

#include "eigenveil/core/digest.hpp"
#include "report/explain.hpp"
#include "tests/fuzz/blob_files.hpp"

/// A document as it is, and once more with its checksum put right and no arrays beside it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil::fuzz;  // NOLINT(google-build-using-namespace)
  const std::string_view text = as_text(data, size);
  (void)eigenveil::explain_release(write_blob("release.json", text));
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_object()) {
    json.erase("checksum");
    if (json.contains("result") && json["result"].is_object()) {
      json["result"]["arrays"] = nlohmann::ordered_json::array();
    }
    try {
      json["checksum"] = eigenveil::hex(eigenveil::sha256(json.dump()));
    } catch (const nlohmann::ordered_json::exception&) {
      return 0;  // text that is no UTF-8 has no checksum
    }
    (void)eigenveil::explain_release(write_blob("release.json", json.dump()));
  }
  return 0;
}
