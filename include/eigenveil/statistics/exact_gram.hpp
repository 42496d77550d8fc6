#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/integers.hpp"
#include "eigenveil/core/result.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/matrix_view.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// Exact integer totals over bounded rows v: count, sum of v, and the packed upper triangle of the
/// sum of v vᵀ (core/integers.hpp order), all in grid units.
struct GramTotals {
  std::uint64_t count = 0;
  std::vector<Int128> sums;
  std::vector<Int128> products;
  friend bool operator==(const GramTotals&, const GramTotals&) = default;
};

/// Which part of a run over many machines some totals are: a task that is repeated makes the same
/// part again, and the parts say whether all are there.
struct ShardIdentity {
  std::string run;  ///< names one pass over one table
  std::uint64_t index = 0;
  std::uint64_t count = 0;  ///< of shards in the run
  /// Of the key that says in which shard a person is (data/people.hpp); empty: rows are no
  /// people's.
  std::string people_mark = {};
  friend bool operator==(const ShardIdentity&, const ShardIdentity&) = default;
};

/// The parts of one run that some totals hold.
struct ShardSet {
  std::string run;
  std::uint64_t count = 0;             ///< of shards in the run
  std::vector<std::uint64_t> indices;  ///< those inside, ascending, none twice
  std::string people_mark = {};        ///< as of every shard
  bool complete() const { return indices.size() == count; }
  friend bool operator==(const ShardSet&, const ShardSet&) = default;
};

/// What is done about two tables whose totals are equal and whose names do not tell them apart:
/// the same rows twice, or other rows with the same sums.
enum class EqualTotals : unsigned char {
  Refuse,         ///< with the question
  DifferentRows,  ///< the curator has answered it
};

/// The one statistic most mechanisms need. Private data: it does not depend on row order, threads
/// or machines, merges, serialises, and has an exactly known sensitivity
/// (docs/proofs/second_moment.md). Mechanisms read it through statistics/trusted_totals.hpp.
class ExactGram {
 public:
  /// 128-bit totals cannot overflow below this many rows: 2^53 * max_abs^2 <= 2^101.
  static constexpr std::uint64_t kLargestCount = (std::uint64_t{1} << 53U) - 1;
  /// Totals of 8.6 GB.
  static constexpr std::size_t kLargestDimension = std::size_t{1} << 15U;
  /// Refuses, by public facts alone, a schema that does not fit the bound, names that no file could
  /// hold, and a table too wide.
  [[nodiscard]] static Result<void> check_shape(const Schema& schema, const RowBound& bound);

  /// An empty table; the shape must pass `check_shape`.
  ExactGram(Schema schema, RowBound bound);

  const Schema& schema() const { return schema_; }
  const RowBound& bound() const { return bound_; }
  std::size_t dimension() const { return bound_.dimension(); }

  /// Which shard of which run; nothing for a table that was not cut, or that was merged.
  std::optional<ShardIdentity> identity() const;
  /// Set by whoever cut the table; kept in the file.
  void set_identity(ShardIdentity identity);
  /// The shards inside, run by run.
  const std::vector<ShardSet>& parts() const { return parts_; }
  /// Refuses, by name, shards of a run that are not inside.
  [[nodiscard]] Result<void> check_complete() const;

  /// Adds another shard; the result is bit-identical to one pass over all rows. Refused when schema
  /// or bound differ, when a shard is already inside (every row would count twice and the
  /// sensitivity with it), or at the overflow limit. Shards of a run are told apart by their names,
  /// and a run takes no shard of another; tables without a name are told apart by their totals.
  /// Where rows were limited by person, shards of one run and one key alone: anybody else's table
  /// may hold the same people, and each of them more rows than were promised.
  /// What is filled in for missing cells in one of them is said of the sum.
  [[nodiscard]] Result<void> merge(const ExactGram& other, EqualTotals equal = EqualTotals::Refuse);

  /// Whether a shard is in both, or their totals are equal: the same rows, as far as can be told.
  bool shares_rows_with(const ExactGram& other) const;

  /// SHA-256 over schema, bound and totals: the same for one pass and for merged shards. As private
  /// as the totals, since a guess of the rows can be checked against it.
  Digest statistic_digest() const;

  /// Versioned binary form with checksum; the first line says that it is private. Written with mode
  /// 0600.
  [[nodiscard]] Result<void> save(const std::filesystem::path& path) const;
  [[nodiscard]] static Result<ExactGram> load(const std::filesystem::path& path);
  /// The same bytes in memory, for machines that send them to each other.
  std::string to_bytes() const;
  [[nodiscard]] static Result<ExactGram> from_bytes(std::string_view bytes);

  /// Same schema, bound and totals, however many shards they came in.
  friend bool operator==(const ExactGram& a, const ExactGram& b);

 private:
  friend class GramAccumulator;
  friend class GramFile;
  friend class GramAccess;
  ExactGram(Schema schema, RowBound bound, GramTotals totals);
  /// Fingerprints of the parts, sorted. An empty table has none, and so is never a duplicate.
  std::vector<Digest> shards() const;

  Schema schema_;
  RowBound bound_;
  GramTotals totals_;
  std::vector<Digest> merged_shards_;  ///< empty: the totals are one shard
  std::vector<ShardSet> parts_;        ///< ordered by run
};

/// Feeds rows into an exact Gram with several threads: every worker bounds its rows and runs
/// one-thread dsyrk (ssyrk where sums stay below 2^24) on its own buffer, flushed into the 128-bit
/// totals before 2^53 could be passed. After a failure every later call returns the same error.
class GramAccumulator {
 public:
  GramAccumulator(Schema schema, RowBound bound, int threads);
  ~GramAccumulator();
  GramAccumulator(const GramAccumulator&) = delete;
  GramAccumulator& operator=(const GramAccumulator&) = delete;

  /// Rows in memory, in any storage order; may be called many times. Blocks until they are counted.
  [[nodiscard]] Result<void> add(const MatrixView& rows);
  /// Reads a table to its end, reading and accumulating side by side.
  [[nodiscard]] Result<void> add(RowReader& reader);

  /// The totals so far as one shard; the accumulator starts again empty.
  [[nodiscard]] Result<ExactGram> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eigenveil
