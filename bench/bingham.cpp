// One exact draw of the real matrix Bingham law beside the normals it is made of.
#include "sampling/bingham.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "random/normal.hpp"

namespace {

using eigenveil::BinghamSampler;
using eigenveil::Matrix;
using eigenveil::RandomStream;
using eigenveil::Vector;

constexpr int kRepetitions = 9;
constexpr std::size_t kNormalsPerRepetition = 4'000'000;
constexpr double kBeta = 4.0;
constexpr double kBar = 4.0;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// (15, 10, 6, U(0.1, 2)...), largest first.
Vector spiked_spectrum(Eigen::Index dimension) {
  RandomStream stream = RandomStream::seeded(1);
  Vector spectrum(dimension);
  for (double& value : spectrum) {
    value = 0.1 + 1.9 * eigenveil::uniform(stream);
  }
  spectrum.head(3) << 15.0, 10.0, 6.0;
  std::sort(spectrum.begin() + 3, spectrum.end(), std::greater<>());
  return spectrum;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The two are timed in turn, so that a busy machine disturbs both alike.
void compare(Eigen::Index dimension, Eigen::Index columns) {
  const double exponent = 0.5 * static_cast<double>(dimension) * kBeta;
  const auto sampler = BinghamSampler::make(spiked_spectrum(dimension), exponent, columns);
  if (!sampler) {
    fmt::print("{}\n", sampler.error().message);
    return;
  }
  const auto size = static_cast<std::size_t>(dimension * columns);
  const std::size_t draws = kNormalsPerRepetition / size;
  RandomStream stream = RandomStream::secure();
  BinghamSampler::Workspace workspace;
  Matrix frame;
  std::vector<double> normals(size);
  std::vector<double> draw_times;
  std::vector<double> normal_times;
  std::vector<double> ratios;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const double of_draws = seconds([&] {
      for (std::size_t draw = 0; draw < draws; ++draw) {
        sampler->draw_into(stream, workspace, frame);
      }
    });
    const double of_normals = seconds([&] {
      for (std::size_t draw = 0; draw < draws; ++draw) {
        eigenveil::fill_standard_normal(stream, normals);
      }
    });
    draw_times.push_back(of_draws / static_cast<double>(draws));
    normal_times.push_back(of_normals / static_cast<double>(draws));
    ratios.push_back(of_draws / of_normals);
  }
  const double ratio = median(ratios);
  fmt::print("{:>6}{:>4}{:>16.2f}{:>18.2f}{:>9.2f}{:>7.1f}  {}\n", dimension, columns,
             1e6 * median(draw_times), 1e6 * median(normal_times), ratio, kBar,
             ratio <= kBar ? "met" : "MISSED");
}

}  // namespace

int main() {
  fmt::print("{:>6}{:>4}{:>16}{:>18}{:>9}{:>7}\n", "p", "k", "one draw (us)", "p k normals (us)",
             "ratio", "bar");
  for (const Eigen::Index columns : {1, 2, 3}) {
    compare(200, columns);
  }
  compare(1000, 3);
  return 0;
}
