#pragma once

#include "eigenveil/core/cancellation.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil::detail {

/// The next chunk, or an error once the reading is cancelled (core/cancellation.hpp). An error, not
/// an unwinding: whoever was summing rows must learn that these are not all of them.
inline Result<bool> next_chunk(RowReader& reader, RawChunk& chunk) {
  if (is_cancelled()) {
    return bad_request("reading was interrupted");
  }
  return reader.next_chunk(chunk);
}

}  // namespace eigenveil::detail
