#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// What is public in a .gram file: it stands before the totals. How many rows they are of is public
/// where the relation makes it so.
struct GramHead {
  Schema schema;
  RowBound bound;
  std::optional<std::int64_t> rows = {};
};

/// Reads no further than the head, so that a plan can be made, and charged, before the totals are
/// looked at. Refuses a part of a run: whoever reads a head is about to release the table. The
/// checksum at the end of the file is looked at by `ExactGram::load`.
Result<GramHead> read_gram_head(const std::filesystem::path& path);

}  // namespace eigenveil
