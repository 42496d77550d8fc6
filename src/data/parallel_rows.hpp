#pragma once

#include <cstddef>
#include <functional>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// Reads the rest of a table with `workers` threads (the caller's is one of them; 0 counts as 1)
/// and hands each block to `consume(worker, block)` on the thread that parsed it; `worker` <
/// `workers` and no two calls share a worker at once. Blocks come in no particular order.
/// On failure the error is the first one in file order, whatever the number of workers.
Result<void> for_each_block(RowReader& reader, std::size_t workers,
                            const std::function<void(std::size_t worker, RawRows& block)>& consume);

}  // namespace eigenveil
