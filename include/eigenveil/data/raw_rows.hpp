#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// What is left of a table when the first `rows` rows of every person are kept (data/people.hpp). A
/// person is then what is protected; single rows are not, since one makes room for the next.
struct PeopleLimit {
  std::string column = {};  ///< that said whose a row is
  std::uint32_t rows = 0;   ///< 0: rows were not limited
  static constexpr std::uint32_t kMostRows = 0x7fffffff;
  bool given() const { return rows > 0; }
  friend bool operator==(const PeopleLimit&, const PeopleLimit&) = default;
};

/// Public facts about a table: the names of its columns, in order.
struct Schema {
  std::vector<std::string> columns;
  /// Genotypes: the allele whose copies a column counts; empty for every other table.
  std::vector<std::string> counted_alleles = {};
  /// Genotypes standardised by public allele frequencies f (data/genotypes.hpp): cells are
  /// (copies - 2f) / sqrt(2f (1 - f)); empty for every other table.
  std::vector<double> allele_frequencies = {};
  /// Cells that were missing, or bad ones under BadCell::Midpoint, stand at the public midpoint;
  /// false: such a table was refused.
  bool fills_gaps = true;
  PeopleLimit people = {};  ///< whose rows these are
  std::size_t dimension() const { return columns.size(); }
  /// A table without names: c1, c2, ...
  static Schema numbered(std::size_t columns);
  /// Tables of one kind: what was done about gaps does not tell two of them apart.
  friend bool operator==(const Schema& a, const Schema& b) {
    return a.columns == b.columns && a.counted_alleles == b.counted_alleles &&
           a.allele_frequencies == b.allele_frequencies && a.people == b.people;
  }
};

/// A block of rows as they were read: unbounded and private. No mechanism and no statistic takes
/// this type; data/bounding.hpp turns it into BoundedRows. Row-major; NaN means missing.
struct RawRows {
  std::size_t rows = 0;
  std::size_t dimension = 0;
  std::vector<double> values;  ///< exactly rows * dimension of them
};

/// Whole records of a table as bytes, not yet parsed. Only its reader knows the layout; callers
/// pass it on and keep it for its memory.
struct RawChunk {
  std::uint64_t sequence = 0;  ///< position in the file, from 0: orders errors of several workers
  std::uint64_t first_record = 0;  ///< line (text) or row (arrays) of the first record, from 1
  std::size_t records = 0;         ///< upper bound on the rows inside
  std::size_t size = 0;            ///< bytes in use
  std::vector<char> bytes;         ///< at least `size`
};

/// What a reader does with a cell that is neither a number nor missing (`--bad-cell`).
enum class BadCell : unsigned char {
  Refuse,    ///< an error on the curator's channel, with line and column but never the value
  Midpoint,  ///< treated as missing, so that a run is total
};

/// What a reader does with a missing cell (`--missing`): NaN (the public midpoint later) or refuse.
enum class MissingCell : unsigned char { Midpoint, Refuse };

inline bool fills_gaps(BadCell bad, MissingCell missing) {
  return bad == BadCell::Midpoint || missing == MissingCell::Midpoint;
}

/// Streams a table in blocks of rows with constant memory, in two stages so that the heavy one can
/// run on many threads (data/parallel_rows.hpp does that): `next_chunk` cuts bytes at record
/// boundaries, `parse` turns them into numbers.
class RowReader {
 public:
  RowReader() = default;
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;
  virtual ~RowReader() = default;

  /// The selected columns, in the order requested.
  virtual const Schema& schema() const = 0;
  /// Cheap and serial: one caller at a time. Chunks come in file order; false at the end. Sets
  /// `chunk.sequence` also when it fails, and then fails the same way on every later call.
  [[nodiscard]] virtual Result<bool> next_chunk(RawChunk& chunk) = 0;
  /// Heavy and thread-safe: any number of callers, also during `next_chunk`. Depends on `chunk`
  /// alone. `block` may come out without rows.
  [[nodiscard]] virtual Result<void> parse(const RawChunk& chunk, RawRows& block) const = 0;
  /// Share of the input consumed, between 0 and 1, when the size is known. Thread-safe.
  virtual std::optional<double> progress() const { return std::nullopt; }
  /// How many rows the head of the file says there are. As private as the rows where the relation
  /// protects their number.
  virtual std::optional<std::int64_t> stated_rows() const { return std::nullopt; }

  /// Both stages on one thread: the next rows (the reader picks how many); `block.rows == 0` at the
  /// end.
  [[nodiscard]] Result<void> read(RawRows& block);

 private:
  RawChunk chunk_;  // memory of `read`
};

}  // namespace eigenveil
