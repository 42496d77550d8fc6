// The draw of a release beside the eigendecomposition it needs, and all exact draws of the figures.
// bench_exponential [dimension of the release] [draws per point]
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "core/parallel.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/sharp/sharp_privacy.hpp"
#include "random/normal.hpp"
#include "sampling/bingham_draws.hpp"

namespace {

using eigenveil::BinghamSampler;
using eigenveil::Matrix;
using eigenveil::RandomStream;
using eigenveil::SharpPrivacy;
using eigenveil::Vector;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Some spikes over U(0.1, 2), largest first.
Vector spiked_spectrum(Eigen::Index dimension, Eigen::Index spikes) {
  RandomStream stream = RandomStream::seeded(1);
  Vector spectrum(dimension);
  for (double& value : spectrum) {
    value = 0.1 + 1.9 * eigenveil::uniform(stream);
  }
  for (Eigen::Index i = 0; i < spikes; ++i) {
    spectrum[i] = 6.0 + 3.0 * static_cast<double>(spikes - i);
  }
  std::sort(spectrum.begin() + spikes, spectrum.end(), std::greater<>());
  return spectrum;
}

void release_bar(Eigen::Index dimension) {
  constexpr Eigen::Index kColumns = 10;
  constexpr double kBar = 0.05;
  RandomStream stream = RandomStream::secure();
  Matrix moment(dimension, dimension);
  eigenveil::fill_standard_normal(stream, {moment.data(), static_cast<std::size_t>(moment.size())});
  moment = (moment + moment.transpose()).eval() / std::sqrt(8.0 * static_cast<double>(dimension));
  for (Eigen::Index i = 0; i < kColumns; ++i) {
    moment(i, i) += 6.0 + 3.0 * static_cast<double>(kColumns - i);
  }
  eigenveil::SymmetricEigen eigen;
  const double decomposition = seconds([&] { eigen = eigenveil::symmetric_eigen(moment); });
  Matrix loadings;
  const double draw = seconds([&] {
    const auto sampler =
        BinghamSampler::make(eigen.values, 2.0 * static_cast<double>(dimension), kColumns);
    loadings = eigen.vectors * sampler->draw(stream);
  });
  fmt::print(
      "release p = {}, k = {}: decomposition {:.2f} s, draw and rotation {:.4f} s, {:.2f}% "
      "(bar 5%: {})\n",
      dimension, kColumns, decomposition, draw, 100.0 * draw / decomposition,
      draw <= kBar * decomposition ? "met" : "MISSED");
}

/// Figure 3: 16 noise levels for k = 1, 2, 3; Figure 5: three mu, two tables each.
void figures_bar(std::size_t draws) {
  constexpr double kBar = 120.0;
  RandomStream stream = RandomStream::secure();
  const Vector spectrum = spiked_spectrum(200, 3);
  std::atomic<std::size_t> made = 0;
  const auto draw_at = [&](double beta, Eigen::Index columns, std::size_t count) {
    const auto sampler = BinghamSampler::make(spectrum, 100.0 * beta, columns, 100.0);
    if (sampler) {
      eigenveil::for_each_draw(*sampler, count, stream,
                               static_cast<unsigned>(eigenveil::default_threads()),
                               [&](std::size_t, const Matrix&) { ++made; });
    }
  };
  const std::clock_t before = std::clock();
  const double elapsed = seconds([&] {
    for (const Eigen::Index k : {1, 2, 3}) {
      const SharpPrivacy sharp = *SharpPrivacy::make(spectrum, 2504.0, k);
      const double low = 0.3 * sharp.phase_transitions().minCoeff();
      for (int i = 0; i < 16; ++i) {
        draw_at(low * std::pow(12.0 * sharp.threshold() / low, i / 15.0), k, draws);
      }
      for (const double mu : {0.5, 1.0, 1.5}) {
        draw_at(sharp.beta(std::max(mu, sharp.mu_min())).value(), k, 2 * draws);
      }
    }
  });
  const double processor = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  const double scale = 30'000.0 / static_cast<double>(draws);
  fmt::print(
      "figures 3 and 5: {} exact draws in {:.1f} s on {} threads ({:.1f} s of processor time); "
      "30000 per point: {:.0f} s (bar {:.0f} s: {})\n",
      made.load(), elapsed, eigenveil::default_threads(), processor, scale * elapsed, kBar,
      scale * elapsed <= kBar ? "met" : "MISSED");
}

}  // namespace

int main(int count, char** arguments) {
  release_bar(count > 1 ? std::atol(arguments[1]) : 5000);
  figures_bar(count > 2 ? static_cast<std::size_t>(std::atol(arguments[2])) : 30'000);
  return 0;
}
