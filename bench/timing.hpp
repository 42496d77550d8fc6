#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <vector>

namespace eigenveil::bench {

struct Time {
  double wall;
  double processor;  ///< of the whole process: a busy machine disturbs it less
};

inline Time time_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  run();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace eigenveil::bench
