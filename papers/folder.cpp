#include "papers/folder.hpp"

#include <fmt/format.h>

#include <boost/version.hpp>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/atomic_output.hpp"
#include "eigenveil/core/version.hpp"
#include "papers/citation.hpp"
#include "papers/figure_files.hpp"
#include "papers/page.hpp"
#include "report/table_format.hpp"

namespace eigenveil::papers {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    line += csv_field(cell) + ",";
  }
  line.back() = '\n';
  return line;
}

std::string csv_text(const PrintedTable& table) {
  std::string text = csv_line(table.header);
  for (const std::vector<std::string>& row : table.rows) {
    text += csv_line(row);
  }
  return text;
}

std::string comparisons_csv(const Reproduction& result) {
  std::string text = "what,paper,ours,agrees\n";
  for (const Comparison& line : result.comparisons) {
    text += csv_line({line.what, line.paper, line.ours, line.agrees ? "yes" : "no"});
  }
  return text;
}

std::string parameters_json(const Entry& entry, Effort effort, const Reproduction& result) {
  Json parameters = Json::object();
  for (const auto& [name, value] : result.parameters) {
    std::visit([&, &key = name](const auto& held) { parameters[key] = held; }, value);
  }
  const Json document{{"id", entry.id},
                      {"source", cited_place(entry.id, entry.place)},
                      {"effort", effort == Effort::Full ? "full" : "quick"},
                      {"seed", entry_seed(entry.id)},
                      {"parameters", parameters},
                      {"agreeing", result.agreeing()},
                      {"compared", result.comparisons.size()},
                      {"versions",
                       {{"eigenveil", kVersion},
                        {"compiler", __VERSION__},
                        {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                                              EIGEN_MINOR_VERSION)},
                        {"boost", BOOST_LIB_VERSION}}}};
  return document.dump(2) + "\n";
}

Result<void> write_figures(const Reproduction& result, const fs::path& folder,
                           std::string& missing) {
  Result<void> done;
  for (const NamedFigure& named : result.figures) {
    done = done.and_then([&] { return write_figure(named.figure, folder, named.name); });
    // A page is worth having on machines without the renderer.
    if (done && missing.empty()) {
      const Result<void> drawn = write_png(named.figure, folder, named.name);
      missing = drawn ? "" : drawn.error().message;
    }
  }
  return done;
}

}  // namespace

Result<WrittenFolder> write_entry_folder(const Entry& entry, Effort effort,
                                         const Reproduction& result, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return input_output_error(
        fmt::format("cannot create {}: {}", folder.string(), error.message()));
  }
  WrittenFolder written{folder, ""};
  Result<void> done = write_figures(result, folder, written.png_missing);
  for (const PrintedTable& table : result.tables) {
    done = done.and_then(
        [&] { return write_file_atomically(folder / (table.name + ".csv"), csv_text(table)); });
  }
  return done
      .and_then([&] {
        return write_file_atomically(folder / "comparisons.csv", comparisons_csv(result));
      })
      .and_then([&] {
        return write_file_atomically(folder / "parameters.json",
                                     parameters_json(entry, effort, result));
      })
      .and_then(
          [&] { return write_file_atomically(folder / "index.html", entry_page(entry, result)); })
      .map([&] { return written; });
}

}  // namespace eigenveil::papers
