#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/integers.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// Exact integer totals over bounded rows v: count, sum of v, and the packed upper triangle of the
/// sum of v vᵀ (core/integers.hpp order), all in grid units.
struct GramTotals {
  std::uint64_t count = 0;
  std::vector<Int128> sums;
  std::vector<Int128> products;
};

/// The one statistic most mechanisms need. Private data: it does not depend on row order, threads
/// or machines, merges, serialises, and has an exactly known sensitivity
/// (docs/proofs/second_moment.md).
class ExactGram {
 public:
  /// An empty table.
  ExactGram(Schema schema, RowBound bound);

  const Schema& schema() const { return schema_; }
  const RowBound& bound() const { return bound_; }
  std::size_t dimension() const { return bound_.dimension(); }

  /// Adds another shard. Refused when schema or bound differ, when a shard is already inside
  /// (every row would count twice and the sensitivity with it), or at the overflow limit.
  Result<void> merge(const ExactGram& other);

  /// Versioned binary form with checksum; the first line says that it is private. Written with mode
  /// 0600.
  Result<void> save(const std::filesystem::path& path) const;
  static Result<ExactGram> load(const std::filesystem::path& path);

  friend bool operator==(const ExactGram&, const ExactGram&);

 private:
  friend class GramAccumulator;
  friend class GramFile;
  friend const GramTotals& totals_of(const ExactGram&);
  Schema schema_;
  RowBound bound_;
  GramTotals totals_;
  std::vector<Digest> shards_;  ///< fingerprints of the merged parts, sorted
};

namespace trusted {
/// The private totals, for mechanisms only (a test checks who includes this).
const GramTotals& totals(const ExactGram& gram);
}  // namespace trusted

/// Feeds rows into an exact Gram with several threads: every worker bounds its rows and runs
/// one-thread dsyrk (ssyrk where sums stay below 2^24) on its own buffer, flushed into the 128-bit
/// totals before 2^53 could be passed.
class GramAccumulator {
 public:
  GramAccumulator(Schema schema, RowBound bound, int threads);
  ~GramAccumulator();
  GramAccumulator(const GramAccumulator&) = delete;
  GramAccumulator& operator=(const GramAccumulator&) = delete;

  /// Rows in memory, row-major; may be called many times. Blocks until they are counted.
  Result<void> add(const double* values, std::size_t rows);
  /// Reads a table to its end, reading and accumulating side by side.
  Result<void> add(RowReader& reader);

  Result<ExactGram> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eigenveil
