#include "core/unfinished_output.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/atomic_output.hpp"

namespace eigenveil::test::unfinished_output_test {
namespace {

namespace fs = std::filesystem;

/// A folder of this test, and a process of its own that writes there.
class Ending : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "eigenveil-ending-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_EQ(::pipe(there_.data()), 0);
    ASSERT_EQ(::pipe(back_.data()), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void tell(const std::array<int, 2>& pipe) {
    const char byte = '.';
    ASSERT_EQ(::write(pipe[1], &byte, 1), 1);
  }
  static void wait(const std::array<int, 2>& pipe) {
    char byte = 0;
    ASSERT_EQ(::read(pipe[0], &byte, 1), 1);
  }

  /// What became of a process that did `work` and got the signal when it said that it is ready.
  int ended_by(int number, const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::_exit(0);
    }
    wait(there_);
    ::kill(child, number);
    tell(back_);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }
  void ready() const { tell(there_); }
  [[noreturn]] static void wait_for_ever() {
    for (;;) {
      ::pause();
    }
  }

  fs::path folder_;
  std::array<int, 2> there_ = {};
  std::array<int, 2> back_ = {};
};

TEST_F(Ending, ASignalLeavesNothingHidden) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = ended_by(number, [&] {
      const EndsCleanly ends;
      Result<AtomicDirectory> release =
          AtomicDirectory::create(folder_ / "new" / "parents" / "out");
      const bool written = release && release->write("release.json", "{}");
      const Result<AtomicFile> file = AtomicFile::create(folder_ / "table.csv");
      if (written && file && !fs::is_empty(folder_)) {
        ready();
      }
      wait_for_ever();
    });
    EXPECT_TRUE(WIFSIGNALED(status)) << number;
    EXPECT_EQ(WTERMSIG(status), number);
    EXPECT_TRUE(fs::is_empty(folder_)) << fs::directory_iterator(folder_)->path();
  }
}

TEST_F(Ending, WhatIsSealedAppears) {
  const int status = ended_by(SIGTERM, [&] {
    std::optional<EndsCleanly> ends(std::in_place);
    Result<AtomicDirectory> release = AtomicDirectory::create(folder_ / "out");
    if (release && release->write("release.json", "{}") && release->seal()) {
      ready();
    }
    wait(back_);
    ends.reset();  // the signal has been looked at
    if (!release->publish()) {
      ::_exit(3);
    }
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(fs::exists(folder_ / "out" / "release.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Ending, WhatIsDoneIsKept) {
  const int status = ended_by(SIGTERM, [&] {
    const EndsCleanly ends;
    Result<AtomicDirectory> release = AtomicDirectory::create(folder_ / "new" / "out");
    if (release && release->write("release.json", "{}") && release->publish() &&
        write_file_atomically(folder_ / "page.html", "page")) {
      ready();
    }
    wait_for_ever();
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(fs::exists(folder_ / "new" / "out" / "release.json"));
  EXPECT_TRUE(fs::exists(folder_ / "page.html"));
}

TEST_F(Ending, WhatWasIgnoredStaysIgnored) {
  const int status = ended_by(SIGHUP, [&] {
    ::signal(SIGHUP, SIG_IGN);  // as nohup does
    std::optional<EndsCleanly> ends(std::in_place);
    ready();
    wait(back_);
    ends.reset();
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Ending, AfterwardsSignalsAreAsBefore) {
  const int status = ended_by(SIGTERM, [&] {
    { const EndsCleanly ends; }
    ready();
    wait_for_ever();
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

}  // namespace
}  // namespace eigenveil::test::unfinished_output_test
