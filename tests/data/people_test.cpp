// People with several rows, weights, and rows of norm 1: what neighbours can change.
#include "data/people.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "data/array_rows.hpp"
#include "data/cell_word.hpp"
#include "data/counted_rows.hpp"
#include "data/open.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "eigenveil/statistics/trusted_totals.hpp"
#include "table_support.hpp"

namespace eigenveil::test::people_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Row = std::vector<double>;

std::vector<Row> read_all(RowReader& reader) {
  std::vector<Row> rows;
  RawRows block;
  do {
    EXPECT_TRUE(reader.read(block));
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double* cells = block.values.data() + i * block.dimension;
      rows.emplace_back(cells, cells + block.dimension);
    }
  } while (block.rows > 0);
  return rows;
}

std::vector<double> flat(const std::vector<Row>& rows) {
  std::vector<double> cells;
  for (const Row& row : rows) {
    cells.insert(cells.end(), row.begin(), row.end());
  }
  return cells;
}

std::unique_ptr<RowReader> table(const std::vector<double>& cells, std::size_t columns) {
  Schema schema;
  for (std::size_t j = 0; j < columns; ++j) {
    schema.columns.push_back("c" + std::to_string(j + 1));
  }
  return *read_array({cells.data(), cells.size() / columns, columns, columns * 8, 8}, schema,
                     BadCell::Midpoint, MissingCell::Midpoint);
}

std::vector<Row> kept(const std::vector<Row>& rows, std::uint32_t most) {
  const std::vector<double> cells = flat(rows);
  return read_all(*limit_rows_per_person(table(cells, rows.front().size()), 1, {"who", most}));
}

TEST(People, TheFirstRowsOfEverybodyStay) {
  const std::vector<Row> rows = {{1, 7}, {2, 7}, {3, 8}, {4, kNan},
                                 {5, 7}, {6, 8}, {7, 0}, {8, -0.0}};
  EXPECT_EQ(kept(rows, 2), (std::vector<Row>{{1}, {2}, {3}, {6}, {7}, {8}}));
  EXPECT_EQ(kept(rows, 1), (std::vector<Row>{{1}, {3}, {7}}));
}

// Whatever a cell looks like, its word depends on its value alone.
TEST(People, OneWordOfEveryCell) {
  for (const char* seven : {"7", "7.0", "7.", "007", "+7", " 7\t", "7e0", "0.7E1", "70e-1"}) {
    EXPECT_EQ(cell_word(seven), "7") << seven;
  }
  for (const char* zero : {"0", "-0", "+0.00", "000", "-0.0", "0e5"}) {
    EXPECT_EQ(cell_word(zero), "0") << zero;
  }
  EXPECT_EQ(cell_word(7.0), "7");
  EXPECT_EQ(cell_word(-0.0), "0");
  EXPECT_EQ(cell_word("-2.50"), cell_word(-2.5));
  EXPECT_EQ(cell_word(9007199254740991.0), "9007199254740991");
  EXPECT_EQ(cell_word("09007199254740993.0"), "9007199254740993");  // 2^53 + 1 is no double
  EXPECT_NE(cell_word("9007199254740993"), cell_word("9007199254740992"));
  for (const char* itself : {"", ".", "+", "-", "e5", "7a", "1e400", "1e17", "0x7", "p7", "7 7"}) {
    EXPECT_EQ(cell_word(itself), itself);
  }
}

// Numbers that doubles do not tell apart are refused, or nobody's: nobody stands in for another.
TEST(People, NumbersBeyondDoublesAreNobody) {
  const std::vector<double> cells = {1, 0x1p53, 2, 0x1p53 + 2, 3, -0x1p53, 4, kInfinity, 5, 7};
  const auto refused = limit_rows_per_person(table(cells, 2), 1, {"who", 1});
  RawRows block;
  EXPECT_NE(refused->read(block).error().message.find("row 1: the number of a person"),
            std::string::npos);
  EXPECT_EQ(read_all(*limit_rows_per_person(table(cells, 2), 1, {"who", 1}, nobody_seen(),
                                            BadCell::Midpoint)),
            (std::vector<Row>{{5}}));
}

// All tables of up to five rows of three people: a person who goes takes at most G rows along, and
// every other row stays. A limit that is shared by all people, the broken twin, fails it.
TEST(People, APersonTakesOnlyTheirOwnRowsAlong) {
  const auto shared_limit = [](const std::vector<Row>& rows, std::uint32_t most) {
    std::vector<Row> first;
    for (const Row& row : rows) {
      if (first.size() < 2 * most) {
        first.push_back({row[0]});
      }
    }
    return first;
  };
  const auto largest_surprise = [](auto&& keep) {
    std::size_t worst = 0;
    for (int code = 0; code < 243; ++code) {
      std::vector<Row> with;
      std::vector<Row> without;
      for (int i = 0, rest = code; i < 5; ++i, rest /= 3) {
        const Row row = {static_cast<double>(i), static_cast<double>(rest % 3)};
        with.push_back(row);
        if (rest % 3 != 0) {
          without.push_back(row);
        }
      }
      if (without.empty()) {
        continue;
      }
      const std::vector<Row> before = keep(with, 2);
      const std::vector<Row> after = keep(without, 2);
      std::multiset<Row> moved(before.begin(), before.end());
      std::size_t added = 0;
      for (const Row& row : after) {
        const auto found = moved.find(row);
        added += found == moved.end() ? 1 : 0;
        if (found != moved.end()) {
          moved.erase(found);
        }
      }
      worst = std::max(worst, std::max(added * 100, moved.size()));
    }
    return worst;
  };
  EXPECT_LE(largest_surprise(kept), 2U);
  EXPECT_GT(largest_surprise(shared_limit), 2U);
}

/// Three people of a table, A who may go, and two others; B is who may come in the place of A.
enum Person : int { kA, kC, kD, kB };
constexpr std::uint64_t kShards = 2;
constexpr std::uint32_t kMost = 2;
using Places = std::array<std::uint64_t, 4>;  ///< the shard of everybody

/// Numbers of people whose hashes put them in these shards.
std::array<double, 4> named_for(const HashKey& key, const Places& places) {
  std::array<double, 4> names{};
  double number = 1.0;
  for (std::size_t who = 0; who < names.size(); ++number) {
    std::array<double, kHashedCells> hash{};
    hash_person(key, number, hash.data());
    if (shard_of_person(hash[0], kShards) == places[who]) {
      names[who++] = number;
    }
  }
  return names;
}

/// Sums over the rows of everybody in order: (1, 0) of A, C and D, (0, 1) of B.
GramTotals shard_sums(const std::vector<int>& people, const std::array<double, 4>& names,
                      std::optional<PeopleShard> shard) {
  std::vector<double> cells;
  for (const int who : people) {
    cells.insert(cells.end(), {who == kB ? 0.0 : 1.0, who == kB ? 1.0 : 0.0,
                               names[static_cast<std::size_t>(who)]});
  }
  const auto rows = limit_rows_per_person(table(cells, 3), 1, {"who", kMost}, nobody_seen(),
                                          BadCell::Refuse, std::move(shard));
  GramAccumulator sums(rows->schema(), *RowBound::row_norm(2, 1.0, 1), 1);
  EXPECT_TRUE(sums.add(*rows));
  return trusted::totals(*sums.finish());
}

/// Of all shards; `keys` are those the machines have, one each.
GramTotals all_shards(const std::vector<int>& people, const std::array<double, 4>& names,
                      const std::array<HashKey, kShards>& keys) {
  GramTotals all{0, std::vector<Int128>(2), std::vector<Int128>(3)};
  for (std::uint64_t index = 0; index < kShards; ++index) {
    const GramTotals part = shard_sums(people, names, PeopleShard{keys[index], index, kShards});
    all.count += part.count;
    for (std::size_t j = 0; j < all.products.size(); ++j) {
      all.products[j] += part.products[j];
    }
  }
  return all;
}

/// Squared Frobenius distance of the matrices of products; the packed triangle is (0,0) (0,1)
/// (1,1).
Int128 distance2(const GramTotals& a, const GramTotals& b) {
  const auto square = [&](std::size_t j) {
    return (a.products[j] - b.products[j]) * (a.products[j] - b.products[j]);
  };
  return square(0) + 2 * square(1) + square(2);
}

// All tables of five rows, each of one of three people or absent, and all ways in which the people
// can lie in two shards: whoever goes takes at most G rows along, in all shards together, and
// whoever comes instead moves no more than sqrt(2) G. Machines with different keys, the broken
// twin, let a person into both shards. Proof: docs/proofs/stages.md, Claim 2.
TEST(People, NobodyIsInTwoShards) {
  const HashKey key = {5};
  Int128 gone = 0;
  Int128 replaced = 0;
  Int128 of_twin = 0;
  for (std::uint64_t code = 0; code < 16; ++code) {
    const Places places = {code & 1U, code >> 1U & 1U, code >> 2U & 1U, code >> 3U};
    const std::array<double, 4> names = named_for(key, places);
    for (int rows = 0; rows < 1024; ++rows) {
      std::vector<int> with;
      std::vector<int> without;
      std::vector<int> instead;
      for (int i = 0, rest = rows; i < 5; ++i, rest /= 4) {
        const int who = rest % 4;
        if (who == 3) {
          continue;  // no row here
        }
        with.push_back(who);
        instead.push_back(who == kA ? kB : who);
        if (who != kA) {
          without.push_back(who);
        }
      }
      const GramTotals sums = all_shards(with, names, {key, key});
      EXPECT_EQ(sums.products, shard_sums(with, names, {}).products) << "one machine";
      gone = std::max(gone, distance2(sums, all_shards(without, names, {key, key})));
      replaced = std::max(replaced, distance2(sums, all_shards(instead, names, {key, key})));
    }
  }
  const std::array<double, 4> names = named_for(key, {0, 0, 0, 0});
  for (unsigned char other = 6; other < 16; ++other) {  // half of the keys put A into both shards
    of_twin = std::max(of_twin, distance2(all_shards({kA, kA, kA, kA, kA}, names, {key, {other}}),
                                          all_shards({}, names, {key, {other}})));
  }
  constexpr Int128 kG2 = Int128{kMost} * kMost;
  EXPECT_EQ(static_cast<int>(gone), static_cast<int>(kG2));
  EXPECT_EQ(static_cast<int>(replaced), static_cast<int>(2 * kG2));
  EXPECT_GT(static_cast<int>(of_twin), static_cast<int>(kG2));
}

// The same person, named in text and by a number of an array, is in the same shard.
TEST(People, ShardsDoNotDependOnTheFormat) {
  const HashKey key = {7};
  for (int person = 0; person < 50; ++person) {
    const TemporaryFile file("who,x\n" + std::to_string(person) + ".0,1\n", ".csv");
    ReadOptions options;
    options.person = "who";
    options.person_key = key;
    const std::vector<double> cells = {1.0, static_cast<double>(person)};
    for (std::uint64_t index = 0; index < 3; ++index) {
      const PeopleShard shard{key, index, 3};
      const auto rows_in = [&](std::unique_ptr<RowReader> rows, std::size_t key_cells) {
        return read_all(*limit_rows_per_person(std::move(rows), key_cells, {"who", 1},
                                               nobody_seen(), BadCell::Refuse, shard))
            .size();
      };
      EXPECT_EQ(rows_in(*open_rows(file.path(), options), kHashedCells),
                rows_in(table(cells, 2), 1));
    }
  }
}

// The order of a person's rows where a table has none: by their values alone.
TEST(People, RowsHashByTheirValues) {
  const HashKey key = {8};
  const auto hash = [&](std::vector<double> cells) { return hash_row(key, cells); };
  EXPECT_EQ(hash({0.0, kNan}), hash({-0.0, -kNan}));
  EXPECT_NE(hash({0.0, 1.0}), hash({1.0, 0.0}));
  EXPECT_NE(hash({1.0}), hash_row({9}, std::vector<double>{1.0}));
}

TEST(People, NamesInTextAreHashedWhateverTheChunks) {
  const TemporaryFile file("who,x\nann,1\n\"ann\",2\nbob,3\nNA,4\n ann ,5\nBob,6\n\"a,b\",7\n",
                           ".csv");
  for (const std::size_t chunk : {std::size_t{0}, std::size_t{1}, std::size_t{16}}) {
    ReadOptions options;
    options.person = "who";
    options.chunk_bytes = chunk;
    options.person_key = {1, 2, 3};
    auto reader = *open_rows(file.path(), options);
    EXPECT_EQ(reader->schema().columns.size(), 1 + kHashedCells);
    const std::vector<Row> rows =
        read_all(*limit_rows_per_person(std::move(reader), kHashedCells, {"who", 2}));
    EXPECT_EQ(rows, (std::vector<Row>{{1}, {2}, {3}, {6}, {7}}));
  }
}

TEST(People, AKeyDecidesTheHash) {
  const HashKey one = {1};
  const HashKey two = {2};
  EXPECT_EQ(keyed_hash(one, "ann"), keyed_hash(one, "ann"));
  EXPECT_NE(keyed_hash(one, "ann"), keyed_hash(two, "ann"));
  EXPECT_NE(keyed_hash(one, "ann"), keyed_hash(one, "anm"));
}

// Every row, however poisoned, with every weight: (c, x) sqrt(w / W) has squared norm at most R² +
// c² on the grid, and a weight above W counts W times. The bound is attained.
TEST(People, WeighedRowsKeepTheirNorm) {
  const RowBound bound = *RowBound::ranges({{-1, 1}, {0, 4}});
  const double c = 0.5 * bound.radius();
  const RowBound longer =
      *RowBound::row_norm(3, std::nextafter(std::hypot(bound.radius(), c), 9.0));
  const std::vector<double> values = {-kInfinity, -3, -1, 0, 0.3, 4, 1e300, kInfinity, kNan};
  const std::vector<double> weights = {-1, 0, 0.5, 3, 7, kInfinity, kNan};
  Int128 largest = 0;
  for (const double a : values) {
    for (const double b : values) {
      for (const double w : weights) {
        const std::vector<double> cells = {a, b, w};
        const auto reader = count_rows_inside(
            table(cells, 3), bound, {.constant = c, .weight_bound = 3.0, .weighted = true});
        RawRows block;
        ASSERT_TRUE(reader->read(block));
        const BoundedRows rows = BoundedRows::clip(longer, block.values.data(), 1);
        Int128 norm2 = 0;
        for (const double v : rows.values()) {
          norm2 += static_cast<Int128>(v) * static_cast<Int128>(v);
        }
        EXPECT_LE(norm2, longer.norm2_bound());
        largest = std::max(largest, norm2);
        if (std::isnan(w) || w <= 0) {
          EXPECT_EQ(norm2, 0);
        }
      }
    }
  }
  EXPECT_GT(static_cast<double>(largest), 0.9999 * static_cast<double>(longer.norm2_bound()));
}

TEST(People, RowsOfNormOne) {
  const RowBound about = *RowBound::row_norm(2, 1.0, RowBound::kDefaultMaxAbs, {1.0, 0.0});
  const std::vector<double> cells = {4, 4, 1, 0, kNan, -2, kInfinity, 1, 1e300, 1e300};
  const std::vector<Row> rows = read_all(*normalise_rows(table(cells, 2), about, false));
  EXPECT_NEAR(rows[0][0], 0.6, 1e-15);
  EXPECT_NEAR(rows[0][1], 0.8, 1e-15);
  EXPECT_EQ(rows[1], (Row{0, 0}));
  EXPECT_EQ(rows[2], (Row{0, -1}));
  EXPECT_EQ(rows[3], (Row{0, 1}));  // infinity is no number: the cell counts as missing
  EXPECT_NEAR(rows[4][0], std::sqrt(0.5), 1e-15);
}

}  // namespace
}  // namespace eigenveil::test::people_test
