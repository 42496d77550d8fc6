#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "table_support.hpp"

namespace eigenveil::test::sources_test {
namespace {

const std::string kText = "a,b\n1,2\n3,4\n";
const std::vector<double> kValues = {1, 2, 3, 4};

/// Standard input comes from a file or pipe for a scope.
class RedirectedInput {
 public:
  explicit RedirectedInput(int descriptor) : before_(::dup(STDIN_FILENO)) {
    ::dup2(descriptor, STDIN_FILENO);
    ::close(descriptor);
  }
  RedirectedInput(const RedirectedInput&) = delete;
  RedirectedInput& operator=(const RedirectedInput&) = delete;
  ~RedirectedInput() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }

 private:
  int before_;
};

TEST(Sources, StandardInputFromPipe) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], kText.data(), kText.size()), static_cast<ssize_t>(kText.size()));
  ::close(ends[1]);
  const RedirectedInput input(ends[0]);
  auto reader = open_rows("-", {});
  ASSERT_TRUE(reader);
  EXPECT_FALSE((*reader)->progress());
  RawRows block;
  ASSERT_TRUE((*reader)->read(block));
  EXPECT_EQ(block.values, kValues);
}

TEST(Sources, StandardInputFromFileStaysOpen) {
  const TemporaryFile file(kText, ".csv");
  const RedirectedInput input(::open(file.path().c_str(), O_RDONLY));
  const Result<Table> table = read_table("-");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->values, kValues);
  EXPECT_NE(::fcntl(STDIN_FILENO, F_GETFD), -1);
}

TEST(Sources, UnreadableFilesAreInputOutputErrors) {
  const Result<Table> missing = read_table("/nonexistent/table.csv");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::InputOutput);
  EXPECT_EQ(missing.error().message,
            "/nonexistent/table.csv cannot be read: No such file or directory.");
  for (const char* ending : {".csv", ".npy", ".tsv.gz"}) {
    const std::string path = std::filesystem::temp_directory_path().string() + "/eigenveil-" +
                             std::to_string(::getpid()) + "-directory" + ending;
    std::filesystem::create_directory(path);
    const Result<Table> directory = read_table(path);
    std::filesystem::remove(path);
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().code, ErrorCode::InputOutput);
    EXPECT_EQ(directory.error().message,
              path + " is a directory; give the file that holds the table.");
  }
}

TEST(Sources, UnknownEndingListsTheKnownOnes) {
  const Result<Table> table = read_table("table.xlsx");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::BadRequest);
  EXPECT_EQ(table.error().message,
            "the format of table.xlsx is unknown; the name must end in one of .csv .tsv .txt (also "
            ".gz) .npy .bed .idx .idx.gz -ubyte -ubyte.gz or be - for CSV on standard input.");
}

TEST(Sources, GzipTruncatedAnywhereIsAnError) {
  const std::string packed = gzip(kText);
  ASSERT_TRUE(read_text(packed, {}, ".csv.gz"));
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const TemporaryFile file(packed.substr(0, size), ".csv.gz");
    const Result<Table> table = read_table(file.path());
    ASSERT_FALSE(table) << size;
    EXPECT_EQ(table.error().code, ErrorCode::BadRequest);
    EXPECT_EQ(table.error().message,
              file.path() + " ends in the middle of the compressed data; is it truncated?");
  }
}

TEST(Sources, GzipDamageIsAnError) {
  const std::string packed = gzip(kText);
  std::string wrong_checksum = packed;
  wrong_checksum[packed.size() - 8] = static_cast<char>(wrong_checksum[packed.size() - 8] ^ 1);
  for (const std::string& bytes : {wrong_checksum, packed + "trailing", kText}) {
    const TemporaryFile file(bytes, ".csv.gz");
    const Result<Table> table = read_table(file.path());
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().message, file.path() + " is not a valid gzip file.");
    EXPECT_EQ(table.error().code, ErrorCode::BadRequest);
  }
}

TEST(Sources, ErrorsRepeat) {
  ReadOptions options;
  options.chunk_bytes = 4;
  const TemporaryFile file("a,b\n1,2\n3,\"4\n", ".csv");
  auto reader = open_rows(file.path(), options);
  ASSERT_TRUE(reader);
  RawChunk chunk;
  std::uint64_t sequence = 0;
  Result<bool> more = (*reader)->next_chunk(chunk);
  for (; more && *more; more = (*reader)->next_chunk(chunk)) {
    EXPECT_EQ(chunk.sequence, sequence++);
  }
  for (int again = 0; again < 2; ++again) {
    ASSERT_FALSE(more);
    EXPECT_EQ(chunk.sequence, sequence);
    EXPECT_EQ(more.error().message, "line 3: a quote is opened and never closed.");
    more = (*reader)->next_chunk(chunk);
  }
}

TEST(Sources, ProgressGrowsToOne) {
  std::string text = "a,b\n";
  for (int row = 0; row < 5000; ++row) {
    text += std::to_string(row * 7919 % 1000) + "," + std::to_string(row) + "\n";
  }
  ReadOptions options;
  options.chunk_bytes = 1000;
  for (const bool packed : {false, true}) {
    const TemporaryFile file(packed ? gzip(text) : text, packed ? ".csv.gz" : ".csv");
    auto reader = open_rows(file.path(), options);
    ASSERT_TRUE(reader);
    RawRows block;
    double before = 0.0;
    do {
      ASSERT_TRUE((*reader)->read(block));
      ASSERT_TRUE((*reader)->progress());
      EXPECT_GE(*(*reader)->progress(), before);
      before = *(*reader)->progress();
    } while (block.rows > 0);
    EXPECT_EQ(before, 1.0);
  }
}

}  // namespace
}  // namespace eigenveil::test::sources_test
