#pragma once

#include <memory>
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

/// The first `most` rows of every person in the order of the table; the last `key_cells` columns
/// say whose a row is and are taken away. A row that belongs to nobody (a missing cell) is dropped.
/// Which rows of a person stay depends on that person's rows alone, so a person who comes or goes
/// takes at most `most` rows along and moves no other. Cells are parsed while chunks are cut: one
/// thread, since the order decides. `seen` goes from one reader of a table to the next. A number
/// that does not tell people apart (kUntoldPerson) is refused, or nobody's.
std::unique_ptr<RowReader> limit_rows_per_person(std::unique_ptr<RowReader> table,
                                                 std::size_t key_cells, std::uint32_t most,
                                                 std::shared_ptr<SeenPeople> seen = nobody_seen(),
                                                 BadCell untold = BadCell::Refuse);

/// Every row about the midpoints of `bound`, clipped to its ranges where it has some, scaled to
/// norm 1 (spherical PCA): directions of elliptical data are kept, and no row is longer than
/// another. A row at the centre, or with an infinite cell, is the zero row; a missing cell is at
/// the centre.
std::unique_ptr<RowReader> normalise_rows(std::unique_ptr<RowReader> table, const RowBound& bound,
                                          bool scaled);

}  // namespace eigenveil
