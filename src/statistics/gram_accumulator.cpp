#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

#include "core/blas.hpp"
#include "data/parallel_rows.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "statistics/gram_worker.hpp"

namespace eigenveil {
namespace {

// Buffers of all workers together. Wider tables get one worker whose BLAS calls use every thread.
constexpr std::size_t kBufferBytes = std::size_t{2} << 30U;

constexpr const char* kOtherColumns =
    "the table's columns are not those the statistic was made for";

/// Rows first .. first + count one after the other: in place, or gathered in `memory`.
const double* row_major(const MatrixView& matrix, std::size_t first, std::size_t count,
                        std::vector<double>& memory) {
  const double* start = matrix.data() + static_cast<std::ptrdiff_t>(first) * matrix.row_stride();
  if (matrix.is_row_major()) {
    return start;
  }
  const std::size_t columns = matrix.columns();
  memory.resize(count * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    const double* cell = start + static_cast<std::ptrdiff_t>(j) * matrix.column_stride();
    for (std::size_t i = 0; i < count; ++i, cell += matrix.row_stride()) {
      memory[i * columns + j] = *cell;
    }
  }
  return memory.data();
}

}  // namespace

struct GramAccumulator::State {
  State(Schema schema_of_rows, RowBound bound_of_rows, int threads_allowed)
      : schema(std::move(schema_of_rows)), bound(std::move(bound_of_rows)) {
    if (const Result<void> fits = ExactGram::check_shape(schema, bound); !fits) {
      failure = fits.error();
      return;
    }
    const auto threads = static_cast<std::size_t>(std::max(1, threads_allowed));
    const bool side_by_side = GramWorker::buffer_bytes(bound) * threads <= kBufferBytes;
    most_workers = side_by_side ? threads : 1;
    blas_threads = side_by_side ? 1 : static_cast<int>(threads);
  }

  /// Buffers are made when first needed: a small table gets by with one.
  void need_workers(std::size_t wanted) {
    if (!totals) {
      totals = std::make_unique<SharedTotals>(bound.dimension());
    }
    while (workers.size() < wanted) {
      workers.push_back(std::make_unique<GramWorker>(bound, *totals, workers.size()));
    }
  }

  Result<void> count_rows(std::uint64_t more) {
    if (more > ExactGram::kLargestCount - count) {
      failure = Error{ErrorCode::BadRequest, "a table must have fewer than 2^53 rows"};
      return tl::unexpected<Error>(*failure);
    }
    count += more;
    return {};
  }

  Schema schema;
  RowBound bound;
  std::optional<Error> failure;
  std::size_t most_workers = 1;
  int blas_threads = 1;
  std::uint64_t count = 0;
  std::unique_ptr<SharedTotals> totals;
  std::vector<std::unique_ptr<GramWorker>> workers;
};

GramAccumulator::GramAccumulator(Schema schema, RowBound bound, int threads)
    : state_(std::make_unique<State>(std::move(schema), std::move(bound), threads)) {}

GramAccumulator::~GramAccumulator() = default;

Result<void> GramAccumulator::add(const MatrixView& matrix) {
  State& state = *state_;
  if (!state.failure && matrix.columns() != state.bound.dimension()) {
    state.failure = Error{ErrorCode::BadRequest,
                          fmt::format("the matrix has {} columns, but the sums are of {}",
                                      matrix.columns(), state.bound.dimension()),
                          "columns"};
  }
  if (state.failure) {
    return tl::unexpected<Error>(*state.failure);
  }
  const std::size_t rows = matrix.rows();
  if (Result<void> counted = state.count_rows(rows); !counted) {
    return counted;
  }
  const std::size_t block = GramWorker::block_rows(state.bound);
  const std::size_t blocks = (rows + block - 1) / block;
  const std::size_t workers = std::clamp<std::size_t>(blocks, 1, state.most_workers);
  state.need_workers(workers);
  const BlasThreads blas(state.blas_threads);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t worker) {
    std::vector<double> gathered;
    for (std::size_t i = next++; i < blocks; i = next++) {
      const std::size_t count = std::min(block, rows - i * block);
      state.workers[worker]->add(row_major(matrix, i * block, count, gathered), count);
    }
  };
  std::vector<std::jthread> helpers;
  for (std::size_t worker = 1; worker < workers; ++worker) {
    helpers.emplace_back(work, worker);
  }
  work(0);
  return {};  // helpers join first
}

Result<void> GramAccumulator::add(RowReader& reader) {
  State& state = *state_;
  if (!state.failure && reader.schema() != state.schema) {
    state.failure = Error{ErrorCode::BadRequest, kOtherColumns};
  }
  if (state.failure) {
    return tl::unexpected<Error>(*state.failure);
  }
  state.need_workers(state.most_workers);
  const BlasThreads blas(state.blas_threads);
  std::atomic<std::uint64_t> rows = 0;
  const Result<void> read =
      for_each_block(reader, state.most_workers, [&](std::size_t worker, RawRows& block) {
        assert(block.dimension == state.bound.dimension() && "a reader keeps to its schema");
        state.workers[worker]->add(block.values.data(), block.rows);
        rows += block.rows;
      });
  if (!read) {
    state.failure = read.error();
    return error_of(read);
  }
  return state.count_rows(rows);
}

Result<ExactGram> GramAccumulator::finish() {
  State& state = *state_;
  if (state.failure) {
    return tl::unexpected<Error>(*state.failure);
  }
  state.need_workers(1);
  std::vector<std::jthread> helpers;
  for (std::size_t worker = 1; worker < state.workers.size(); ++worker) {
    helpers.emplace_back([&state, worker] { state.workers[worker]->settle(); });
  }
  state.workers[0]->settle();
  helpers.clear();  // joins
  ExactGram gram(state.schema, state.bound, std::move(*state.totals).take(state.workers));
  state.workers.clear();
  state.totals.reset();
  state.count = 0;
  return gram;
}

}  // namespace eigenveil
