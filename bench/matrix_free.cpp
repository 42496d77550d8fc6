// gauss without a matrix: what a pass costs beside its floor, and a whole release on generated
// genotypes.
//   bench_matrix_free [COLUMNS [ROWS [COMPONENTS [PASSES]]]]     14079, 1092, 10, 64
#include "mechanism/matrix_free/matrix_free.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "eigenveil/random/rounded_noise.hpp"
#include "timing.hpp"

namespace {

using namespace eigenveil;

/// Genotypes of three populations, two bits to a cell, as a .bed file keeps them.
class Genotypes {
 public:
  Genotypes(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), packed_(rows * ((columns + 3) / 4)) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<float> uniform;
    for (std::size_t j = 0; j < columns; ++j) {
      const float base = 0.1F + 0.8F * uniform(engine);
      float frequency[3];
      for (float& of_population : frequency) {
        of_population = std::clamp(base + 0.25F * (uniform(engine) - 0.5F), 0.02F, 0.98F);
      }
      for (std::size_t i = 0; i < rows; ++i) {
        const float f = frequency[i % 3];
        const unsigned copies = (uniform(engine) < f ? 1U : 0U) + (uniform(engine) < f ? 1U : 0U);
        packed_[i * stride() + j / 4] =
            static_cast<unsigned char>(packed_[i * stride() + j / 4] | (copies << (2 * (j % 4))));
      }
    }
  }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  void unpack(std::size_t row, double* cells) const {
    const unsigned char* bytes = packed_.data() + row * stride();
    for (std::size_t j = 0; j < columns_; ++j) {
      cells[j] = static_cast<double>((bytes[j / 4] >> (2 * (j % 4))) & 3U);
    }
  }

 private:
  std::size_t stride() const { return (columns_ + 3) / 4; }
  std::size_t rows_;
  std::size_t columns_;
  std::vector<unsigned char> packed_;
};

class GenotypeReader final : public RowReader {
 public:
  GenotypeReader(const Genotypes& table, const Schema& schema) : table_(table), schema_(schema) {}
  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override {
    chunk.first_record = done_;
    chunk.records = std::min<std::size_t>(16, table_.rows() - done_);
    done_ += chunk.records;
    return chunk.records > 0;
  }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    block.rows = chunk.records;
    block.dimension = table_.columns();
    block.values.resize(block.rows * block.dimension);
    for (std::size_t i = 0; i < block.rows; ++i) {
      table_.unpack(chunk.first_record + i, block.values.data() + i * block.dimension);
    }
    return {};
  }

 private:
  const Genotypes& table_;
  const Schema& schema_;
  std::size_t done_ = 0;
};

/// Processor seconds of one rounded normal, and of one multiply-add of dgemm with few columns.
double seconds_per_draw() {
  constexpr std::size_t kDraws = 1 << 22;
  RandomStream stream = RandomStream::secure();
  const std::vector<double> offsets(kDraws, 0.0);
  std::vector<std::int64_t> rounded(kDraws);
  std::vector<double> times;
  for (int i = 0; i < 7; ++i) {
    times.push_back(
        bench::time_of([&] { round_with_gaussian(stream, 0x1.8p20, offsets, rounded); }).processor);
  }
  return bench::median(times) / kDraws;
}

double seconds_per_multiply_add(std::size_t columns) {
  constexpr std::size_t kSide = 1024;
  const BlasThreads one(1);
  const std::vector<double> a(kSide * kSide, 1.0);
  const std::vector<double> b(kSide * columns, 1.0);
  std::vector<double> c(kSide * columns);
  std::vector<double> times;
  for (int i = 0; i < 7; ++i) {
    times.push_back(bench::time_of([&] {
                      multiply({a.data(), kSide, kSide, kSide}, {b.data(), kSide, columns, kSide},
                               c.data(), kSide, false);
                    }).processor);
  }
  return bench::median(times) / static_cast<double>(kSide * kSide * columns);
}

std::size_t argument(int count, char** values, int index, std::size_t otherwise) {
  return count > index ? std::strtoull(values[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int count, char** values) {
  const std::size_t p = argument(count, values, 1, 14'079);
  const std::size_t n = argument(count, values, 2, 1'092);
  const auto k = static_cast<Eigen::Index>(argument(count, values, 3, 10));
  const auto most = static_cast<int>(argument(count, values, 4, 64));
  const double draw = seconds_per_draw();
  const double multiply_add = seconds_per_multiply_add(static_cast<std::size_t>(k) + 10);
  const double entries = static_cast<double>(p) * (static_cast<double>(p) + 1.0) / 2.0;
  const double block = static_cast<double>(k) + 10.0;
  const double cells = static_cast<double>(n) * static_cast<double>(p);
  const double products =
      (2.0 * cells + 2.0 * entries) * block * multiply_add;  // p^2 m for the noise
  fmt::print("plain generator {:.1f} million/s, dgemm {:.2f} G multiply-adds/s, one core\n",
             1e-6 / draw, 1e-9 / multiply_add);

  const Genotypes table(n, p);
  const Schema schema = Schema::numbered(p);
  const RowBound bound =
      *RowBound::ranges(std::vector<ColumnRange>(p, ColumnRange{0.0, 2.0}), {}, 1);
  const auto plan =
      MatrixFreePlan::make({{bound, GaussianDp{1.0}, Relation::AddRemove, Extension::Full, 1},
                            Center::PrivateMean,
                            Units::Original,
                            k,
                            most});
  if (!plan) {
    fmt::print("{}\n", plan.error().message);
    return 1;
  }
  RandomStream stream = RandomStream::secure();
  {
    const RegeneratedNoise noise(plan->moment().shape(), plan->moment().noise(),
                                 plan->grid_exponent(), stream);
    const double seconds = bench::time_of([&] { noise.draw_all(default_threads()); }).processor;
    fmt::print("noise in tiles  {:.1f} million/s, {:.2f} times the plain generator's time\n",
               1e-6 * entries / seconds, seconds / (entries * draw));
  }
  MatrixFreeRun run(*plan, stream, default_threads());
  double pass_processor = 0.0;
  int passes = 0;
  const bench::Time whole = bench::time_of([&] {
    for (bool again = true; again; ++passes) {
      const bench::Time pass = bench::time_of([&] {
        GenotypeReader reader(table, schema);
        if (!run.add(reader)) {
          std::abort();
        }
        again = *run.end_pass();
      });
      pass_processor += pass.processor;
      fmt::print("pass {:>2}: {:.2f} s wall, {:.2f} s of processors\n", passes + 1, pass.wall,
                 pass.processor);
      std::fflush(stdout);
    }
  });
  const auto found = run.finish();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "p = {}, n = {}, k = {}: {} passes, {:.1f} s wall, {:.1f} s of processors, {} MiB at most\n"
      "a pass: {:.2f} s of processors; floor {:.2f} s ({:.2f} s of normals, {:.2f} s of "
      "products)\n",
      p, n, k, passes, whole.wall, whole.processor, usage.ru_maxrss / 1024, pass_processor / passes,
      entries * draw + products, entries * draw, products);
  for (Eigen::Index j = 0; j < k; ++j) {
    fmt::print("PC{:<3} variance {:.4g} (noise edge {:.4g}), residual {:.1e}\n", j + 1,
               found.value().components.explained_variance[j],
               found.value().components.noise_edge[j], found.value().relative_residuals[j]);
  }
  return 0;
}
