#include <nanobind/eigen/dense.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <complex>

#include "bind.hpp"
#include "core/parallel.hpp"
#include "sampling/bingham_draws.hpp"
#include "sampling/bingham_gibbs.hpp"
#include "sampling/coupling_from_the_past.hpp"
#include "sampling/gaussian_block.hpp"
#include "sampling/orbit.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

constexpr std::size_t kDrawsPerBlock = 64;

/// draws x rows x columns, filled block by block, owned by Python.
template <class Scalar>
class Frames {
 public:
  Frames(std::size_t draws, std::size_t rows, std::size_t columns)
      : draws_(draws),
        rows_(rows),
        columns_(columns),
        values_(new Scalar[std::max<std::size_t>(1, draws * rows * columns)]) {}

  template <class Frame>
  void put(std::size_t index, const Frame& frame) {
    using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(values_.get() + index * rows_ * columns_, static_cast<Eigen::Index>(rows_),
                         static_cast<Eigen::Index>(columns_)) = frame;
  }

  nb::ndarray<nb::numpy, Scalar, nb::ndim<3>> take() {
    Scalar* data = values_.release();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<Scalar*>(p); });
    return nb::ndarray<nb::numpy, Scalar, nb::ndim<3>>(data, {draws_, rows_, columns_}, owner);
  }

 private:
  std::size_t draws_;
  std::size_t rows_;
  std::size_t columns_;
  std::unique_ptr<Scalar[]> values_;
};

/// Draws block by block into the array, so that only a block is kept twice.
template <class Scalar, class DrawBlock>
void fill(Frames<Scalar>& frames, std::size_t draws, const DrawBlock& draw_block) {
  run_interruptibly([&] {
    for (std::size_t first = 0; first < draws; first += kDrawsPerBlock) {
      const std::size_t count = std::min(kDrawsPerBlock, draws - first);
      const auto block = draw_block(count);
      for (std::size_t i = 0; i < count; ++i) {
        frames.put(first + i, block[i]);
      }
    }
  });
}

nb::ndarray<nb::numpy, double, nb::ndim<3>> sample_bingham(
    const Vector& eigenvalues, double exponent, Eigen::Index columns, std::size_t draws,
    double most_expected_tries, const std::optional<std::uint64_t>& seed) {
  const BinghamSampler sampler =
      unwrap(BinghamSampler::make(eigenvalues, exponent, columns, most_expected_tries));
  RandomStream stream = stream_for(seed);
  const auto threads = static_cast<unsigned>(default_threads());
  Frames<double> frames(draws, static_cast<std::size_t>(sampler.rows()),
                        static_cast<std::size_t>(columns));
  fill(frames, draws,
       [&](std::size_t count) { return draw_many(sampler, count, stream, threads); });
  return frames.take();
}

/// The labelled approximations: a Gibbs chain, or the large-p Gaussian block.
nb::ndarray<nb::numpy, double, nb::ndim<3>> approximate_bingham(
    const std::string& kind, const Vector& eigenvalues, double exponent, Eigen::Index columns,
    std::size_t draws, int sweeps, const std::optional<std::uint64_t>& seed) {
  std::unique_ptr<ApproximateSampler<Matrix>> sampler;
  if (kind == "gibbs") {
    sampler = std::make_unique<BinghamGibbsSampler>(
        unwrap(BinghamGibbsSampler::make(eigenvalues, exponent, columns, sweeps)));
  } else {
    sampler = std::make_unique<GaussianBlockSampler>(
        unwrap(GaussianBlockSampler::make(eigenvalues, exponent, columns)));
  }
  RandomStream stream = stream_for(seed);
  const auto threads = static_cast<unsigned>(default_threads());
  Frames<double> frames(draws, static_cast<std::size_t>(eigenvalues.size()),
                        static_cast<std::size_t>(columns));
  fill(frames, draws,
       [&](std::size_t count) { return draw_many(*sampler, count, stream, threads); });
  return frames.take();
}

nb::ndarray<nb::numpy, std::complex<double>, nb::ndim<3>> sample_orbit(
    const Vector& diagonal, double exponent, const Vector& spectrum, std::size_t draws,
    bool unbounded_time, const std::optional<std::uint64_t>& seed) {
  const OrbitSampler sampler = unwrap(OrbitSampler::make({diagonal, spectrum, exponent}));
  if (!unbounded_time) {
    unwrap(check_coupling_cost(diagonal.size(), spectrum.size()));
  }
  RandomStream stream = stream_for(seed);
  const auto threads = static_cast<unsigned>(default_threads());
  Frames<std::complex<double>> frames(draws, static_cast<std::size_t>(diagonal.size()),
                                      static_cast<std::size_t>(spectrum.size()));
  fill(frames, draws,
       [&](std::size_t count) { return draw_many(sampler, count, stream, threads); });
  return frames.take();
}

}  // namespace

void bind_samplers(nb::module_& m) {
  m.def("sample_bingham", &sample_bingham, "eigenvalues"_a, "exponent"_a, "columns"_a, "draws"_a,
        "most_expected_tries"_a, "seed"_a.none() = nb::none());
  m.def("approximate_bingham", &approximate_bingham, "kind"_a, "eigenvalues"_a, "exponent"_a,
        "columns"_a, "draws"_a, "sweeps"_a, "seed"_a.none() = nb::none());
  m.def("sample_orbit", &sample_orbit, "diagonal"_a, "exponent"_a, "spectrum"_a, "draws"_a,
        "unbounded_time"_a, "seed"_a.none() = nb::none());
}

}  // namespace eigenveil::python
