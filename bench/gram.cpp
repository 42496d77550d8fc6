// Bounded rows to an exact Gram matrix, against plain two-thread dsyrk on the same raw doubles.
//   bench_gram [repetitions [threads [share of the rows]]]
// Both sides read rows from memory and leave a Gram matrix; ours also clips, rounds, checks the
// norm, and sums in 128 bits. Runs alternate, so that a busy machine slows both; medians. The last
// column compares processor time of the whole process, which a busy machine disturbs less.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/blas.hpp"
#include "eigenveil/statistics/exact_gram.hpp"

namespace {

using eigenveil::GramAccumulator;
using eigenveil::RowBound;
using eigenveil::Schema;

int threads = 2;  // NOLINT: set once from the command line

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

struct Time {
  double wall;
  double processor;
};

Time time_of(const std::function<void()>& run) {
  // OpenBLAS's threads go on spinning for some 30 ms after a call; the other side should not pay.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor_start = std::clock();
  run();
  const std::clock_t processor = std::clock() - processor_start;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(processor) / CLOCKS_PER_SEC};
}

void plain_dsyrk(const Workload& work) {
  const eigenveil::BlasThreads guard(threads);
  const std::size_t dimension = work.bound.dimension();
  std::vector<double> gram(dimension * dimension);
  eigenveil::add_outer_products(work.values.data(), dimension, work.rows, gram.data());
}

void exact_gram(const Workload& work) {
  GramAccumulator accumulator(Schema::numbered(work.bound.dimension()), work.bound, threads);
  if (!accumulator.add(eigenveil::MatrixView::row_major(work.values.data(), work.rows,
                                                        work.bound.dimension())) ||
      !accumulator.finish()) {
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
  std::vector<double> processor_ratios;
  plain_dsyrk(work);
  exact_gram(work);
  for (int i = 0; i < repetitions; ++i) {
    const Time plain_time = time_of([&] { plain_dsyrk(work); });
    const Time exact_time = time_of([&] { exact_gram(work); });
    plain.push_back(plain_time.wall);
    exact.push_back(exact_time.wall);
    ratios.push_back(plain_time.wall / exact_time.wall);
    processor_ratios.push_back(plain_time.processor / exact_time.processor);
  }
  fmt::print("{:<22}{:>9}{:>7}{:>11.1f}{:>11.1f}{:>8.2f}{:>11.2f}\n", work.name, work.rows,
             work.bound.dimension(), 1e3 * median(plain), 1e3 * median(exact), median(ratios),
             median(processor_ratios));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 9;
  threads = argc > 2 ? std::atoi(argv[2]) : threads;
  const double share = argc > 3 ? std::atof(argv[3]) : 1.0;
  fmt::print("{} threads, median of {} alternating runs\n", threads, repetitions);
  fmt::print("{:<22}{:>9}{:>7}{:>11}{:>11}{:>8}{:>11}\n", "workload", "rows", "p", "dsyrk ms",
             "exact ms", "ratio", "processor");
  for (const auto& [dimension, all_rows] :
       {std::pair<std::size_t, std::size_t>{200, 200000}, {500, 80000}, {2000, 20000}}) {
    const auto rows = static_cast<std::size_t>(share * static_cast<double>(all_rows));
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
