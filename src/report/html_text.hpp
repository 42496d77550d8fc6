#pragma once

#include <string>
#include <string_view>

namespace eigenveil {

/// Text made safe as content or attribute of XML and HTML. Names come from other people's files:
/// markup is escaped; bytes that are not UTF-8, control characters and characters that reorder
/// text (bidirectional overrides) become U+FFFD.
std::string escape_markup(std::string_view text);

/// `text` as UTF-8 with the same replacements, not escaped.
std::string printable_text(std::string_view text);

}  // namespace eigenveil
