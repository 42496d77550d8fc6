// Draws per second on one core, beside std::normal_distribution with std::mt19937_64.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <vector>

#include "eigenveil/random/rounded_noise.hpp"
#include "random/normal.hpp"

namespace {

using eigenveil::RandomStream;

constexpr std::size_t kDraws = 4'000'000;
constexpr int kRepetitions = 7;
constexpr double kSteps = 0x1.8p20;

/// Million items per second, the median of the repetitions.
double million_per_second(const std::function<void()>& draw) {
  std::vector<double> rates;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    draw();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    rates.push_back(static_cast<double>(kDraws) / elapsed.count() / 1e6);
  }
  std::ranges::sort(rates);
  return rates[kRepetitions / 2];
}

void print_row(const char* name, double rate, double reference) {
  fmt::print("{:<26}{:>14.1f}{:>18.1f}{:>10.2f}\n", name, rate, reference, rate / reference);
}

}  // namespace

int main() {
  RandomStream stream = RandomStream::secure();
  std::vector<double> values(kDraws, 0.0);
  std::vector<double> offsets(kDraws);
  std::ranges::generate(offsets, [&stream] { return eigenveil::uniform(stream); });
  std::vector<std::int64_t> rounded(kDraws);
  std::vector<std::uint64_t> words(kDraws);

  std::mt19937_64 twister(1);
  std::normal_distribution<double> normal;
  const double reference =
      million_per_second([&] { std::ranges::generate(values, [&] { return normal(twister); }); });
  const double twister_words =
      million_per_second([&] { std::ranges::generate(words, std::ref(twister)); });
  const double gaussian =
      million_per_second([&] { eigenveil::round_with_gaussian(stream, kSteps, offsets, rounded); });
  const double laplace =
      million_per_second([&] { eigenveil::round_with_laplace(stream, kSteps, offsets, rounded); });
  const double standard =
      million_per_second([&] { eigenveil::fill_standard_normal(stream, values); });
  const double raw = million_per_second([&] { stream.fill(words); });

  fmt::print("{:<26}{:>14}{:>18}{:>10}\n", "million/s, one core", "eigenveil", "std (mt19937_64)",
             "ratio");
  print_row("rounded Gaussian, exact", gaussian, reference);
  print_row("rounded Laplace, exact", laplace, reference);
  print_row("standard normal, double", standard, reference);
  print_row("raw 64-bit words", raw, twister_words);
  fmt::print("raw stream: {:.2f} GB/s; draws per run {}, median of {}, s = {}\n", raw * 8e-3,
             kDraws, kRepetitions, kSteps);
}
