// Exact draws on unitary orbits, each against its bar, both columns from the same run.
//   1. A projector draw in the signal regime against drawing 2 d k normals from the same stream
//      (bar: at most 4 times).
//   2. Coalescence of the coupling from the past against the one-thread prototype (bar: at least 5
//      times faster per coalescence on two cores).
//   3. What an exact pattern costs.
// Seconds are processor seconds, so that other work on the machine does not count; "wall" is the
// elapsed time of two threads, per coalescence.
#include "sampling/orbit.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "random/normal.hpp"

namespace {

using eigenveil::ComplexMatrix;
using eigenveil::OrbitLaw;
using eigenveil::OrbitSampler;
using eigenveil::PatternCoupling;
using eigenveil::RandomStream;
using eigenveil::Vector;
using Index = Eigen::Index;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Top k from 1 to 0.9, bulk from 0.3 to 0.
Vector profile(Index d, Index k) {
  Vector y(d);
  y.head(k) = Vector::LinSpaced(k, 1.0, k > 1 ? 0.9 : 1.0);
  y.tail(d - k) = Vector::LinSpaced(d - k, 0.3, 0.0);
  return y;
}

/// Processor seconds of one call: the fastest of five batches.
template <class Work>
double seconds_per_call(const Work& work, double batch_seconds) {
  double best = 1e300;
  for (int batch = 0; batch < 5; ++batch) {
    const double start = thread_seconds();
    double elapsed = 0.0;
    double calls = 0.0;
    while (elapsed < batch_seconds) {
      work();
      calls += 1.0;
      elapsed = thread_seconds() - start;
    }
    best = std::min(best, elapsed / calls);
  }
  return best;
}

void projector_draws() {
  fmt::print("projector draw, signal regime (c = 5 d)\n{:>6} {:>4} {:>12} {:>14} {:>7}  bar 4\n",
             "d", "k", "draw us", "2dk normals us", "ratio");
  for (const auto& [d, k] : {std::pair<Index, Index>{100, 3}, {500, 10}, {2000, 10}}) {
    const OrbitLaw law{profile(d, k), Vector::Ones(k), 5.0 * static_cast<double>(d)};
    const OrbitSampler sampler = OrbitSampler::make(law).value();
    RandomStream stream = RandomStream::seeded(1);
    std::vector<double> normals(2 * static_cast<std::size_t>(d * k));
    const double draw = seconds_per_call([&] { static_cast<void>(sampler.draw(stream)); }, 0.05);
    const double fill = seconds_per_call([&] { fill_standard_normal(stream, normals); }, 0.05);
    fmt::print("{:>6} {:>4} {:>12.1f} {:>14.1f} {:>7.2f}\n", d, k, 1e6 * draw, 1e6 * fill,
               draw / fill);
  }
}

struct CouplingCase {
  Index d, k;
  double prototype_flat, prototype_peaked;
  int runs;
};

struct Coalescence {
  double cpu, wall, sweeps;
};

/// Two threads, `runs` coalescences each.
Coalescence coalescence(const PatternCoupling& law, int runs) {
  std::vector<double> cpu(2);
  std::vector<double> sweeps(2);
  const auto start = std::chrono::steady_clock::now();
  const auto work = [&](std::size_t thread) {
    RandomStream stream = eigenveil::trusted::substream(RandomStream::seeded(7), thread);
    const double before = thread_seconds();
    for (int run = 0; run < runs; ++run) {
      sweeps[thread] +=
          static_cast<double>(law.sweeps_to_coalescence(stream, std::size_t{1} << 40));
    }
    cpu[thread] = thread_seconds() - before;
  };
  std::thread second(work, 1);
  work(0);
  second.join();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const double count = 2.0 * runs;
  return {(cpu[0] + cpu[1]) / count, wall.count() / count, (sweeps[0] + sweeps[1]) / count};
}

/// Exact patterns: about a block for the start and a coalescence for the draw.
void pattern_draws() {
  fmt::print("\nexact pattern by coupling from the past, one thread\n{:>5} {:>4} {:>7} {:>12}\n",
             "d", "k", "c/d", "cpu s");
  for (const auto& [d, k] : {std::pair<Index, Index>{20, 5}, {50, 5}, {100, 3}}) {
    for (const double s : {0.0, 5.0}) {
      const Vector y = s * static_cast<double>(d) * profile(d, k);
      const PatternCoupling law(y.head(d - 1) - y.tail(d - 1), Vector::Ones(k));
      RandomStream stream = RandomStream::seeded(9);
      constexpr int kDraws = 4;
      const double before = thread_seconds();
      for (int draw = 0; draw < kDraws; ++draw) {
        static_cast<void>(law.draw(stream));
      }
      fmt::print("{:>5} {:>4} {:>7} {:>12.4f}\n", d, k, s, (thread_seconds() - before) / kDraws);
    }
  }
}

void couplings() {
  fmt::print(
      "\ncoupling from the past, per coalescence (bar: prototype / two cores at least 5)\n"
      "{:>5} {:>4} {:>7} {:>8} {:>12} {:>12} {:>12} {:>10} {:>10}\n",
      "d", "k", "c/d", "sweeps", "prototype s", "cpu s", "wall s", "cpu x2", "wall");
  for (const CouplingCase& test :
       {CouplingCase{50, 5, 0.013, 0.08, 20}, {100, 3, 0.07, 0.43, 6}, {200, 10, 5.0, 30.0, 1}}) {
    for (const double s : {0.0, 5.0}) {
      const Vector y = s * static_cast<double>(test.d) * profile(test.d, test.k);
      const PatternCoupling law(y.head(test.d - 1) - y.tail(test.d - 1), Vector::Ones(test.k));
      const double prototype = s == 0.0 ? test.prototype_flat : test.prototype_peaked;
      const Coalescence found = coalescence(law, test.runs);
      fmt::print("{:>5} {:>4} {:>7} {:>8.0f} {:>12.3f} {:>12.4f} {:>12.4f} {:>9.1f}x {:>9.1f}x\n",
                 test.d, test.k, s, found.sweeps, prototype, found.cpu, found.wall,
                 2.0 * prototype / found.cpu, prototype / found.wall);
    }
  }
}

}  // namespace

int main() {
  projector_draws();
  couplings();
  pattern_draws();
  return EXIT_SUCCESS;
}
