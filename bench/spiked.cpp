// The spiked methods beside what they add privacy to.
//   bench_spiked [repetitions [share of the rows]]
//  - tall: n = 100000, p = 500: rows in memory to components by method spiked (clip, exact Gram,
//  top
//    eigenvectors, noise) against two-thread dsyrk and eigendecomposition. Bar: 1.3 times.
//  - wide: n = 500, p = 20000: the same without a p x p matrix, against the thin SVD by inner
//    products (n x n eigendecomposition and one product). Bar: 1.5 times.
// Runs alternate, so that a busy machine slows both; medians. The last column is processor time.
#include "mechanism/spiked/spiked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/symmetric_eigen.hpp"
#include "timing.hpp"

namespace {

using namespace eigenveil;  // NOLINT: a benchmark is a main program
using eigenveil::bench::median;
using eigenveil::bench::Time;
using eigenveil::bench::time_of;

/// So wide a table needs a strong spike, or the noise drowns it at any cost.
constexpr double kWideSpike = 1e8;

/// Rows of the model along the first axis, stored one after the other.
Matrix rows_of(Eigen::Index n, Eigen::Index p, double spike) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::vector<double> pool(1U << 20U);
  std::generate(pool.begin(), pool.end(), [&] { return normal(engine); });
  Matrix columns(p, n);
  for (double& value : columns.reshaped()) {
    value = pool[engine() & (pool.size() - 1)];
  }
  columns.row(0) *= std::sqrt(1.0 + spike);
  return columns;
}

/// Rows in memory as a reader, so that the shipped path is timed.
class MemoryReader final : public RowReader {
 public:
  explicit MemoryReader(const Matrix& columns)
      : columns_(columns), schema_(Schema::numbered(static_cast<std::size_t>(columns.rows()))) {}
  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override {
    const std::size_t rows =
        std::min<std::size_t>(static_cast<std::size_t>(columns_.cols()) - next_, 1024);
    chunk.sequence = sequence_++;
    chunk.first_record = next_ + 1;
    chunk.records = rows;
    next_ += rows;
    return rows > 0;
  }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    const auto p = static_cast<std::size_t>(columns_.rows());
    const double* first = columns_.data() + (chunk.first_record - 1) * p;
    block.rows = chunk.records;
    block.dimension = p;
    block.values.assign(first, first + chunk.records * p);
    return {};
  }

 private:
  const Matrix& columns_;
  Schema schema_;
  std::size_t next_ = 0;
  std::uint64_t sequence_ = 0;
};

void release(const Matrix& columns, double spike) {
  SpikedRequest request;
  request.rows = columns.cols();
  request.dimension = columns.rows();
  request.noise_variance = 1.0;
  request.spike = spike;
  request.budget = ApproxDp{1.0, 1e-3};
  request.row_radius = std::sqrt(model_radius_squared(
      {request.rows, request.dimension, 1, 1.0, spike, 1.0}, request.constants));
  const RowBound bound =
      *RowBound::row_norm(static_cast<std::size_t>(columns.rows()), request.row_radius);
  MemoryReader reader(columns);
  const Result<TableOrGram> statistic = read_table_or_gram(reader, bound, default_threads());
  RandomStream stream = RandomStream::secure();
  const SpikedPlan plan = *SpikedPlan::make(request);
  const Release<SpikedResult> result =
      plan.run(SampleCovariance::of(*statistic, Units::Original), stream);
  if (std::abs(result.value().frame(0, 0)) < 0.1) {
    fmt::print("the direction was lost\n");
  }
}

void compare(const char* name, double bar, int repetitions, const std::function<void()>& ours,
             const std::function<void()>& peer) {
  std::vector<double> wall[2];
  std::vector<double> processor[2];
  for (int i = 0; i < repetitions; ++i) {
    const Time times[2] = {time_of(ours), time_of(peer)};
    for (int j = 0; j < 2; ++j) {
      wall[j].push_back(times[j].wall);
      processor[j].push_back(times[j].processor);
    }
  }
  fmt::print(
      "{:<28} ours {:7.3f} s   without privacy {:7.3f} s   ratio {:.2f} (bar {:.1f})   "
      "processor time {:.2f}\n",
      name, median(wall[0]), median(wall[1]), median(wall[0]) / median(wall[1]), bar,
      median(processor[0]) / median(processor[1]));
}

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 5;
  const double share = count > 2 ? std::atof(arguments[2]) : 1.0;
  const auto n = static_cast<Eigen::Index>(100000 * share);
  {
    const Matrix columns = rows_of(n, 500, 50.0);
    const auto peer = [&] {
      const BlasThreads threads(default_threads());
      Matrix totals = Matrix::Zero(500, 500);
      add_outer_products(columns.data(), 500, static_cast<std::size_t>(n), totals.data());
      static_cast<void>(symmetric_eigen(totals / static_cast<double>(n)));
    };
    compare(
        "tall, p = 500", 1.3, repetitions, [&] { release(columns, 50.0); }, peer);
  }
  const Matrix columns = rows_of(500, 20000, kWideSpike);
  const auto peer = [&] {
    const BlasThreads threads(default_threads());
    Matrix inner = Matrix::Zero(500, 500);
    add_inner_products(columns.data(), 20000, 500, inner.data());
    const SymmetricEigen eigen = symmetric_eigen(inner);
    const Matrix left = columns * eigen.vectors;  // all 500 left vectors, as a thin SVD gives
    if (!(left(0, 0) == left(0, 0))) {
      fmt::print("not a number\n");
    }
  };
  compare(
      "wide, n = 500, p = 20000", 1.5, repetitions, [&] { release(columns, kWideSpike); }, peer);
  return 0;
}
