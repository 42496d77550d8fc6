#include "eigenveil/core/watched_work.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "eigenveil/core/cancellation.hpp"

namespace eigenveil::test::watched_work_test {
namespace {

struct Interrupt {};

TEST(WatchedWork, TheResultComesBackFromAnotherThread) {
  const auto here = std::this_thread::get_id();
  const auto run = [](const auto& work) { run_watched(work, [] {}); };
  EXPECT_NE(result_of(run, [] { return std::this_thread::get_id(); }), here);
  EXPECT_EQ(unwrap(result_of(run, [] { return Result<int>(3); })), 3);
}

TEST(WatchedWork, WorkThatIsInterruptedIsStoppedAndAwaited) {
  bool ended = false;
  int looks = 0;
  const auto endless = [&] {
    while (!is_cancelled()) {
      std::this_thread::yield();
    }
    ended = true;
    stop_if_cancelled();
  };
  const auto look = [&] {
    ++looks;
    throw Interrupt{};
  };
  EXPECT_THROW(run_watched(endless, look), Interrupt);
  EXPECT_TRUE(ended);
  EXPECT_EQ(looks, 1);
}

TEST(WatchedWork, WhatWorkThrowsGoesOn) {
  EXPECT_THROW(run_watched([] { throw std::runtime_error("no"); }, [] {}), std::runtime_error);
  EXPECT_THROW(unwrap(Result<int>(bad_request("no"))), Failure);
}

}  // namespace
}  // namespace eigenveil::test::watched_work_test
