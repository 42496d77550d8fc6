#include "statistics/row_products.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <mutex>

#include "core/blas.hpp"
#include "core/multiversion.hpp"
#include "data/parallel_rows.hpp"

namespace eigenveil {
namespace {

constexpr double kExact = 0x1p53;
/// Rows between two moves of the sums into 128 bits, where their size allows as many.
constexpr int kRowsPerFlushLog2 = 12;
constexpr std::size_t kBlockBytes = std::size_t{16} << 20U;
constexpr std::size_t kMostBlockRows = 256;

EIGENVEIL_MULTIVERSION
void add_sums_and_squares(const double* row, std::size_t dimension, double* sums, double* squares) {
  for (std::size_t j = 0; j < dimension; ++j) {
    sums[j] += row[j];
    squares[j] += row[j] * row[j];
  }
}

EIGENVEIL_MULTIVERSION
void to_words(const double* row, std::size_t dimension, std::int32_t* words) {
  for (std::size_t j = 0; j < dimension; ++j) {
    words[j] = static_cast<std::int32_t>(row[j]);
  }
}

UInt128 fingerprint_of(const std::vector<std::int32_t>& words, const HashKey& key) {
  const auto hash = keyed_hash(
      key, {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::int32_t)});
  return (static_cast<UInt128>(hash[1]) << 64U) | hash[0];
}

/// values = low + 2^bits high, |low| < 2^bits; `values` becomes low.
EIGENVEIL_MULTIVERSION
void cut_digit(double* values, std::size_t count, double base, double* high) {
  for (std::size_t i = 0; i < count; ++i) {
    high[i] = std::trunc(values[i] / base);  // a power of two: exact
    values[i] -= high[i] * base;
  }
}

void move_into(std::vector<double>& from, int shift, Int128* to) {
  const Int128 factor = static_cast<Int128>(1) << shift;
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] += static_cast<Int128>(static_cast<std::int64_t>(from[i])) * factor;
  }
  std::fill(from.begin(), from.end(), 0.0);
}

}  // namespace

struct ProductPass::State {
  struct Worker;

  /// How xᵀ v is cut so that sums of x (xᵀ v) stay exact.
  struct Digits {
    int bits = 0;
    int number = 1;
    std::size_t rows_per_flush = 1;
  };
  /// |xᵀ v| <= largest.
  static Digits digits_for(const RowBound& bound, double largest);

  State(const RowBound& bound_of_rows, const Matrix& of_vectors, const HashKey& with_key,
        int threads_allowed)
      : bound(bound_of_rows),
        vectors(of_vectors),
        key(with_key),
        digits(digits_for(bound, largest_product())),
        threads(static_cast<std::size_t>(std::max(1, threads_allowed))) {
    totals.products.resize(static_cast<std::size_t>(vectors.size()));
    totals.sums.resize(bound.dimension());
    totals.squares.resize(bound.dimension());
  }

  /// Cauchy and Schwarz; also bounds every partial sum of xᵀ v.
  double largest_product() const {
    const double longest = vectors.colwise().norm().maxCoeff();
    const double largest =
        std::sqrt(static_cast<double>(bound.norm2_bound())) * longest * (1.0 + 0x1p-40) + 1.0;
    assert(largest < kExact && "the vectors are short enough for exact products");
    return largest;
  }

  const RowBound& bound;
  const Matrix& vectors;
  HashKey key;
  Digits digits;
  std::size_t threads;
  std::mutex mutex;
  RowProducts totals;
  std::vector<std::unique_ptr<Worker>> workers;
};

ProductPass::State::Digits ProductPass::State::digits_for(const RowBound& bound, double largest) {
  const int cell_bits = std::ilogb(static_cast<double>(bound.max_abs())) + 1;
  const int bits = 53 - cell_bits - kRowsPerFlushLog2;
  int number = 1;
  while (std::ldexp(1.0, bits * number) <= largest) {
    ++number;
  }
  const double cell = static_cast<double>(bound.max_abs());
  const double by_squares = std::floor(kExact / (cell * cell));
  return {bits, number,
          static_cast<std::size_t>(std::min(std::ldexp(1.0, kRowsPerFlushLog2), by_squares))};
}

/// One thread's rows.
struct ProductPass::State::Worker {
  explicit Worker(State& of_state)
      : state(of_state),
        dimension(state.bound.dimension()),
        columns(static_cast<std::size_t>(state.vectors.cols())),
        sums(dimension),
        squares(dimension),
        words(dimension),
        products(static_cast<std::size_t>(state.digits.number),
                 std::vector<double>(dimension * columns)) {}

  std::size_t block_rows() const {
    return std::clamp<std::size_t>(kBlockBytes / (sizeof(double) * dimension), 1, kMostBlockRows);
  }

  void add(const double* values, std::size_t rows) {
    while (rows > 0) {
      const std::size_t now =
          std::min({rows, block_rows(), state.digits.rows_per_flush - unflushed});
      add_block(values, now);
      values += now * dimension;
      rows -= now;
      if (unflushed == state.digits.rows_per_flush) {
        flush();
      }
    }
  }

  void add_block(const double* values, std::size_t rows) {
    BoundedRows bounded = BoundedRows::clip(state.bound, values, rows, std::move(memory));
    const double* clipped = bounded.values().data();
    for (std::size_t i = 0; i < rows; ++i) {
      const double* row = clipped + i * dimension;
      add_sums_and_squares(row, dimension, sums.data(), squares.data());
      to_words(row, dimension, words.data());
      fingerprint += fingerprint_of(words, state.key);
    }
    multiply_block(clipped, rows);
    memory = std::move(bounded).take_memory();
    count += rows;
    unflushed += rows;
  }

  void multiply_block(const double* clipped, std::size_t rows) {
    const MatrixInMemory x{clipped, dimension, rows, dimension};  // rows of data are its columns
    const MatrixInMemory v{state.vectors.data(), dimension, columns, dimension};
    low.resize(rows * columns);
    high.resize(rows * columns);
    MatrixInMemory transposed = x;
    transposed.transposed = true;
    multiply(transposed, v, low.data(), rows, false);
    for (int digit = 0; digit < state.digits.number; ++digit) {
      const bool last = digit + 1 == state.digits.number;
      if (!last) {
        cut_digit(low.data(), low.size(), std::ldexp(1.0, state.digits.bits), high.data());
      }
      multiply(x, {low.data(), rows, columns, rows},
               products[static_cast<std::size_t>(digit)].data(), dimension, true);
      std::swap(low, high);
    }
  }

  void flush() {
    const std::scoped_lock lock(state.mutex);
    for (int digit = 0; digit < state.digits.number; ++digit) {
      move_into(products[static_cast<std::size_t>(digit)], digit * state.digits.bits,
                state.totals.products.data());
    }
    move_into(sums, 0, state.totals.sums.data());
    move_into(squares, 0, state.totals.squares.data());
    state.totals.count += count;
    state.totals.fingerprint += fingerprint;
    count = 0;
    fingerprint = 0;
    unflushed = 0;
  }

  State& state;
  std::size_t dimension;
  std::size_t columns;
  std::vector<double> sums;
  std::vector<double> squares;
  std::vector<std::int32_t> words;
  std::vector<std::vector<double>> products;  ///< by digit
  std::vector<double> low;
  std::vector<double> high;
  std::vector<double> memory;
  std::uint64_t count = 0;
  UInt128 fingerprint = 0;
  std::size_t unflushed = 0;
};

ProductPass::ProductPass(const RowBound& bound, const Matrix& vectors, const HashKey& key,
                         int threads)
    : state_(std::make_unique<State>(bound, vectors, key, threads)) {}

ProductPass::~ProductPass() = default;

Result<void> ProductPass::add(RowReader& reader) {
  State& state = *state_;
  if (reader.schema().dimension() != state.bound.dimension()) {
    return bad_request("the table's columns are not those the statistic was made for");
  }
  while (state.workers.size() < state.threads) {
    state.workers.push_back(std::make_unique<State::Worker>(state));
  }
  const BlasThreads blas(1);
  return for_each_block(reader, state.threads, [&](std::size_t worker, RawRows& block) {
    state.workers[worker]->add(block.values.data(), block.rows);
  });
}

RowProducts ProductPass::finish() {
  for (const auto& worker : state_->workers) {
    worker->flush();
  }
  state_->workers.clear();
  return std::move(state_->totals);
}

}  // namespace eigenveil
