#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "cli/commands/sample.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/numbers_file.hpp"
#include "core/atomic_output.hpp"
#include "core/npy_header.hpp"
#include "core/parallel.hpp"
#include "sampling/orbit.hpp"

namespace eigenveil::cli {
namespace {

struct SampleOrbit {
  std::string spectrum_file;
  double exponent = 0.0;
  std::string orbit;
  std::uint64_t draws = 1;
  std::string out;
  std::optional<std::uint64_t> seed;
  bool unbounded_time = false;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Outcome write(const OrbitSampler& sampler, Eigen::Index rows, Eigen::Index columns) const;
};

void SampleOrbit::declare(CLI::App& app) {
  app.add_option("--spectrum", spectrum_file, "the diagonal of Y, one value per line")->required();
  app.add_option("--exponent", exponent, "C of the density exp(C tr(H Y)), not negative")
      ->required();
  app.add_option("--orbit", orbit, "eigenvalues of H, as in 2,1.5,1; the others are 0")->required();
  app.add_option("--draws", draws, "number of independent draws (default 1)")
      ->check(whole_number(1, 100'000'000));
  app.add_option("--out", out, "new .npy file: complex128 (draws, d, k), H = V V^*")->required();
  app.add_option("--seed", seed, "the same draws again")->check(whole_number(0));
  app.add_flag("--unbounded-time", unbounded_time,
               "allow sizes whose exact draw could take very long");
}

Result<Vector> parse_orbit(const std::string& text) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double value = 0.0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || (next != end && *next != ',') || next + 1 == end) {
      return bad_request("--orbit must be a list of numbers such as 2,1.5,1");
    }
    values.push_back(value);
    at = next == end ? end : next + 1;
  }
  std::sort(values.rbegin(), values.rend());
  return Vector(Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size())));
}

/// Row-major frames one after the other, as they lie in memory.
std::string frame_bytes(const std::vector<ComplexMatrix>& frames) {
  using RowMajor =
      Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::string bytes;
  for (const ComplexMatrix& frame : frames) {
    const RowMajor rows = frame;
    bytes.append(reinterpret_cast<const char*>(rows.data()),
                 static_cast<std::size_t>(rows.size()) * sizeof(std::complex<double>));
  }
  return bytes;
}

/// In chunks, so that memory does not grow with the number of draws.
Outcome SampleOrbit::write(const OrbitSampler& sampler, Eigen::Index rows,
                           Eigen::Index columns) const {
  Result<AtomicFile> file = AtomicFile::create(out);
  if (!file) {
    return error_of(file);
  }
  if (Result<void> written =
          file->append(npy_header("<c16", {static_cast<std::int64_t>(draws), rows, columns}));
      !written) {
    return written;
  }
  RandomStream stream = seed ? RandomStream::seeded(*seed) : RandomStream::secure();
  constexpr std::uint64_t kValuesPerChunk = std::uint64_t{1} << 21U;
  const std::uint64_t chunk =
      std::max<std::uint64_t>(64, kValuesPerChunk / static_cast<std::uint64_t>(rows * columns));
  for (std::uint64_t first = 0; first < draws; first += chunk) {
    const std::vector<ComplexMatrix> frames = draw_many(
        sampler, std::min(chunk, draws - first), stream, static_cast<unsigned>(default_threads()));
    if (Result<void> written = file->append(frame_bytes(frames)); !written) {
      return written;
    }
  }
  return file->publish().map([&] {
    fmt::print("wrote {} ({} draws, {} x {}, complex128, H = V V^*)\n", out, draws, rows, columns);
  });
}

Outcome SampleOrbit::run() const {
  const Result<Vector> diagonal = read_numbers(spectrum_file);
  const Result<Vector> eigenvalues = parse_orbit(orbit);
  if (!diagonal || !eigenvalues) {
    return diagonal ? error_of(eigenvalues) : error_of(diagonal);
  }
  const Result<OrbitSampler> sampler = OrbitSampler::make({*diagonal, *eigenvalues, exponent});
  if (!sampler) {
    return error_of(sampler);
  }
  const Result<void> affordable =
      unbounded_time ? Result<void>() : check_coupling_cost(diagonal->size(), eigenvalues->size());
  if (!affordable) {
    return error_of(affordable);
  }
  if (const Result<void> free = check_new_file(out); !free) {
    return error_of(free);
  }
  return write(*sampler, diagonal->size(), eigenvalues->size());
}

}  // namespace

Command sample_orbit_command() {
  return command_of<SampleOrbit>(
      "orbit",
      "Hermitian matrices with given eigenvalues and density exp(C tr(H diag(spectrum))).\n"
      "  eigenveil sample orbit --spectrum y.txt --exponent 40 --orbit 2,1.5,1 --draws 1000 "
      "--out draws.npy");
}

}  // namespace eigenveil::cli
