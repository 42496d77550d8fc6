#include "eigenveil/core/cancellation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "core/parallel.hpp"

namespace eigenveil::test::cancellation_test {
namespace {

TEST(Cancellation, NothingIsCancelledUnlessSomeoneAskedForIt) {
  EXPECT_FALSE(is_cancelled());
  stop_if_cancelled();
  const std::atomic<bool> never = false;
  int steps = 0;
  EXPECT_TRUE(run_cancellable(never, [&] {
    stop_if_cancelled();
    ++steps;
  }));
  EXPECT_EQ(steps, 1);
}

TEST(Cancellation, WorkEndsAtItsNextLook) {
  std::atomic<bool> cancelled = false;
  int steps = 0;
  EXPECT_FALSE(run_cancellable(cancelled, [&] {
    for (;;) {
      stop_if_cancelled();
      cancelled = ++steps == 5;
    }
  }));
  EXPECT_EQ(steps, 5);
  EXPECT_FALSE(is_cancelled());  // not beyond the run
}

TEST(Cancellation, InnerRunsGiveTheOuterTokenBack) {
  const std::atomic<bool> outer = true;
  const std::atomic<bool> inner = false;
  EXPECT_FALSE(run_cancellable(outer, [&] {
    EXPECT_TRUE(run_cancellable(inner, [] { EXPECT_FALSE(is_cancelled()); }));
    EXPECT_TRUE(is_cancelled());
    stop_if_cancelled();
    ADD_FAILURE();
  }));
}

TEST(Cancellation, HelpersStopWithTheirCaller) {
  std::atomic<bool> cancelled = false;
  std::atomic<int> endless = 0;
  EXPECT_FALSE(run_cancellable(cancelled, [&] {
    run_workers(3, [&](std::size_t) {
      cancelled = ++endless == 3;  // the last to arrive
      for (;;) {
        stop_if_cancelled();
      }
    });
    ADD_FAILURE();
  }));
  std::atomic<int> tasks = 0;
  EXPECT_FALSE(
      run_cancellable(cancelled, [&] { parallel_for(1000, 3, [&](std::size_t) { ++tasks; }); }));
  EXPECT_EQ(tasks, 0);
}

TEST(Cancellation, WhatAHelperThrowsReachesTheCaller) {
  EXPECT_THROW(run_workers(3,
                           [](std::size_t worker) {
                             if (worker == 2) {
                               throw std::runtime_error("helper");
                             }
                           }),
               std::runtime_error);
}

}  // namespace
}  // namespace eigenveil::test::cancellation_test
