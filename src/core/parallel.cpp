#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "eigenveil/core/cancellation.hpp"

namespace eigenveil {

int default_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void run_workers(std::size_t workers, const std::function<void(std::size_t)>& work) {
  const InheritedCancellation cancellation;
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&](std::size_t worker) {
    try {
      work(worker);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      first = first ? first : std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(workers);
    for (std::size_t worker = 1; worker < workers; ++worker) {
      helpers.emplace_back([&, worker] {
        cancellation.enter();
        guarded(worker);
      });
    }
    guarded(0);
  }  // joins
  if (first) {
    std::rethrow_exception(first);
  }
}

void parallel_for(std::size_t tasks, int threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto workers = static_cast<std::size_t>(std::max(threads, 1));
  run_workers(std::clamp<std::size_t>(tasks, 1, workers), [&](std::size_t) {
    for (std::size_t task = next++; task < tasks; task = next++) {
      stop_if_cancelled();
      work(task);
    }
  });
}

}  // namespace eigenveil
