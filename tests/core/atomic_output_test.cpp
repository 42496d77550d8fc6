#include "core/atomic_output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace eigenveil::test::atomic_output_test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDocument = R"({"eigenveil": "0", "arrays": [{"name": "array.csv"}]})";

class AtomicOutput : public testing::Test {
 protected:
  fs::path folder_ =
      fs::temp_directory_path() / ("eigenveil-core-" + std::to_string(::getpid()) + "-" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Everything below the folder, hidden names included.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
      found.push_back(entry.path().lexically_relative(folder_).string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result<void> publish(const fs::path& target, std::string_view array,
                       Existing existing = Existing::Replace) const {
    Result<AtomicDirectory> output = AtomicDirectory::create(target, existing);
    if (!output) {
      return error_of(output);
    }
    return output->write("release.json", kDocument)
        .and_then([&] { return output->write("array.csv", array); })
        .and_then([&] { return output->publish(); });
  }
};

using Names = std::vector<std::string>;

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777U;
}

TEST_F(AtomicOutput, FileIsReplacedWholeWithTheAccessAskedFor) {
  const fs::path path = folder_ / "file";
  ASSERT_TRUE(write_file_atomically(path, "first"));
  ASSERT_TRUE(write_file_atomically(path, "second", FileAccess::OwnerOnly));
  EXPECT_EQ(read(path), "second");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(names(), Names{"file"});
}

TEST_F(AtomicOutput, PiecesAppearTogetherOrNotAtAll) {
  const fs::path path = folder_ / "file";
  ASSERT_TRUE(write_file_atomically(path, "old"));
  {
    Result<AtomicFile> abandoned = AtomicFile::create(path);
    ASSERT_TRUE(abandoned);
    ASSERT_TRUE(abandoned->append("half"));
    EXPECT_EQ(read(path), "old");
  }
  EXPECT_EQ(names(), Names{"file"});
  EXPECT_EQ(read(path), "old");
  Result<AtomicFile> output = AtomicFile::create(path, FileAccess::OwnerOnly);
  ASSERT_TRUE(output);
  ASSERT_TRUE(output->append("ab"));
  ASSERT_TRUE(output->write_at(4, "ef"));
  ASSERT_TRUE(output->append("cd"));
  ASSERT_TRUE(output->publish());
  EXPECT_EQ(read(path), "abcdef");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(names(), Names{"file"});
}

TEST_F(AtomicOutput, FileBehindALinkIsReplacedAndTheLinkStays) {
  ASSERT_TRUE(write_file_atomically(folder_ / "real", "old"));
  fs::create_symlink("real", folder_ / "link");
  ASSERT_TRUE(write_file_atomically(folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read(folder_ / "real"), "new");
}

TEST_F(AtomicOutput, DevicesAndDirectoriesAreRefused) {
  fs::create_symlink("/dev/null", folder_ / "null");
  fs::create_directory(folder_ / "directory");
  for (const char* name : {"null", "directory"}) {
    const Result<void> written = write_file_atomically(folder_ / name, "bytes");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::BadRequest);
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(names(), (Names{"directory", "null"}));
}

TEST_F(AtomicOutput, UnwritablePlacesAreInputOutputErrors) {
  const fs::path file = "/proc/self/nowhere";  // refuses root as well
  const Result<void> written = write_file_atomically(file, "bytes");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::InputOutput);
  EXPECT_NE(written.error().message.find(file.string()), std::string::npos);
  const Result<void> directory = publish("/proc/self/nowhere/out", "array");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().code, ErrorCode::InputOutput);
}

TEST_F(AtomicOutput, PermissionDeniedIsAnInputOutputError) {
  const fs::path closed = folder_ / "closed";
  fs::create_directory(closed);
  ASSERT_EQ(::chmod(closed.c_str(), 0555), 0);
  const uid_t user = ::geteuid();
  ASSERT_TRUE(user != 0 || ::seteuid(65534) == 0);  // root may write anywhere, nobody may not
  const Result<void> file = write_file_atomically(closed / "file", "bytes");
  const Result<void> directory = publish(closed / "out", "array");
  ASSERT_EQ(::seteuid(user), 0);
  ASSERT_EQ(::chmod(closed.c_str(), 0755), 0);
  ASSERT_FALSE(file);
  ASSERT_FALSE(directory);
  EXPECT_EQ(file.error().code, ErrorCode::InputOutput);
  EXPECT_EQ(directory.error().code, ErrorCode::InputOutput);
}

TEST_F(AtomicOutput, DirectoryAppearsWithItsParents) {
  ASSERT_TRUE(publish(folder_ / "a" / "b" / "out/", "array"));
  EXPECT_EQ(names(), (Names{"a", "a/b", "a/b/out", "a/b/out/array.csv", "a/b/out/release.json"}));
}

TEST_F(AtomicOutput, AnAbandonedDirectoryLeavesNothing) {
  {
    Result<AtomicDirectory> output = AtomicDirectory::create(folder_ / "a" / "b" / "out");
    ASSERT_TRUE(output);
    ASSERT_TRUE(output->write("array.csv", "bytes"));
    EXPECT_FALSE(fs::exists(folder_ / "a" / "b" / "out"));
    const AtomicDirectory moved = std::move(*output);
  }
  EXPECT_EQ(names(), Names{});
}

TEST_F(AtomicOutput, AnEarlierReleaseIsReplacedWhole) {
  const fs::path out = folder_ / "out";
  ASSERT_TRUE(publish(out, "first"));
  ASSERT_TRUE(publish(out, "second"));
  EXPECT_EQ(read(out / "array.csv"), "second");
  EXPECT_EQ(names(), (Names{"out", "out/array.csv", "out/release.json"}));
}

TEST_F(AtomicOutput, AnEarlierReleaseStaysUnlessToldOtherwise) {
  const fs::path out = folder_ / "out";
  fs::create_directory(out);
  ASSERT_TRUE(publish(out, "first", Existing::Refuse));  // empty: nothing is lost
  const Result<void> again = publish(out, "second", Existing::Refuse);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::BadRequest);
  EXPECT_NE(again.error().message.find("{replace}"), std::string::npos);
  Result<AtomicDirectory> slow = AtomicDirectory::create(folder_ / "late");
  ASSERT_TRUE(slow && slow->write("array.csv", "slow"));
  ASSERT_TRUE(publish(folder_ / "late", "quick"));
  EXPECT_FALSE(slow->publish());  // also one that came in between
  EXPECT_EQ(read(folder_ / "late" / "array.csv"), "quick");
  EXPECT_EQ(read(out / "array.csv"), "first");
}

TEST_F(AtomicOutput, ForeignFilesAreNotLost) {
  const fs::path out = folder_ / "out";
  ASSERT_TRUE(publish(out, "first"));
  ASSERT_TRUE(write_file_atomically(out / "notes.txt", "mine"));
  const Result<void> again = publish(out, "second");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::BadRequest);
  EXPECT_EQ(read(out / "notes.txt"), "mine");
  EXPECT_EQ(read(out / "array.csv"), "first");
  EXPECT_EQ(names().size(), 4U);
}

TEST_F(AtomicOutput, SomeoneElsesDocumentIsNotARelease) {
  fs::create_directory(folder_ / "out");
  ASSERT_TRUE(write_file_atomically(folder_ / "out" / "release.json", R"({"version": 3})"));
  EXPECT_FALSE(publish(folder_ / "out", "array"));
  EXPECT_EQ(read(folder_ / "out" / "release.json"), R"({"version": 3})");
}

TEST_F(AtomicOutput, ADirectoryBehindALinkIsReplacedAndTheLinkStays) {
  fs::create_directory(folder_ / "real");
  fs::create_directory_symlink("real", folder_ / "link");
  ASSERT_TRUE(publish(folder_ / "link", "first"));
  ASSERT_TRUE(publish(folder_ / "link", "second"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read(folder_ / "real" / "array.csv"), "second");
}

TEST_F(AtomicOutput, ANameIsWrittenOnce) {
  Result<AtomicDirectory> output = AtomicDirectory::create(folder_ / "out");
  ASSERT_TRUE(output);
  ASSERT_TRUE(output->write("array.csv", "bytes"));
  EXPECT_FALSE(output->write("array.csv", "others"));
}

}  // namespace
}  // namespace eigenveil::test::atomic_output_test
