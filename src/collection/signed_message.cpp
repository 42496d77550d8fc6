#include "collection/signed_message.hpp"

#include <fmt/format.h>

namespace eigenveil::detail {
namespace {

std::string text_to_sign(std::string_view kind, const Json& message) {
  return fmt::format("eigenveil message 1 {}\n{}", kind, message.dump());
}

}  // namespace

std::string signed_message(const SigningKey& key, std::string_view kind, const Json& message) {
  return Json{{"message", message}, {"signature", key.sign(text_to_sign(kind, message))}}.dump();
}

Result<Json> verified_message(std::string_view text, std::string_view kind, const Study& study,
                              const std::string& public_key) {
  const std::string complaint =
      fmt::format("this is no signed {} of this study by the party that must send it", kind);
  return reading_fields<Json>(complaint.c_str(), [&]() -> Result<Json> {
    const Json json = Json::parse(text);
    const Json& message = json.at("message");
    const auto signature = json.at("signature").get<std::string>();
    // One text for one message: no other spelling of the same JSON or of the same digits.
    const bool canonical =
        json.dump() == text && signature.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!canonical || !signature_holds(public_key, text_to_sign(kind, message), signature) ||
        message.at("study").get<std::string>() != hex(study.digest)) {
      return bad_request(complaint);
    }
    return message;
  });
}

}  // namespace eigenveil::detail
