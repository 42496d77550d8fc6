#include "eigenveil/core/cancellation.hpp"

#include <utility>

namespace eigenveil {
namespace {

/// The one exception of the library: caught in run_cancellable, without which it is not thrown.
struct Stopped {};

// What this thread works for; a parameter would pass through every sampler down to its last loop.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local const std::atomic<bool>* current_token = nullptr;

/// Sets the token of this thread, and puts the former one back.
class TokenScope {
 public:
  explicit TokenScope(const std::atomic<bool>* token)
      : former_(std::exchange(current_token, token)) {}
  ~TokenScope() { current_token = former_; }
  TokenScope(const TokenScope&) = delete;
  TokenScope& operator=(const TokenScope&) = delete;

 private:
  const std::atomic<bool>* former_;
};

}  // namespace

bool run_cancellable(const std::atomic<bool>& cancelled, const std::function<void()>& work) {
  const TokenScope scope(&cancelled);
  try {
    work();
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

bool is_cancelled() {
  return current_token != nullptr && current_token->load(std::memory_order_relaxed);
}

void stop_if_cancelled() {
  if (is_cancelled()) {
    throw Stopped{};
  }
}

InheritedCancellation::InheritedCancellation() : token_(current_token) {}

void InheritedCancellation::enter() const {
  current_token = token_;
}

}  // namespace eigenveil
