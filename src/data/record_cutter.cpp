#include "data/record_cutter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "core/multiversion.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Position after the last line feed of [begin, end) with an even number of quotes before it, given
/// that `odd` quotes lie before `end`; 0 if there is none.
std::size_t last_boundary(const char* bytes, std::size_t begin, std::size_t end, bool odd) {
  for (std::size_t i = end; i > begin; --i) {
    const char byte = bytes[i - 1];
    if (byte == '"') {
      odd = !odd;
    } else if (byte == '\n' && !odd) {
      return i;
    }
  }
  return 0;
}

}  // namespace

// Byte-wide counters, emptied before they overflow: the compiler turns the inner loop into vector
// compares.
EIGENVEIL_MULTIVERSION
std::size_t count_byte(const char* bytes, std::size_t size, char wanted) {
  constexpr std::size_t kLanes = 64;
  std::size_t total = 0;
  std::size_t i = 0;
  while (size - i >= kLanes) {
    std::array<std::uint8_t, kLanes> counts = {};
    const std::size_t rounds = std::min<std::size_t>((size - i) / kLanes, 255);
    for (std::size_t round = 0; round < rounds; ++round, i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        counts[lane] = static_cast<std::uint8_t>(counts[lane] + (bytes[i + lane] == wanted));
      }
    }
    for (const std::uint8_t count : counts) {
      total += count;
    }
  }
  for (; i < size; ++i) {
    total += static_cast<std::size_t>(bytes[i] == wanted);
  }
  return total;
}

Result<bool> RecordCutter::next(RawChunk& chunk) {
  chunk.sequence = sequence_;
  chunk.size = 0;
  chunk.records = 0;
  if (failure_) {
    return tl::unexpected<Error>(*failure_);
  }
  Result<bool> more = cut(chunk);
  if (!more) {
    failure_ = more.error();
  }
  return more;
}

Result<bool> RecordCutter::cut(RawChunk& chunk) {
  std::size_t scanned = 0;
  bool odd = false;
  // The first chunk must be able to show a byte order mark.
  std::size_t capacity = std::max({chunk_bytes_, carry_.size() + 1, kByteOrderMark.size()});
  chunk.bytes.resize(std::max(chunk.bytes.size(), capacity + kChunkPadding));
  std::copy(carry_.begin(), carry_.end(), chunk.bytes.begin());
  std::size_t used = carry_.size();
  carry_.clear();
  while (true) {
    chunk.size = capacity;
    if (const Result<void> filled = fill(chunk, used); !filled) {
      return error_of(filled);
    }
    const char* bytes = chunk.bytes.data();
    odd ^= (count_byte(bytes + scanned, used - scanned, '"') % 2) != 0;
    if (at_end_ && !odd && used > 0 && bytes[used - 1] != '\n') {
      chunk.bytes[used++] = '\n';
    }
    const std::size_t boundary = last_boundary(bytes, scanned, used, odd);
    if (boundary > 0) {
      finish(chunk, boundary, used);
      return true;
    }
    if (held_) {
      return tl::unexpected<Error>(*held_);
    }
    if (at_end_) {
      chunk.size = 0;
      if (used == 0) {
        return false;
      }
      return bad_request(fmt::format("line {}: a quote is opened and never closed.", line_));
    }
    if (used >= kLargestRecord) {
      return bad_request(
          fmt::format("line {}: the record is longer than {} MiB; is a quote left open?", line_,
                      kLargestRecord >> 20));
    }
    scanned = used;
    capacity = std::min(2 * capacity, kLargestRecord);
    chunk.bytes.resize(std::max(chunk.bytes.size(), capacity + kChunkPadding));
  }
}

/// Reads until `chunk.size` bytes are in use or the source ends; drops a byte order mark.
Result<void> RecordCutter::fill(RawChunk& chunk, std::size_t& used) {
  while (!at_end_ && !held_ && used < chunk.size) {
    const std::size_t want = chunk.size - used;
    const Result<std::size_t> got = source_->read(chunk.bytes.data() + used, want);
    if (!got && used > 0 && !held_) {
      held_ = got.error();  // whole records come first
      return {};
    }
    if (!got) {
      return error_of(got);
    }
    used += *got;
    at_end_ = *got == 0;
    if (at_start_ && (at_end_ || used >= kByteOrderMark.size())) {
      at_start_ = false;
      if (std::string_view(chunk.bytes.data(), used).starts_with(kByteOrderMark)) {
        used -= kByteOrderMark.size();
        std::memmove(chunk.bytes.data(), chunk.bytes.data() + kByteOrderMark.size(), used);
      }
    }
  }
  return {};
}

void RecordCutter::finish(RawChunk& chunk, std::size_t boundary, std::size_t used) {
  const char* bytes = chunk.bytes.data();
  carry_.assign(bytes + boundary, bytes + used);
  chunk.size = boundary;
  chunk.first_record = line_;
  chunk.records = count_byte(bytes, boundary, '\n');
  line_ += chunk.records;
  ++sequence_;
}

}  // namespace eigenveil::detail
