#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "cli/commands/sample.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/numbers_file.hpp"
#include "core/atomic_output.hpp"
#include "core/npy_header.hpp"
#include "core/parallel.hpp"
#include "sampling/bingham_draws.hpp"
#include "sampling/bingham_gibbs.hpp"
#include "sampling/gaussian_block.hpp"

namespace eigenveil::cli {
namespace {

struct SampleBingham {
  std::string spectrum_file;
  double exponent = 0.0;
  Eigen::Index columns = 1;
  std::uint64_t draws = 1;
  std::string sampler = "auto";
  int sweeps = 200;
  std::string out;
  std::optional<std::uint64_t> seed;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  template <class Sampler>
  Outcome write(const Sampler& chosen, const std::vector<Eigen::Index>& order,
                const std::string& law) const;
};

void SampleBingham::declare(CLI::App& app) {
  app.add_option("--spectrum", spectrum_file, "eigenvalues, one per line")->required();
  app.add_option("--exponent", exponent, "C in the density exp(C tr(V' diag(spectrum) V))")
      ->required();
  app.add_option("-k,--columns", columns, "columns of a frame V (default 1)")
      ->check(whole_number(1));
  app.add_option("--draws", draws, "how many frames (default 1)")
      ->check(whole_number(1, 1'000'000'000));
  app.add_option("--sampler", sampler,
                 "auto or exact (refuse rather than approximate), gibbs, gaussian-block (both "
                 "approximate)")
      ->check(one_of({"auto", "exact", "gibbs", "gaussian-block"}));
  app.add_option("--sweeps", sweeps, "gibbs: sweeps from a uniform start for each frame")
      ->check(whole_number(1, 1'000'000));
  app.add_option("--out", out, "NPY file: float64 (draws, p, k), orthonormal columns")->required();
  app.add_option("--seed", seed, "the same draws again")->check(whole_number(0));
}

/// Frames are put where their number says, so the file does not depend on threads.
template <class Sampler>
Outcome SampleBingham::write(const Sampler& chosen, const std::vector<Eigen::Index>& order,
                             const std::string& law) const {
  const auto rows = static_cast<Eigen::Index>(order.size());
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Result<AtomicFile> file = AtomicFile::create(out);
  if (!file) {
    return error_of(file);
  }
  const std::string header = npy_header("<f8", {static_cast<std::int64_t>(draws), rows, columns});
  if (const Result<void> written = file->append(header); !written) {
    return written;
  }
  RandomStream stream = seed ? RandomStream::seeded(*seed) : RandomStream::secure();
  constexpr std::uint64_t kValuesPerChunk = std::uint64_t{1} << 22U;
  const auto size = static_cast<std::uint64_t>(rows * columns);
  const std::uint64_t chunk = std::max<std::uint64_t>(64, kValuesPerChunk / size);
  for (std::uint64_t first = 0; first < draws; first += chunk) {
    const std::uint64_t count = std::min(chunk, draws - first);
    std::vector<double> values(count * size);
    for_each_draw(chosen, count, stream, static_cast<unsigned>(default_threads()),
                  [&](std::size_t index, const Matrix& frame) {
                    Eigen::Map<RowMajor> stored(values.data() + index * size, rows, columns);
                    for (Eigen::Index i = 0; i < rows; ++i) {
                      stored.row(order[static_cast<std::size_t>(i)]) = frame.row(i);
                    }
                  });
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(double));
    if (const Result<void> written = file->append(bytes); !written) {
      return written;
    }
  }
  return file->publish().map(
      [&] { fmt::print("wrote {} ({} frames, {} x {}, {})\n", out, draws, rows, columns, law); });
}

Outcome SampleBingham::run() const {
  if (const Result<void> free = check_new_file(out); !free) {
    return free;
  }
  const Result<Vector> given = read_numbers(spectrum_file);
  if (!given) {
    return error_of(given);
  }
  // Samplers want the largest eigenvalue first; rows go back to the order of the file.
  std::vector<Eigen::Index> order(static_cast<std::size_t>(given->size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return (*given)[a] > (*given)[b]; });
  const Vector spectrum = (*given)(order);
  if (sampler == "gibbs") {
    return BinghamGibbsSampler::make(spectrum, exponent, columns, sweeps)
        .and_then([&](const auto& chosen) {
          return write(chosen, order,
                       fmt::format("APPROXIMATE: Gibbs chains of {} sweeps", sweeps));
        });
  }
  if (sampler == "gaussian-block") {
    return GaussianBlockSampler::make(spectrum, exponent, columns)
        .and_then([&](const auto& chosen) {
          return write(chosen, order, "APPROXIMATE: Gaussian block");
        });
  }
  return BinghamSampler::make(spectrum, exponent, columns).and_then([&](const auto& chosen) {
    return write(chosen, order, "exact");
  });
}

}  // namespace

Command sample_bingham_command() {
  return command_of<SampleBingham>("bingham", "frames with density exp(C tr(V' diag(spectrum) V))");
}

}  // namespace eigenveil::cli
