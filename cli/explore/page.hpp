#pragma once

#include <string>
#include <string_view>

namespace eigenveil::cli {

/// The files of cli/explore/page, embedded when the program was built.
std::string_view page_html();
std::string_view page_css();
std::string_view page_script();

/// The page's style with that of the pictures, and its body with their shapes.
std::string whole_style();
std::string whole_page();

/// A script or style as a content policy allows it: this text and no other.
std::string allowed(std::string_view text);
/// All styles of a page that carries its own.
std::string allowed_style(std::string_view page);

}  // namespace eigenveil::cli
