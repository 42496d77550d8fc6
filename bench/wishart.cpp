// Seconds of exactly rounded two-sided Wishart noise beside its floor: 2 p (p + 1) normals in
// doubles and two symmetric products of p x (p + 1), nothing rounded.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

#include "core/blas.hpp"
#include "random/normal.hpp"
#include "random/rounded_wishart.hpp"

namespace {

using eigenveil::RandomStream;

double seconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(times);
  return times[1];
}

void floor_of(RandomStream& stream, std::size_t p) {
  std::vector<double> normals(p * (p + 1));
  std::vector<double> totals(p * p);
  for (int side = 0; side < 2; ++side) {
    eigenveil::fill_standard_normal(stream, normals);
    eigenveil::add_outer_products(normals.data(), p, p + 1, totals.data());
  }
}

}  // namespace

int main(int count, char** arguments) {
  RandomStream stream = RandomStream::secure();
  fmt::print("{:>6}{:>12}{:>12}{:>8}{:>14}\n", "p", "rounded s", "floor s", "ratio",
             "open entries");
  std::vector<std::size_t> sizes = {10, 100, 500, 1000, 2000};
  if (count > 1) {
    sizes = {static_cast<std::size_t>(std::atoll(arguments[1]))};
  }
  for (const std::size_t p : sizes) {
    const double steps = 0x1.8p20 / (2.0 * std::sqrt(static_cast<double>(p) + 1.0));
    std::size_t open = 0;
    std::int64_t sum = 0;
    const double rounded = seconds([&] {
      open = eigenveil::detail::round_with_wishart(
          stream, steps, p, [](std::size_t, std::size_t) { return 0.25; },
          [&](std::size_t, std::size_t, std::int64_t value) { sum += value; }, 1.0);
    });
    const double floor = seconds([&] { floor_of(stream, p); });
    fmt::print("{:>6}{:>12.5f}{:>12.5f}{:>8.2f}{:>14}\n", p, rounded, floor, rounded / floor, open);
  }
}
