#include "cli/explore/page.hpp"

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

}  // namespace eigenveil::cli
