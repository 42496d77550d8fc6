#include "cli/explore/page.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <array>

#include "eigenveil/core/digest.hpp"
#include "report/pictures.hpp"

namespace eigenveil::cli {

std::string whole_style() {
  return std::string(picture_style()) + std::string(page_css());
}

std::string whole_page() {
  constexpr std::string_view kShapes = "<!-- shapes -->";
  std::string page(page_html());
  page.replace(page.find(kShapes), kShapes.size(), picture_shapes());
  return page;
}

std::string allowed(std::string_view text) {
  const Digest digest = sha256(text);
  std::array<char, sodium_base64_ENCODED_LEN(32, sodium_base64_VARIANT_ORIGINAL)> base64{};
  sodium_bin2base64(base64.data(), base64.size(), digest.data(), digest.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  return fmt::format("'sha256-{}'", base64.data());
}

std::string allowed_style(std::string_view page) {
  constexpr std::string_view kBegin = "<style>";  // also in figures
  std::string all;
  for (std::size_t at = page.find(kBegin); at != page.npos; at = page.find(kBegin, at)) {
    at += kBegin.size();
    all += (all.empty() ? "" : " ") + allowed(page.substr(at, page.find("</style>", at) - at));
  }
  return all.empty() ? "'none'" : all;
}

}  // namespace eigenveil::cli
