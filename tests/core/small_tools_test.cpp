#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include <atomic>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <numeric>
#include <random>
#include <thread>

#include "core/outward.hpp"
#include "core/parallel.hpp"
#include "core/parameter_names.hpp"
#include "eigenveil/core/digest.hpp"
#include "support/seed.hpp"

namespace eigenveil::test::small_tools_test {
namespace {

TEST(ParallelFor, CallsEachTaskOnce) {
  for (const std::size_t tasks : {0, 1, 2, 3, 1000}) {
    for (const int threads : {-1, 0, 1, 2, 7, 64}) {
      std::vector<std::atomic<int>> calls(tasks);
      parallel_for(tasks, threads, [&](std::size_t task) { ++calls.at(task); });
      for (std::size_t task = 0; task < tasks; ++task) {
        ASSERT_EQ(calls[task], 1) << tasks << " tasks, " << threads << " threads, task " << task;
      }
    }
  }
}

/// Two tasks that wait for each other end only if both run at once.
TEST(ParallelFor, RunsTasksAtTheSameTime) {
  std::atomic<int> arrived{0};
  parallel_for(2, 2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2) {
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(arrived, 2);
}

TEST(ParallelFor, OneThreadIsTheCallers) {
  const std::thread::id caller = std::this_thread::get_id();
  parallel_for(5, 1, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  EXPECT_GE(default_threads(), 1);
}

using Exact = boost::multiprecision::cpp_bin_float_100;

/// One step outward bounds one IEEE operation: checked against 100 digits, on random operands.
TEST(Outward, OneStepBoundsOneOperation) {
  std::mt19937_64 generator(test::seed_for("core: outward rounding"));
  std::uniform_real_distribution<double> exponent(-30.0, 30.0);
  int inexact = 0;
  for (int i = 0; i < 20000; ++i) {
    const double a = std::exp2(exponent(generator));
    const double b = std::exp2(exponent(generator));
    const std::pair<double, Exact> operations[] = {{a + b, Exact(a) + b},
                                                   {a - b, Exact(a) - b},
                                                   {a * b, Exact(a) * b},
                                                   {a / b, Exact(a) / b},
                                                   {std::sqrt(a), sqrt(Exact(a))}};
    for (const auto& [rounded, exact] : operations) {
      ASSERT_GE(Exact(up(rounded)), exact);
      ASSERT_LE(Exact(down(rounded)), exact);
      inexact += Exact(rounded) < exact ? 1 : 0;  // the twin without `up` fails here
    }
  }
  EXPECT_GT(inexact, 10000);
}

TEST(Outward, SeveralSteps) {
  EXPECT_EQ(up(1.0), 1.0 + std::numeric_limits<double>::epsilon());
  EXPECT_EQ(up(1.0, 3), 1.0 + 3 * std::numeric_limits<double>::epsilon());
  EXPECT_EQ(down(up(1.0, 5), 5), 1.0);
  EXPECT_LT(down(0.0), 0.0);
  EXPECT_GT(up(-1.0), -1.0);
  EXPECT_TRUE(std::isinf(up(std::numeric_limits<double>::max())));
  EXPECT_EQ(up(1.0, 0), 1.0);
}

/// The test vectors of FIPS 180-2.
TEST(Messages, NamesFromOutsideAreNeverTakenForParameters) {
  EXPECT_EQ(for_command_line("no column '{row_norm}' for {weights}"),
            "no column '--row-norm' for --weights");  // what `shown` is for
  for (const std::string name :
       {"{row_norm}", "{components}", "{{row_norm}}", "{method gauss}", "a {range 0:1} b", "{",
        "{}", "{{", "{row_norm", "}{row_norm}{", "{ row_norm}", "x{y}{z}"}) {
    const std::string message = fmt::format("no column '{}' for {{weights}}", shown(name));
    EXPECT_EQ(for_command_line(message), fmt::format("no column '{}' for --weights", shown(name)));
    std::string letters = shown(name);
    std::string given = name;
    std::erase(letters, ' ');
    std::erase(given, ' ');
    EXPECT_EQ(letters, given);
  }
  EXPECT_EQ(shown("an {ordinary"), "an { ordinary");
  EXPECT_EQ(shown("income (EUR)"), "income (EUR)");
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 incremental;
  for (int i = 0; i < 1000; ++i) {
    incremental.update(std::string(1000, 'a'));
  }
  EXPECT_EQ(hex(incremental.finish()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/// Whole blocks may take another way than the rest: any cut of the text gives libsodium's answer.
TEST(Sha256, AnyPiecesGiveTheSameDigest) {
  std::string text;
  for (int i = 0; i < 700; ++i) {
    text.push_back(static_cast<char>((i * i + 7 * i) % 251));
  }
  for (std::size_t length = 0; length <= text.size(); length += 13) {
    Digest expected{};
    crypto_hash_sha256(expected.data(), reinterpret_cast<const unsigned char*>(text.data()),
                       length);
    for (const std::size_t piece : {1U, 63U, 64U, 65U, 128U, 333U, 700U}) {
      Sha256 hash;
      for (std::size_t at = 0; at < length; at += piece) {
        hash.update(text.substr(at, std::min(piece, length - at)));
      }
      EXPECT_EQ(hash.finish(), expected) << length << " in pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::small_tools_test
