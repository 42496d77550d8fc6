#include "eigenveil/data/raw_rows.hpp"

#include <fmt/format.h>

#include "data/next_chunk.hpp"

namespace eigenveil {

Schema Schema::numbered(std::size_t columns) {
  Schema schema;
  for (std::size_t j = 1; j <= columns; ++j) {
    schema.columns.push_back(fmt::format("c{}", j));
  }
  return schema;
}

Result<void> RowReader::read(RawRows& block) {
  block.rows = 0;
  block.dimension = schema().dimension();
  while (block.rows == 0) {
    const Result<bool> more = detail::next_chunk(*this, chunk_);
    if (!more) {
      return error_of(more);
    }
    if (!*more) {
      block.values.clear();
      return {};
    }
    if (Result<void> parsed = parse(chunk_, block); !parsed) {
      return parsed;
    }
  }
  return {};
}

}  // namespace eigenveil
