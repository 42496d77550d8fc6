// Exactness: whatever the threads, chunks, order and shards, the totals are those of the
// definition.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "gram_support.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::exact_gram_test {
namespace {

/// A table cut into chunks anywhere, parsed by copying; can fail at given chunks.
class MemoryReader : public RowReader {
 public:
  MemoryReader(std::size_t dimension, std::vector<double> values, std::size_t chunk_rows,
               std::vector<std::uint64_t> failing = {})
      : schema_(numbered_columns(dimension)),
        values_(std::move(values)),
        chunk_rows_(chunk_rows),
        failing_(std::move(failing)) {}
  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override {
    const std::size_t total = values_.size() / schema_.dimension();
    chunk.sequence = next_;
    chunk.first_record = std::min(total, next_ * chunk_rows_);
    chunk.records = std::min(chunk_rows_, total - chunk.first_record);
    ++next_;
    return chunk.records > 0;
  }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    if (std::count(failing_.begin(), failing_.end(), chunk.sequence) > 0) {
      return bad_request(fmt::format("bad chunk {}", chunk.sequence));
    }
    const auto first =
        values_.begin() + static_cast<std::ptrdiff_t>(chunk.first_record * schema_.dimension());
    block.rows = chunk.records;
    block.dimension = schema_.dimension();
    block.values.assign(first, first + static_cast<std::ptrdiff_t>(block.rows * block.dimension));
    return {};
  }

 private:
  Schema schema_;
  std::vector<double> values_;
  std::size_t chunk_rows_;
  std::vector<std::uint64_t> failing_;
  std::uint64_t next_ = 0;
};

std::vector<double> rows_between(const std::vector<double>& values, std::size_t dimension,
                                 std::size_t first, std::size_t last) {
  return {values.begin() + static_cast<std::ptrdiff_t>(first * dimension),
          values.begin() + static_cast<std::ptrdiff_t>(last * dimension)};
}

std::vector<double> permuted(const std::vector<double>& values, std::size_t dimension,
                             std::mt19937_64& engine) {
  std::vector<std::size_t> order(values.size() / dimension);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), engine);
  std::vector<double> shuffled;
  for (const std::size_t i : order) {
    const std::vector<double> row = rows_between(values, dimension, i, i + 1);
    shuffled.insert(shuffled.end(), row.begin(), row.end());
  }
  return shuffled;
}

TEST(ExactGram, EqualsTheDefinitionForEveryBoundThreadsAndOrder) {
  std::mt19937_64 engine(seed_for("gram.definition"));
  for (const std::size_t dimension : {1U, 2U, 5U, 17U, 40U}) {
    for (const std::int64_t max_abs : {1, 100, 1 << 18, (1 << 24) - 3}) {
      const std::vector<double> values = awkward_rows(engine, 1 + engine() % 1500, dimension);
      for (const RowBound& bound : bounds_of_every_kind(dimension, max_abs)) {
        const GramTotals expected = brute_force(bound, values);
        const ExactGram one = gram_of(bound, values);
        EXPECT_TRUE(trusted::totals(one) == expected);
        for (int threads = 2; threads <= 4; ++threads) {
          EXPECT_EQ(gram_of(bound, permuted(values, dimension, engine), threads), one);
        }
      }
    }
  }
}

TEST(ExactGram, WideTablesAreKeptPackedAndEqualTheDefinition) {
  std::mt19937_64 engine(seed_for("gram.packed"));
  std::uniform_real_distribution<double> uniform(-1.2, 1.2);
  for (const std::size_t dimension : {255U, 256U, 257U, 302U, 1792U}) {  // packed in between
    std::vector<double> values((dimension < 1000 ? 101 : 2) * dimension);
    std::generate(values.begin(), values.end(), [&] { return uniform(engine); });
    for (const std::int64_t max_abs : {1, 100, 1 << 24}) {  // floats, doubles, a flush per 32 rows
      for (const RowBound& bound : bounds_of_every_kind(dimension, max_abs)) {
        const GramTotals expected = brute_force(bound, values);
        EXPECT_TRUE(trusted::totals(gram_of(bound, values)) == expected);
        EXPECT_TRUE(trusted::totals(gram_of(bound, values, 3)) == expected);
      }
    }
  }
}

TEST(ExactGram, ChunksAndReadersChangeNothing) {
  std::mt19937_64 engine(seed_for("gram.readers"));
  const std::size_t dimension = 6;
  const std::vector<double> values = awkward_rows(engine, 700, dimension);
  for (const RowBound& bound : bounds_of_every_kind(dimension, 1 << 18)) {
    const ExactGram one = gram_of(bound, values);
    for (const std::size_t chunk : {1U, 7U, 256U, 1000U}) {
      for (int threads = 1; threads <= 4; ++threads) {
        GramAccumulator accumulator(numbered_columns(dimension), bound, threads);
        MemoryReader reader(dimension, values, chunk);
        ASSERT_TRUE(accumulator.add(reader));
        EXPECT_EQ(*accumulator.finish(), one);
      }
    }
  }
}

TEST(ExactGram, FlushesBeforeADoubleRounds) {
  // max_abs = 2^24: 2^53 is reached by 32 rows at the extreme; odd entries make any rounding show.
  constexpr std::int64_t kMaxAbs = RowBound::kLargestMaxAbs;
  const std::vector<ColumnRange> box(3, {-1.0, 1.0});
  const RowBound bound = *RowBound::ranges(box, {}, kMaxAbs);
  std::vector<double> values;
  const double odd = 1.0 - 1.0 / static_cast<double>(kMaxAbs);
  for (std::size_t rows = 1; rows <= 200; ++rows) {
    values.insert(values.end(), {odd, rows % 2 == 0 ? 1.0 : odd, rows % 3 == 0 ? -odd : 1.0});
    const GramTotals expected = brute_force(bound, values);
    ASSERT_TRUE(trusted::totals(gram_of(bound, values)) == expected) << rows;
    ASSERT_TRUE(trusted::totals(gram_of(bound, values, 3)) == expected) << rows;
  }
  // The twin that never flushes: one double accumulator over all rows is already wrong.
  double never_flushed = 0.0;
  for (std::size_t i = 0; i < values.size(); i += 3) {
    const double entry = std::trunc(values[i] * static_cast<double>(kMaxAbs));
    never_flushed += entry * entry;
  }
  EXPECT_FALSE(static_cast<Int128>(never_flushed) == brute_force(bound, values).products[0]);
}

TEST(ExactGram, SinglePrecisionFlushesBeforeAFloatRounds) {
  // max_abs = 127 is summed in floats, 1040 rows at a time: 1040 * 127^2 <= 2^24.
  const std::vector<ColumnRange> box(2, {-127.0, 127.0});
  const RowBound bound = *RowBound::ranges(box, {}, 127);
  for (const std::size_t rows : {1039U, 1040U, 1041U, 1501U, 2079U, 5001U}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < rows; ++i) {
      values.insert(values.end(), {127.0, i % 2 == 0 ? 127.0 : -126.0});
    }
    const GramTotals expected = brute_force(bound, values);
    EXPECT_TRUE(trusted::totals(gram_of(bound, values)) == expected) << rows;
    EXPECT_TRUE(trusted::totals(gram_of(bound, values, 2)) == expected) << rows;
    // The twin that never flushes has to round an odd total above 2^24.
    const auto never_flushed = static_cast<float>(expected.products[0]);
    EXPECT_EQ(static_cast<Int128>(never_flushed) == expected.products[0], rows <= 1040) << rows;
  }
}

TEST(ExactGram, ShardsMergedInAnyTreeEqualOnePass) {
  const std::string seed = fmt::format("seed={}", seed_for("gram.merge_trees"));
  ::setenv("RC_PARAMS", seed.c_str(), 1);  // a pass stays a pass
  EXPECT_TRUE(rc::check("merge trees", [] {
    std::mt19937_64 engine(*rc::gen::arbitrary<std::uint64_t>());
    const auto dimension = *rc::gen::inRange<std::size_t>(1, 6);
    const auto rows = *rc::gen::inRange<std::size_t>(0, 60);
    const auto parts = *rc::gen::inRange<std::size_t>(1, 8);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> values(rows * dimension);  // continuous, so that no two shards are equal
    std::generate(values.begin(), values.end(), [&] { return uniform(engine); });
    const RowBound bound =
        bounds_of_every_kind(dimension, 1 << 24)[*rc::gen::inRange<std::size_t>(0, 3)];
    std::vector<std::size_t> cuts(parts - 1);
    std::generate(cuts.begin(), cuts.end(), [&] { return engine() % (rows + 1); });
    cuts.push_back(0);
    cuts.push_back(rows);
    std::sort(cuts.begin(), cuts.end());
    std::vector<ExactGram> shards;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      shards.push_back(gram_of(bound, rows_between(values, dimension, cuts[i], cuts[i + 1])));
    }
    while (shards.size() > 1) {
      std::shuffle(shards.begin(), shards.end(), engine);
      const ExactGram last = shards.back();
      shards.pop_back();
      RC_ASSERT(shards.back().merge(last).has_value());
    }
    const ExactGram one = gram_of(bound, values);
    RC_ASSERT(shards.front() == one);
    RC_ASSERT(shards.front().statistic_digest() == one.statistic_digest());
  }));
}

TEST(ExactGram, AddsManySmallPieces) {
  std::mt19937_64 engine(seed_for("gram.pieces"));
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  const std::vector<double> values = awkward_rows(engine, 100, 3);
  GramAccumulator accumulator(numbered_columns(3), bound, 2);
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(accumulator.add(MatrixView::row_major(values.data() + 3 * i, 1, 3)));
  }
  EXPECT_EQ(*accumulator.finish(), gram_of(bound, values));
  EXPECT_EQ(*accumulator.finish(), gram_of(bound, {})) << "starts again empty";
}

TEST(ExactGram, AnEmptyTable) {
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  const ExactGram empty = gram_of(bound, {}, 4);
  EXPECT_EQ(empty, ExactGram(numbered_columns(3), bound));
  EXPECT_EQ(trusted::totals(empty).count, 0U);
}

TEST(GramAccumulator, ReportsTheFirstErrorOfTheFileAndStaysFailed) {
  const RowBound bound = *RowBound::row_norm(2, 1.0);
  for (int threads = 1; threads <= 4; ++threads) {
    GramAccumulator accumulator(numbered_columns(2), bound, threads);
    MemoryReader reader(2, std::vector<double>(400, 0.5), 2, {17, 18, 19, 60});
    const Result<void> read = accumulator.add(reader);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, "bad chunk 17");
    EXPECT_FALSE(accumulator.add(Eigen::RowVector2d(0.0, 0.0)));
    ASSERT_FALSE(accumulator.finish());
    EXPECT_EQ(accumulator.finish().error().message, "bad chunk 17");
  }
}

TEST(GramAccumulator, RefusesTablesOfAnotherShape) {
  const RowBound bound = *RowBound::row_norm(3, 1.0);
  GramAccumulator narrow(numbered_columns(2), bound, 1);
  ASSERT_FALSE(narrow.finish());
  EXPECT_EQ(narrow.finish().error().message,
            "the table has 2 columns but the bound was made for 3");
  GramAccumulator other(numbered_columns(3), bound, 1);
  MemoryReader reader(2, {1, 2}, 1);
  EXPECT_FALSE(other.add(reader));
  const std::size_t wide = ExactGram::kLargestDimension + 1;
  GramAccumulator too_wide(numbered_columns(wide), *RowBound::row_norm(wide, 1.0), 1);
  EXPECT_FALSE(too_wide.finish());
}

}  // namespace
}  // namespace eigenveil::test::exact_gram_test
