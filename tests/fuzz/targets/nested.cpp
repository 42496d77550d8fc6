#include "collection/noisy_sum.hpp"
#include "collection/signed_message.hpp"
#include "core/outside_json.hpp"
#include "tests/fuzz/blob_files.hpp"

namespace {

std::string repeated(std::string_view unit, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count && text.size() < (std::size_t{1} << 20); ++i) {
    text += unit;
  }
  return text;
}

}  // namespace

/// JSON of any depth, which mutation alone does not reach: two bytes say how often the first line
/// stands before the second, and the third behind it. Also as a message whose signature holds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eigenveil;  // NOLINT(google-build-using-namespace)
  const std::string_view all = fuzz::as_text(data, size);
  if (size < 2) {
    return 0;
  }
  const std::size_t count = 256U * data[0] + data[1];
  const std::size_t first = all.find('\n', 2);
  const std::size_t second = first == std::string_view::npos ? first : all.find('\n', first + 1);
  if (second == std::string_view::npos) {
    return 0;
  }
  const std::string text = repeated(all.substr(2, first - 2), count) +
                           std::string(all.substr(first + 1, second - first - 1)) +
                           repeated(all.substr(second + 1), count);
  const nlohmann::ordered_json json = json_from_outside(text);
  if (!json.is_discarded()) {
    const nlohmann::ordered_json copy = json;  // copies, compares and writes: all recurse
    if (copy != json || json_from_outside(copy.dump()) != json) {
      __builtin_trap();
    }
  }
  (void)study_from_json(text);
  (void)manifest_from_json(text);
  (void)card_from_json(text);
  static const SigningKey key = SigningKey::make();
  static const Study study;
  const std::string sound = "{\"message\":" + text + ",\"signature\":\"" +
                            key.sign("eigenveil message 1 proposal\n" + text) + "\"}";
  (void)detail::verified_message(sound, "proposal", study, key.public_part());
  return 0;
}
