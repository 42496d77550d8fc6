#pragma once

#include <string_view>

namespace eigenveil {

bool is_utf8(std::string_view text);

/// Valid UTF-8 without control characters: what a name must be to stand in a document or message.
bool is_plain_text(std::string_view text);

}  // namespace eigenveil
