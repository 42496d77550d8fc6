#include <charconv>

#include "cli/commands/commands.hpp"
#include "cli/options/counts_options.hpp"
#include "cli/options/scores_options.hpp"

namespace eigenveil::cli {
namespace {

/// `scores INPUT --on release.json`: the picture everyone makes.
struct ScoresCommand {
  CountsOptions counts;
  std::string on;
  std::string axes = "1,2";
  ScoresOptions picture;
  std::string labels;

  void declare(CLI::App& app) {
    counts.declare(app);
    app.add_option("--on", on, "a release of components: its loadings are the axes")
        ->required()
        ->group("Scores");
    app.add_option("--axes", axes, "two components, across and up (default 1,2)")->group("Scores");
    picture.declare(app);
    app.add_option("--labels", labels,
                   "of .bed, .npy or .idx: a CSV or TSV file with the column of --label, one line "
                   "per row, or with people as the .fam file names them in its first column")
        ->group("Scores");
  }

  Result<AskedScores> asked() const {
    AskedScores asked;
    asked.on = on;
    asked.labels = labels;
    const std::size_t comma = axes.find(',');
    const char* end = axes.data() + axes.size();
    if (comma == std::string::npos ||
        std::from_chars(axes.data(), axes.data() + comma, asked.axes[0]).ptr !=
            axes.data() + comma ||
        std::from_chars(axes.data() + comma + 1, end, asked.axes[1]).ptr != end) {
      return bad_request("--axes is written A,B, for example --axes 1,2");
    }
    return picture.fill(asked).map([&] { return asked; });
  }

  Outcome run() const {
    return asked().and_then([&](AskedScores what) { return counts.run(std::move(what)); });
  }
};

}  // namespace

Command scores_command() {
  return command_of<ScoresCommand>(
      "scores",
      "People on two released components, as a noisy 2-D histogram.\n"
      "  eigenveil scores survey.csv --on out/release.json --axes 1,2 --mu 1 --out picture/");
}

}  // namespace eigenveil::cli
