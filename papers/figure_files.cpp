#include "papers/figure_files.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/atomic_output.hpp"

namespace eigenveil::papers {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoRenderer =
    "PNG needs the program rsvg-convert, which is not installed (Debian: apt-get install "
    "librsvg2-bin); the figure as SVG needs nothing";

/// Waits for a program found on the PATH and returns its exit status; 127 when there is none.
Result<int> run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, arguments.front(), nullptr, nullptr, arguments.data(), environ);
  if (failure == ENOENT) {
    return 127;
  }
  if (failure != 0) {
    return input_output_error(fmt::format("cannot start {}", words.front()));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return input_output_error(fmt::format("lost track of {}", words.front()));
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// The renderer writes beside the target; a rename makes the picture appear whole.
Result<void> render(const std::string& svg, const fs::path& path) {
  const std::string unique = fmt::format(".{}.{}", path.filename().string(), getpid());
  const fs::path source = path.parent_path() / (unique + ".svg");
  const fs::path target = path.parent_path() / (unique + ".png");
  if (Result<void> written = write_file_atomically(source, svg); !written) {
    return written;
  }
  const Result<int> status = run_program(
      {"rsvg-convert", "--format=png", "--zoom=2", "--output=" + target.string(), source.string()});
  std::error_code ignored;
  fs::remove(source, ignored);
  if (!status) {
    return error_of(status);
  }
  std::error_code renamed;
  if (*status == 0) {
    fs::rename(target, path, renamed);
  }
  if (*status != 0 || renamed) {
    fs::remove(target, ignored);
    return input_output_error(*status == 127 ? std::string(kNoRenderer)
                                             : fmt::format("cannot draw {}", path.string()));
  }
  return {};
}

}  // namespace

Result<void> write_png(const Figure& figure, const fs::path& folder, const std::string& stem) {
  return render(figure_svg(figure), folder / (stem + ".png"));
}

std::vector<FigureSeries> points_by_category(const std::vector<double>& x,
                                             const std::vector<double>& y,
                                             const std::vector<std::string>& categories) {
  std::vector<FigureSeries> groups;
  for (std::size_t i = 0; i < std::min({x.size(), y.size(), categories.size()}); ++i) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const FigureSeries& series) {
      return series.name == categories[i];
    });
    if (group == groups.end()) {
      FigureSeries series;
      series.name = categories[i];
      series.kind = SeriesKind::Points;
      series.mark = Mark::Filled;
      group = groups.insert(groups.end(), std::move(series));
    }
    group->x.push_back(x[i]);
    group->y.push_back(y[i]);
  }
  return groups;
}

}  // namespace eigenveil::papers
