#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/keyed_hash.hpp"
#include "eigenveil/data/bounding.hpp"
#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// A cell that names a person becomes this many numbers: 128 bits of a keyed hash of its one word
/// (data/cell_word.hpp), 43 to a cell. Array files hold the number of a person in one cell.
inline constexpr std::size_t kHashedCells = 3;

/// The names of those cells.
std::vector<std::string> hashed_names(const std::string& person);

/// Fills them; a missing cell is nobody's, and its cells are NaN.
void hash_person(const HashKey& key, std::string_view person, double* cells);
/// The same for a cell that is a number. From 2^53 on, where doubles do not tell people apart, the
/// cells are infinite: a bad cell.
void hash_person(const HashKey& key, double person, double* cells);

/// What is wrong with a number that names a person, and what to do.
inline constexpr const char* kUntoldPerson =
    "the number of a person is infinite or 2^53 and more, where numbers with a point do not tell "
    "people apart (the value is not shown); give such numbers as text, or count the row as "
    "nobody's with {bad_cell midpoint}";

/// How many rows of everybody were taken, where a table comes in several readers.
struct SeenPeople;
std::shared_ptr<SeenPeople> nobody_seen();

/// The people of one shard of `count`: those whose hash under `key`, modulo `count`, is `index`.
/// With one key and one count, everybody is in one shard, whichever rows a machine reads.
struct PeopleShard {
  HashKey key = {};
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

/// The shard of a person by the first cell of their hash.
std::uint64_t shard_of_person(double first_cell, std::uint64_t count);

/// What shards of people carry of their key, so that a merge sees whether it was the same: the key
/// cannot be found from it, nor guessed, since nobody but the program makes keys.
std::string mark_of_key(const HashKey& key);

/// 128 bits of the values of a row: an order of a person's rows that depends on them and the key
/// alone, where a table has none of its own (Spark's partitions come in any order).
std::array<std::uint64_t, 2> hash_row(const HashKey& key, std::span<const double> cells);

/// The first `limit.rows` rows of every person in the order of the table; the last `key_cells`
/// columns say whose a row is and are taken away. A row that belongs to nobody (a missing cell), or
/// to a person of another shard, is dropped. Which rows of a person stay depends on that person's
/// rows alone, so a person who comes or goes takes at most so many rows along and moves no other.
/// Cells are parsed while chunks are cut: one thread, since the order decides. `seen` goes from one
/// reader of a table to the next. A number that does not tell people apart (kUntoldPerson) is
/// refused, or nobody's.
std::unique_ptr<RowReader> limit_rows_per_person(std::unique_ptr<RowReader> table,
                                                 std::size_t key_cells, PeopleLimit limit,
                                                 std::shared_ptr<SeenPeople> seen = nobody_seen(),
                                                 BadCell untold = BadCell::Refuse,
                                                 std::optional<PeopleShard> shard = {});

/// Every row about the midpoints of `bound`, clipped to its ranges where it has some, scaled to
/// norm 1 (spherical PCA): directions of elliptical data are kept, and no row is longer than
/// another. A row at the centre, or with an infinite cell, is the zero row; a missing cell is at
/// the centre.
std::unique_ptr<RowReader> normalise_rows(std::unique_ptr<RowReader> table, const RowBound& bound,
                                          bool scaled);

}  // namespace eigenveil
