#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <memory>

#include "cli/commands/sample.hpp"
#include "cli/methods/request.hpp"
#include "cli/options/checks.hpp"
#include "eigenveil/core/atomic_output.hpp"
#include "eigenveil/core/parallel.hpp"
#include "eigenveil/sampling/orbit.hpp"

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

/// NPY version 1, little endian, C order.
std::string npy_bytes(const std::vector<ComplexMatrix>& draws) {
  const ComplexMatrix& first = draws.front();
  std::string header =
      fmt::format("{{'descr': '<c16', 'fortran_order': False, 'shape': ({}, {}, {}), }}",
                  draws.size(), first.rows(), first.cols());
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFFU);
  bytes += static_cast<char>(header.size() >> 8U);
  bytes += header;
  static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");
  using RowMajor =
      Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (const ComplexMatrix& draw : draws) {
    const RowMajor rows = draw;
    const std::size_t at = bytes.size();
    const std::size_t size = static_cast<std::size_t>(rows.size()) * sizeof(std::complex<double>);
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, rows.data(), size);
  }
  return bytes;
}

Outcome SampleOrbit::run() const {
  const Result<Vector> diagonal = read_spectrum(spectrum_file);
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
  RandomStream stream = seed ? RandomStream::seeded(*seed) : RandomStream::secure();
  const std::vector<ComplexMatrix> frames =
      draw_many(*sampler, draws, stream, static_cast<unsigned>(default_threads()));
  return write_file_atomically(out, npy_bytes(frames)).map([&] {
    fmt::print("wrote {} ({} draws, {} x {}, complex128, H = V V^*)\n", out, draws,
               diagonal->size(), eigenvalues->size());
  });
}

}  // namespace

Command sample_orbit_command() {
  return {"orbit",
          "Hermitian matrices with given eigenvalues and density exp(C tr(H diag(spectrum))).\n"
          "  eigenveil sample orbit --spectrum y.txt --exponent 40 --orbit 2,1.5,1 --draws 1000 "
          "--out draws.npy",
          [](CLI::App& app) {
            auto request = std::make_shared<SampleOrbit>();
            request->declare(app);
            return [request] { return request->run(); };
          }};
}

}  // namespace eigenveil::cli
