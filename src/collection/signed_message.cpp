#include "collection/signed_message.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/outside_json.hpp"

namespace eigenveil::detail {
namespace {

std::string text_to_sign(std::string_view kind, std::string_view message) {
  return fmt::format("eigenveil message 1 {}\n{}", kind, message);
}

constexpr std::string_view kHead = "{\"message\":";
constexpr std::string_view kMiddle = ",\"signature\":\"";
constexpr std::string_view kTail = "\"}";
constexpr std::size_t kSignatureDigits = 128;

/// The message and its signature as they stand in the text, which is not parsed for this: there is
/// one spelling, so that nothing is made of what a stranger sends before its signature holds.
struct SignedText {
  std::string_view message;
  std::string_view signature;
};
std::optional<SignedText> split_signed(std::string_view text) {
  constexpr std::size_t kAround = kHead.size() + kMiddle.size() + kSignatureDigits + kTail.size();
  if (text.size() < kAround) {
    return std::nullopt;
  }
  const SignedText parts{
      text.substr(kHead.size(), text.size() - kAround),
      text.substr(text.size() - kTail.size() - kSignatureDigits, kSignatureDigits)};
  const bool ours =
      parts.signature.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
      text == fmt::format("{}{}{}{}{}", kHead, parts.message, kMiddle, parts.signature, kTail);
  return ours ? std::optional(parts) : std::nullopt;
}

}  // namespace

std::string signed_message(const SigningKey& key, std::string_view kind, const Json& message) {
  const std::string text = message.dump();
  return fmt::format("{}{}{}{}{}", kHead, text, kMiddle, key.sign(text_to_sign(kind, text)), kTail);
}

Result<Json> verified_message(std::string_view text, std::string_view kind, const Study& study,
                              const std::string& public_key) {
  const std::string complaint =
      fmt::format("this is no signed {} of this study by the party that must send it", kind);
  const std::optional<SignedText> parts = split_signed(text);
  if (!parts || !signature_holds(public_key, text_to_sign(kind, parts->message),
                                 std::string(parts->signature))) {
    return bad_request(complaint);
  }
  return reading_fields<Json>(complaint.c_str(), [&]() -> Result<Json> {
    Json message = json_from_outside(parts->message);
    // One text for one message: no other spelling of the same JSON, even by its sender.
    if (message.at("study").get<std::string>() != hex(study.digest) ||
        message.dump() != parts->message) {
      return bad_request(complaint);
    }
    return message;
  });
}

}  // namespace eigenveil::detail
