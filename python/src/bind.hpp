#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "eigenveil/core/result.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil::python {

namespace nb = nanobind;

/// A library error on its way to Python, where it becomes eigenveil.EigenveilError.
struct Failure {
  Error error;
};

/// The one place where a Result turns into an exception.
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

/// Runs `work` on a thread of its own without the GIL. Meanwhile the calling thread looks for
/// Ctrl-C and calls `tick` (with the GIL) about ten times a second; if either raises, `cancelled`
/// is set, `work` is awaited and the exception goes on. `work` looks at `cancelled` and ends early.
void run_interruptibly(const std::function<void()>& work, std::atomic<bool>& cancelled,
                       const std::function<void()>& tick = {});

/// Fresh secure randomness, or the seeded stream that marks a release as not private.
inline RandomStream stream_for(const std::optional<std::uint64_t>& seed) {
  return seed ? RandomStream::seeded(*seed) : RandomStream::secure();
}

// One file per subject; a new mechanism adds its own file and one line in module.cpp.
void bind_guarantee(nb::module_& module);
void bind_rows(nb::module_& module);
void bind_moments(nb::module_& module);
void bind_exponential(nb::module_& module);
void bind_orbit(nb::module_& module);
void bind_mask(nb::module_& module);
void bind_samplers(nb::module_& module);
void bind_audit(nb::module_& module);

}  // namespace eigenveil::python
