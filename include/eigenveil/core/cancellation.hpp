#pragma once

#include <atomic>
#include <functional>

namespace eigenveil {

/// Runs `work` to its end (true), or until `cancelled` turns true (false). The library's long loops
/// look at it; work that is stopped is unwound, so its result never exists and there is nothing
/// that could be published. Threads that `work` starts through core/parallel.hpp stop with it. A
/// matrix decomposition is not stopped inside, only before. Nothing is thrown past this call but
/// what `work` itself throws.
///
/// When a release is stopped, the moment tells whether it would have ended by then, which may
/// depend on the data and is in no guarantee: docs/threat-model.md.
bool run_cancellable(const std::atomic<bool>& cancelled, const std::function<void()>& work);

/// For loops inside the library. Outside run_cancellable nothing is ever cancelled.
bool is_cancelled();
/// Leaves the enclosing run_cancellable if it is cancelled. Called between steps that take no
/// longer than a person waits; costs two loads.
void stop_if_cancelled();

/// Makes a helper thread stop with the thread that made this object.
class InheritedCancellation {
 public:
  InheritedCancellation();
  void enter() const;  ///< on the helper, before its work

 private:
  const std::atomic<bool>* token_;
};

}  // namespace eigenveil
