#include "data/parallel_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "core/parallel.hpp"
#include "data/next_chunk.hpp"

namespace eigenveil {
namespace {

/// The reader behind a lock, and the earliest error. Chunks are cut in file order and a worker
/// finishes the chunk it holds, so every chunk before a failing one has been parsed when the
/// workers stop: the error with the lowest sequence is the first in the file.
class SharedReader {
 public:
  explicit SharedReader(RowReader& reader) : reader_(reader) {}

  bool next(RawChunk& chunk) {
    const std::scoped_lock lock(cutting_);
    if (failed_.load()) {
      return false;
    }
    const Result<bool> more = detail::next_chunk(reader_, chunk);
    if (!more) {
      keep_first(chunk.sequence, more.error());
    }
    return more.value_or(false);
  }

  bool parse(const RawChunk& chunk, RawRows& block) {
    const Result<void> parsed = reader_.parse(chunk, block);
    if (!parsed) {
      keep_first(chunk.sequence, parsed.error());
    }
    return parsed.has_value();
  }

  Result<void> outcome() const {
    if (first_error_) {
      return tl::unexpected<Error>(*first_error_);
    }
    return {};
  }

 private:
  void keep_first(std::uint64_t sequence, const Error& error) {
    const std::scoped_lock lock(reporting_);
    if (!first_error_ || sequence < sequence_of_error_) {
      first_error_ = error;
      sequence_of_error_ = sequence;
    }
    failed_.store(true);
  }

  RowReader& reader_;
  std::mutex cutting_;
  std::mutex reporting_;
  std::atomic<bool> failed_ = false;
  std::uint64_t sequence_of_error_ = 0;
  std::optional<Error> first_error_;
};

}  // namespace

Result<void> for_each_block(
    RowReader& reader, std::size_t workers,
    const std::function<void(std::size_t worker, RawRows& block)>& consume) {
  SharedReader shared(reader);
  run_workers(std::max<std::size_t>(1, workers), [&shared, &consume](std::size_t worker) {
    RawChunk chunk;
    RawRows block;
    while (shared.next(chunk) && shared.parse(chunk, block)) {
      consume(worker, block);
    }
  });
  return shared.outcome();
}

}  // namespace eigenveil
