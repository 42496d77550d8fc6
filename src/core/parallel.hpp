#pragma once

#include <cstddef>
#include <functional>

namespace eigenveil {

/// Threads to use when the caller does not say: one per core.
int default_threads();

/// Calls work(0), ..., work(workers - 1) at the same time, work(0) on the calling thread, and waits
/// for all. What one of them throws is thrown on; all stop when the caller is cancelled.
void run_workers(std::size_t workers, const std::function<void(std::size_t)>& work);

/// Calls work(0), ..., work(tasks - 1), each once, on up to `threads` threads, and waits for all.
void parallel_for(std::size_t tasks, int threads, const std::function<void(std::size_t)>& work);

}  // namespace eigenveil
