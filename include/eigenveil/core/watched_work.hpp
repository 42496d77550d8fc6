#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

// For faces in languages that have a thread of their own, Ctrl-C and exceptions. The library itself
// throws nothing: a face turns a failure into an exception at its edge.

/// An error on its way to that edge.
struct Failure {
  Error error;
};

template <class T>
T unwrap(Result<T>&& result) {
  if (!result) {
    throw Failure{result.error()};
  }
  return std::move(*result);
}
inline void unwrap(Result<void>&& result) {
  if (!result) {
    throw Failure{result.error()};
  }
}

/// Runs `work` on a thread of its own. Meanwhile the calling thread calls `look` about ten times a
/// second; when that throws, `work` is cancelled (core/cancellation.hpp) and awaited, and the
/// exception goes on: no result of it is used. What `work` throws goes on too.
void run_watched(const std::function<void()>& work, const std::function<void()>& look);

/// The same for work with a result; `run` is run_watched with the `look` of the face.
template <class Run, class Work>
std::invoke_result_t<Work> result_of(const Run& run, const Work& work) {
  std::optional<std::invoke_result_t<Work>> result;
  run([&] { result.emplace(work()); });
  return *std::move(result);
}

}  // namespace eigenveil
