// .gram files: round trip, mode, and every damaged file refused without a crash.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/bytes.hpp"
#include "gram_support.hpp"
#include "support/seed.hpp"
#include "support/source_directory.hpp"

namespace eigenveil::test::gram_file_test {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Result<ExactGram> load_bytes(const std::string& bytes) {
  const TemporaryPath file("damaged.gram");
  std::ofstream(file.path(), std::ios::binary) << bytes;
  return ExactGram::load(file.path());
}

std::string saved(const ExactGram& gram) {
  const TemporaryPath file("saved.gram");
  EXPECT_TRUE(gram.save(file.path()));
  return bytes_of(file.path());
}

constexpr std::size_t kDigestBytes = 32;

/// A forger can make the checksum right.
std::string with_right_checksum(std::string bytes) {
  bytes.resize(bytes.size() - kDigestBytes);
  const Digest digest = sha256(bytes);
  bytes.append(digest.begin(), digest.end());
  return bytes;
}

ExactGram small_gram() {
  return gram_of(*RowBound::row_norm(2, 1.0, 64), {0.5, 0.25, -0.75, 0.125});
}

TEST(GramFile, RoundTripsAndIsPrivate) {
  std::mt19937_64 engine(seed_for("gram.file"));
  for (const std::size_t dimension : {1U, 3U, 20U}) {
    for (const RowBound& bound : bounds_of_every_kind(dimension, (1 << 24) - 1)) {
      ExactGram gram = gram_of(bound, awkward_rows(engine, 50, dimension));
      for (int merges = 0; merges < 3; ++merges) {
        const TemporaryPath file("round-trip.gram");
        ASSERT_TRUE(gram.save(file.path()));
        const Result<ExactGram> loaded = ExactGram::load(file.path());
        ASSERT_TRUE(loaded) << loaded.error().message;
        EXPECT_EQ(*loaded, gram);
        EXPECT_EQ(saved(*loaded), bytes_of(file.path()));
        EXPECT_FALSE(ExactGram(gram).merge(*loaded)) << "shards survive the file";
        const auto mode = std::filesystem::status(file.path()).permissions();
        EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        ASSERT_TRUE(gram.merge(gram_of(bound, awkward_rows(engine, 20, dimension))));
      }
    }
  }
  EXPECT_EQ(saved(small_gram()).rfind("EIGENVEIL-GRAM 5 PRIVATE DATA: do not publish or share", 0),
            0U);
}

TEST(GramFile, AnEmptyTableRoundTrips) {
  const ExactGram empty = gram_of(*RowBound::row_norm(2, 1.0), {});
  const Result<ExactGram> loaded = load_bytes(saved(empty));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(*loaded, empty);
}

/// Files that earlier versions wrote: totals, names and bound as they were, gaps as they were
/// taken.
TEST(GramFile, OlderVersionsAreRead) {
  const auto folder = std::filesystem::path(source_directory()) / "tests/statistics/golden";
  const Result<ExactGram> first = ExactGram::load(folder / "version1");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->schema().columns, (std::vector<std::string>{"question_1", "question_2"}));
  EXPECT_EQ(trusted::totals(*first).count, 400U);
  EXPECT_TRUE(first->schema().fills_gaps);
  const Result<ExactGram> second = ExactGram::load(folder / "version2");
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->schema().counted_alleles.empty());
  EXPECT_EQ(*load_bytes(saved(*second)), *second);
  const Result<ExactGram> third = ExactGram::load(folder / "version3");
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(*load_bytes(saved(*third)), *third);
  EXPECT_EQ(load_bytes(saved(*third))->parts(), third->parts());
  const Result<ExactGram> fourth = ExactGram::load(folder / "version4");
  ASSERT_TRUE(fourth) << fourth.error().message;
  EXPECT_EQ(fourth->identity(), (ShardIdentity{"run", 1, 3}));
  EXPECT_FALSE(fourth->schema().people.given());
  EXPECT_EQ(load_bytes(saved(*fourth))->parts(), fourth->parts());
}

TEST(GramFile, KeepsTheRuleForMissingCellsAndThePlaceAmongShards) {
  const RowBound bound = *RowBound::row_norm(1, 1.0, 64);
  const auto shard = [&](double value, bool fills_gaps, std::uint64_t index) {
    Schema schema{{"c1"}};
    schema.fills_gaps = fills_gaps;
    GramAccumulator accumulator(schema, bound, 1);
    EXPECT_TRUE(accumulator.add(MatrixView::row_major(&value, 1, 1)));
    ExactGram gram = *accumulator.finish();
    gram.set_identity({"run", index, 2});
    return *load_bytes(saved(gram));
  };
  ExactGram total = shard(0.5, false, 0);
  EXPECT_FALSE(total.schema().fills_gaps);
  EXPECT_EQ(total.identity(), (ShardIdentity{"run", 0, 2}));
  EXPECT_FALSE(total.merge(shard(0.25, false, 0))) << "a task that ran twice";
  ASSERT_TRUE(total.merge(shard(0.25, true, 1)));
  EXPECT_TRUE(total.schema().fills_gaps) << "one part filled gaps";
  EXPECT_FALSE(total.identity());
  EXPECT_FALSE(load_bytes(saved([&] {
    ExactGram gram = small_gram();
    gram.set_identity({"run", 2, 2});
    return gram;
  }())))
      << "no third of two";
}

TEST(GramFile, MergedFilesDoNotDependOnTheOrder) {
  const RowBound bound = *RowBound::row_norm(2, 1.0, 64);
  const ExactGram parts[3] = {small_gram(), gram_of(bound, {0.1, 0.2}), gram_of(bound, {0.3, 0.9})};
  const auto merged = [&](int a, int b, int c) {
    ExactGram total = parts[a];
    EXPECT_TRUE(total.merge(parts[b]));
    EXPECT_TRUE(total.merge(parts[c]));
    return saved(total);
  };
  EXPECT_EQ(merged(0, 1, 2), merged(2, 1, 0));
  EXPECT_EQ(merged(0, 1, 2), merged(1, 0, 2));
}

TEST(GramFile, EveryChangedByteIsRefused) {
  const std::string good = saved(small_gram());
  ASSERT_TRUE(load_bytes(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const unsigned flip : {1U, 0x80U, 0xffU}) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ flip);
      const Result<ExactGram> loaded = load_bytes(bad);
      ASSERT_FALSE(loaded) << i;
      EXPECT_EQ(loaded.error().code, ErrorCode::BadRequest);
    }
  }
}

TEST(GramFile, EveryTruncationAndAppendixIsRefused) {
  const std::string good = saved(small_gram());
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(load_bytes(good.substr(0, length))) << length;
  }
  EXPECT_FALSE(load_bytes(good + '\0'));
  EXPECT_FALSE(load_bytes(with_right_checksum(good + std::string(16, '\0'))));
}

TEST(GramFile, ForgedFieldsNeitherCrashNorAllocate) {
  // Every 8-byte field after the first line replaced by hostile numbers, with a right checksum.
  const std::string good = saved(small_gram());
  const std::size_t start = good.find('\n') + 1;
  for (std::size_t at = start; at + 8 + kDigestBytes <= good.size(); ++at) {
    for (const std::uint64_t hostile :
         {std::uint64_t{0}, std::uint64_t{1} << 15U, std::uint64_t{1} << 40U, ~std::uint64_t{0},
          std::uint64_t{1} << 63U, std::uint64_t{0x7ff0000000000000}}) {
      ByteWriter field;
      field.integer(hostile);
      std::string bad = good;
      bad.replace(at, 8, field.view());
      const Result<ExactGram> loaded = load_bytes(with_right_checksum(bad));
      if (loaded) {  // such as another column name or the same value: still a usable statistic
        ExactGram sum = *loaded;
        EXPECT_FALSE(sum.merge(*loaded));
      }
    }
  }
  // The totals of one shard are named by its fingerprint: a changed total never loads.
  std::string changed = good;
  changed[changed.size() - kDigestBytes - 16] ^= 1;
  EXPECT_FALSE(load_bytes(with_right_checksum(changed)));
}

TEST(GramFile, SaysWhatIsWrong) {
  const std::string good = saved(small_gram());
  const auto message = [](const std::string& bytes) { return load_bytes(bytes).error().message; };
  EXPECT_EQ(message("a,b\n1,2\n"),
            "the file is not a .gram file: it does not start with EIGENVEIL-GRAM");
  std::string version = good;
  version[15] = '6';
  EXPECT_EQ(message(version),
            "the .gram file is damaged or of another version; this program reads versions 1 to 5");
  EXPECT_EQ(message(good.substr(0, good.size() - 1)),
            "the .gram file is damaged: its checksum does not match its content");
  std::string wide = good;
  wide[good.find('\n') + 1 + 6] = 1;
  EXPECT_EQ(message(with_right_checksum(wide)),
            "the .gram file is damaged: its number of columns is out of range");
  const Result<ExactGram> absent = ExactGram::load("/nonexistent/x.gram");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::InputOutput);
  EXPECT_FALSE(ExactGram::load("/tmp"));
}

TEST(GramFile, NoMessageContainsAValueOfTheData) {
  // Every total of this table, and its grid cells, contain 7777.
  const RowBound bound = *RowBound::ranges({{-7777, 7777}}, {}, 7777);
  const ExactGram poisoned = gram_of(bound, {7777});
  const std::string good = saved(poisoned);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    for (const std::string& bytes : {bad, with_right_checksum(bad)}) {
      const Result<ExactGram> loaded = load_bytes(bytes);
      if (!loaded) {
        EXPECT_EQ(loaded.error().message.find("7777"), std::string::npos);
        EXPECT_EQ(loaded.error().message.find("60481729"), std::string::npos);  // 7777^2
      }
    }
  }
  ExactGram twice = poisoned;
  const Result<void> merged = twice.merge(poisoned);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().message.find("7777"), std::string::npos);
}

}  // namespace
}  // namespace eigenveil::test::gram_file_test
