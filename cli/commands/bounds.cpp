#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/input_options.hpp"
#include "core/atomic_output.hpp"
#include "report/table_format.hpp"

namespace eigenveil::cli {
namespace {

struct BoundsTemplate {
  InputOptions input;
  std::string out;

  /// Names only: a range filled in from the data would leak.
  Outcome run() const {
    const Result<std::unique_ptr<RowReader>> reader = input.open();
    if (!reader) {
      return error_of(reader);
    }
    std::string text = "column,low,high\n";
    for (const std::string& column : (*reader)->schema().columns) {
      text += csv_field(column) + ",,\n";
    }
    if (out.empty()) {
      fmt::print("{}", text);
      return {};
    }
    return check_new_file(out).and_then([&] { return write_file_atomically(out, text); }).map([&] {
      fmt::print("wrote {0}: fill in low and high from public knowledge, then give --bounds {0}\n",
                 out);
    });
  }
};

}  // namespace

Command bounds_command() {
  return {"bounds",
          "Writes a bounds file to fill in: one line per column, no numbers from the data.\n"
          "  eigenveil bounds template survey.csv --out bounds.csv",
          [](CLI::App& app) {
            auto options = std::make_shared<BoundsTemplate>();
            app.require_subcommand(1);
            CLI::App* child = app.add_subcommand("template", "column names with empty ranges");
            options->input.declare(*child);
            child->add_option("--out", options->out, "file to write (default: standard output)");
            return [options] { return options->run(); };
          }};
}

}  // namespace eigenveil::cli
