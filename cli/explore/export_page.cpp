#include "cli/explore/export_page.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/explore/look.hpp"
#include "cli/explore/page.hpp"

namespace eigenveil::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kBudgets = {0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0};

/// Inside of a script element nothing may look like its end.
std::string in_script(const Json& json) {
  std::string text = json.dump();
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

void replace_once(std::string& page, std::string_view what, const std::string& by) {
  page.replace(page.find(what), what.size(), by);
}

}  // namespace

Result<std::string> exported_page(const std::string& question, const ExploreSource& source) {
  Json asked = Json::parse(question);
  Json data = {{"question", asked}, {"looks", Json::object()}, {"methods", Json::object()}};
  const Result<std::string> rails = rails_json(question, source);
  if (!rails) {
    return error_of(rails);
  }
  data["rails"] = Json::parse(*rails);
  for (const double epsilon : kBudgets) {
    asked["epsilon"] = epsilon;
    const std::string key = Json(epsilon).dump();
    const Result<std::string> look = look_json(asked.dump(), source);
    const Result<std::string> methods = methods_json(asked.dump(), source);
    if (!look || !methods) {
      return error_of(look ? methods : look);
    }
    Json shown = Json::parse(*look);
    for (int component = 0; component < shown.value("hoped", 0); ++component) {
      asked["component"] = component;
      const Result<std::string> one = look_json(asked.dump(), source);
      if (!one) {
        return error_of(one);
      }
      const Json part = Json::parse(*one);
      shown["by_component"].push_back({{"scree", part.value("scree", "")},
                                       {"weights", part.value("weights", "")},
                                       {"weight_reach", part.value("weight_reach", 0.0)}});
    }
    asked.erase("component");
    asked["risk"] = "alarms";
    const Result<std::string> alarms = look_json(asked.dump(), source);
    shown["alarms"] = Json::parse(*alarms)["risk"];
    asked.erase("risk");
    if (shown.contains("by_component")) {  // these are those of the first component once more
      shown.erase("scree");
      shown.erase("weights");
    }
    if (shown.contains("maps") && shown["maps"].is_object()) {  // the same at every budget
      data["before"] = shown["maps"]["before"];
      shown["maps"].erase("before");
    }
    data["looks"][key] = std::move(shown);
    data["methods"][key] = Json::parse(*methods);
  }
  const std::string style = whole_style();
  const std::string grid = "const EXPORTED = " + in_script(data) + ";";
  const std::string script(page_script());
  std::string page = whole_page();
  replace_once(page, "<link rel=\"stylesheet\" href=\"/explore.css\">",
               fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                           "'none'; script-src {} {}; style-src {}\">\n<style>{}</style>",
                           allowed(grid), allowed(script), allowed(style), style));
  replace_once(page, "<script src=\"/explore.js\" defer></script>", "");
  replace_once(page, "</body>",
               fmt::format("<script>{}</script>\n<script>{}</script>\n</body>", grid, script));
  return page;
}

}  // namespace eigenveil::cli
