#include "eigenveil/core/watched_work.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "eigenveil/core/cancellation.hpp"

namespace eigenveil {

void run_watched(const std::function<void()>& work, const std::function<void()>& look) {
  std::atomic<bool> cancelled = false;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr of_work;
  std::exception_ptr of_look;
  std::thread worker([&] {
    try {
      run_cancellable(cancelled, work);
    } catch (...) {
      of_work = std::current_exception();
    }
    const std::scoped_lock lock(mutex);
    done = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; })) {
    lock.unlock();
    try {
      if (!of_look) {
        look();
      }
    } catch (...) {
      of_look = std::current_exception();
      cancelled = true;
    }
    lock.lock();
  }
  lock.unlock();
  worker.join();
  if (of_look || of_work) {
    std::rethrow_exception(of_look ? of_look : of_work);
  }
}

}  // namespace eigenveil
