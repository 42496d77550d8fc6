#pragma once

#include <string_view>

namespace eigenveil {

/// UTF-8 without control characters: safe to print on a terminal and to write into JSON.
bool is_plain_text(std::string_view text);

}  // namespace eigenveil
