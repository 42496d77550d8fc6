#include "eigenveil/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace eigenveil {

int default_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t tasks, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto drain = [&] {
    for (std::size_t task = next++; task < tasks; task = next++) {
      work(task);
    }
  };
  const std::size_t helpers =
      std::min(tasks, static_cast<std::size_t>(std::max(threads, 1))) - (tasks > 0 ? 1 : 0);
  std::vector<std::jthread> pool;
  pool.reserve(helpers);
  for (std::size_t i = 0; i < helpers; ++i) {
    pool.emplace_back(drain);
  }
  drain();
}

}  // namespace eigenveil
