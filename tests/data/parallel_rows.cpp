#include "data/parallel_rows.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace eigenveil::test::parallel_rows_test {
namespace {

/// Two chunks that both fail, the second to be reported only after the one named first.
class TwoFailures final : public RowReader {
 public:
  explicit TwoFailures(std::uint64_t fails_first) : fails_first_(fails_first) {}

  const Schema& schema() const override { return schema_; }

  Result<bool> next_chunk(RawChunk& chunk) override {
    chunk.sequence = cut_;
    if (cut_ == 2) {
      return false;
    }
    ++cut_;
    cut_.notify_all();
    return true;
  }

  Result<void> parse(const RawChunk& chunk, RawRows&) const override {
    for (std::uint64_t cut = cut_; cut < 2; cut = cut_) {
      cut_.wait(cut);  // both are taken before either fails
    }
    if (chunk.sequence == fails_first_) {
      failed_ = true;
      failed_.notify_all();
    } else {
      failed_.wait(false);
    }
    return bad_request("chunk " + std::to_string(chunk.sequence));
  }

 private:
  Schema schema_;
  std::uint64_t fails_first_;
  std::atomic<std::uint64_t> cut_ = 0;
  mutable std::atomic<bool> failed_ = false;
};

TEST(ParallelRows, TheErrorIsTheFirstInTheFileWhoeverReportsFirst) {
  for (int round = 0; round < 200; ++round) {
    for (const std::uint64_t fails_first : {0U, 1U}) {
      TwoFailures reader(fails_first);
      const Result<void> done = for_each_block(reader, 2, [](std::size_t, RawRows&) { FAIL(); });
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().message, "chunk 0");
    }
  }
}

/// Counts down to the end; every block holds its own number.
class Countdown final : public RowReader {
 public:
  explicit Countdown(std::uint64_t chunks) : chunks_(chunks) {}
  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override {
    chunk.sequence = cut_;
    return cut_++ < chunks_;
  }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    block.rows = 1;
    block.dimension = 1;
    block.values.assign(1, static_cast<double>(chunk.sequence));
    return {};
  }

 private:
  Schema schema_{{"x"}};
  std::uint64_t chunks_;
  std::uint64_t cut_ = 0;
};

TEST(ParallelRows, EveryBlockIsConsumedOnceWithAnyNumberOfWorkers) {
  for (const std::size_t workers : {0U, 1U, 2U, 7U}) {
    Countdown reader(1000);
    std::vector<std::vector<double>> seen(workers + 1);
    ASSERT_TRUE(for_each_block(reader, workers, [&](std::size_t worker, const RawRows& block) {
      seen[worker].push_back(block.values[0]);
    }));
    std::vector<int> times(1000, 0);
    for (const std::vector<double>& part : seen) {
      for (const double number : part) {
        ++times[static_cast<std::size_t>(number)];
      }
    }
    EXPECT_EQ(times, std::vector<int>(1000, 1));
    EXPECT_TRUE(workers == 0 || seen[workers].empty());
  }
}

}  // namespace
}  // namespace eigenveil::test::parallel_rows_test
