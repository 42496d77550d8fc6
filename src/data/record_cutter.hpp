#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/byte_source.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil::detail {

/// Longest record: bounds the memory a file with an open quote can take.
inline constexpr std::size_t kLargestRecord = std::size_t{64} << 20;
/// Readable bytes after the end of a chunk, so that a parser may load whole words.
inline constexpr std::size_t kChunkPadding = 16;

std::size_t count_byte(const char* bytes, std::size_t size, char wanted);

/// Cuts a text into chunks of whole records. A line feed ends a record where the number of quotes
/// before it is even: counting quotes needs no knowledge of fields, and every text splits in
/// exactly one way, whatever the chunk size. A chunk always ends with a line feed.
class RecordCutter {
 public:
  RecordCutter(std::unique_ptr<ByteSource> source, std::size_t chunk_bytes)
      : source_(std::move(source)), chunk_bytes_(chunk_bytes) {}

  void set_chunk_bytes(std::size_t chunk_bytes) { chunk_bytes_ = chunk_bytes; }
  Result<bool> next(RawChunk& chunk);
  std::optional<double> progress() const { return source_->progress(); }

 private:
  Result<bool> cut(RawChunk& chunk);
  Result<void> fill(RawChunk& chunk, std::size_t& used);
  void finish(RawChunk& chunk, std::size_t boundary, std::size_t used);

  std::unique_ptr<ByteSource> source_;
  std::size_t chunk_bytes_;
  std::vector<char> carry_;  // start of the next record
  bool at_start_ = true;
  bool at_end_ = false;
  std::uint64_t sequence_ = 0;
  std::uint64_t line_ = 1;
  std::optional<Error> failure_;
  std::optional<Error> held_;  // of the source, behind records that are still whole
};

}  // namespace eigenveil::detail
