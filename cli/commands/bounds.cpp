#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/bound_options.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/counts_options.hpp"
#include "core/atomic_output.hpp"
#include "report/table_format.hpp"

namespace eigenveil::cli {
namespace {

struct BoundsTemplate {
  InputOptions input;
  std::string out;

  void declare(CLI::App& app) {
    input.declare(app);
    app.add_option("--out", out, "file to write (default: standard output)");
  }

  /// Names only: a range filled in from the data would leak.
  Outcome run() const {
    const Result<std::unique_ptr<RowReader>> reader =
        input.source().and_then([](const TableSource& table) { return table.read(); });
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

/// Ranges from a noisy histogram of every column, with a guarantee of their own.
struct BoundsPrivate {
  CountsOptions counts;
  BoundOptions bounds;
  std::string row_norm;
  double outside = 0.001;
  std::string outer;

  void declare(CLI::App& app) {
    counts.declare(app);
    app.add_option("--outside", outside,
                   "share of the rows that a range may leave out, about (default 0.001)")
        ->group("Bounds");
    app.add_option("--outer", outer,
                   "LO:HI, a public range for columns that noise hides; without it their line in "
                   "bounds.csv stays empty, to be filled in")
        ->group("Bounds");
    app.add_option(
           "--row-norm", row_norm,
           "private: one norm for all rows instead of a range for each column, after "
           "--range or --bounds in scaled units. Noise falls with the square of the norm: "
           "at a tenth of mu it costs half a per cent of noise, and pays where few rows are "
           "longer than a fraction of what the ranges allow")
        ->check(one_of({"private"}))
        ->group("Bounds");
    app.add_option("--range", bounds.range, "with --row-norm: LO:HI, the public range of columns")
        ->group("Bounds");
    app.add_option("--bounds", bounds.bounds_file,
                   "with --row-norm: CSV file column,low,high with a range for each column")
        ->group("Bounds");
  }

  Outcome run() const {
    AskedBounds asked{outside, {}, !row_norm.empty()};
    if (!outer.empty()) {
      const Result<ColumnRange> range = parse_range(outer, "--outer");
      if (!range) {
        return error_of(range);
      }
      asked.outer = *range;
    }
    TableSpec known;
    return bounds.fill(known).and_then([&] { return counts.run(asked, std::move(known)); });
  }
};

}  // namespace

Command bounds_command() {
  return command_group(
      "bounds",
      "A bounds file to fill in (no numbers from the data), or one from noisy histograms.\n"
      "  eigenveil bounds template survey.csv --out bounds.csv\n"
      "  eigenveil bounds private survey.csv --mu 0.2 --out found/",
      {command_of<BoundsPrivate>(
           "private", "ranges from noisy histograms, for columns whose bounds nobody knows"),
       command_of<BoundsTemplate>("template", "column names with empty ranges")});
}

}  // namespace eigenveil::cli
