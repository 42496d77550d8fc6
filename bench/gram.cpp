// Bounded rows to an exact Gram matrix, against plain two-thread dsyrk on the same raw doubles.
//   bench_gram [repetitions]
// Both sides read rows from memory and leave a Gram matrix; ours also clips, rounds, checks the
// norm, and sums in 128 bits. Runs alternate, so that a busy machine slows both; medians.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "eigenveil/core/blas.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace {

using eigenveil::GramAccumulator;
using eigenveil::RowBound;
using eigenveil::Schema;

constexpr int kThreads = 2;

struct Workload {
  std::string name;
  std::size_t rows;
  RowBound bound;
  std::vector<double> values;
};

std::vector<double> normal_rows(std::size_t rows, std::size_t dimension) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::vector<double> pool(1U << 20U);
  std::generate(pool.begin(), pool.end(), [&] { return normal(engine); });
  std::vector<double> values(rows * dimension);
  for (double& value : values) {
    value = pool[engine() & (pool.size() - 1)];
  }
  return values;
}

std::vector<double> genotypes(std::size_t rows, std::size_t dimension) {
  std::mt19937_64 engine(2);
  std::vector<double> values(rows * dimension);
  for (double& value : values) {
    value = static_cast<double>(engine() % 3);
  }
  return values;
}

double seconds(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void plain_dsyrk(const Workload& work) {
  const eigenveil::BlasThreads threads(kThreads);
  const std::size_t dimension = work.bound.dimension();
  std::vector<double> gram(dimension * dimension);
  eigenveil::add_outer_products(work.values.data(), dimension, work.rows, gram.data());
}

void exact_gram(const Workload& work) {
  Schema schema{std::vector<std::string>(work.bound.dimension(), "x")};
  GramAccumulator accumulator(std::move(schema), work.bound, kThreads);
  if (!accumulator.add(work.values.data(), work.rows) || !accumulator.finish()) {
    std::abort();
  }
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void compare(const Workload& work, int repetitions) {
  std::vector<double> plain;
  std::vector<double> exact;
  std::vector<double> ratios;
  plain_dsyrk(work);
  exact_gram(work);
  for (int i = 0; i < repetitions; ++i) {
    plain.push_back(seconds([&] { plain_dsyrk(work); }));
    exact.push_back(seconds([&] { exact_gram(work); }));
    ratios.push_back(plain.back() / exact.back());
  }
  fmt::print("{:<28}{:>9}{:>7}{:>14.1f}{:>14.1f}{:>9.2f}\n", work.name, work.rows,
             work.bound.dimension(), 1e3 * median(plain), 1e3 * median(exact), median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 9;
  fmt::print("{} threads, median of {} alternating runs\n", kThreads, repetitions);
  fmt::print("{:<28}{:>9}{:>7}{:>14}{:>14}{:>9}\n", "workload", "rows", "p", "dsyrk ms", "exact ms",
             "ratio");
  for (const auto& [dimension, rows] :
       {std::pair<std::size_t, std::size_t>{200, 200000}, {500, 80000}, {2000, 20000}}) {
    const std::vector<double> values = normal_rows(rows, dimension);
    const double half_clipped = std::sqrt(static_cast<double>(dimension));
    compare({"row norm", rows, *RowBound::row_norm(dimension, half_clipped), values}, repetitions);
    const std::vector<eigenveil::ColumnRange> box(dimension, {-3.0, 3.0});
    compare({"ranges", rows, *RowBound::ranges(box), values}, repetitions);
    compare({"ranges and row norm", rows, *RowBound::ranges(box, half_clipped / 3.0), values},
            repetitions);
    const std::vector<eigenveil::ColumnRange> alleles(dimension, {0.0, 2.0});
    compare(
        {"genotypes (ssyrk)", rows, *RowBound::ranges(alleles, {}, 1), genotypes(rows, dimension)},
        repetitions);
  }
  return 0;
}
