#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "binding.hpp"

namespace eigenveil::r {
namespace {

void look_for_interrupt(void* /*nothing*/) {
  R_CheckUserInterrupt();
}

}  // namespace

void run_interruptibly(const std::function<void()>& work) {
  std::atomic<bool> cancelled = false;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr thrown;
  std::thread worker([&] {
    try {
      run_cancellable(cancelled, work);
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::scoped_lock lock(mutex);
    done = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; })) {
    lock.unlock();
    if (!cancelled && R_ToplevelExec(look_for_interrupt, nullptr) == FALSE) {
      cancelled = true;
    }
    lock.lock();
  }
  lock.unlock();
  worker.join();
  if (cancelled) {
    throw Interrupted{};
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

}  // namespace eigenveil::r

SEXP at_the_edge(const std::function<SEXP()>& work) {
  using namespace eigenveil;
  const auto refusal = [](const char* kind, const Error& error) {
    cpp11::sexp list = r::named_list({{"code", cpp11::as_sexp(kind)},
                                      {"message", cpp11::as_sexp(error.message)},
                                      {"parameter", cpp11::as_sexp(error.parameter)}});
    list.attr("class") = "eigenveil_refusal";
    return static_cast<SEXP>(list);
  };
  try {
    return work();
  } catch (const r::Failure& failure) {
    return refusal(failure.error.code == ErrorCode::InputOutput ? "input-output" : "bad-request",
                   failure.error);
  } catch (const r::Interrupted&) {
    return refusal("interrupted", {});
  } catch (const nlohmann::json::exception&) {
    return refusal("bad-request",
                   {ErrorCode::BadRequest, "a text that was handed over is not valid UTF-8"});
  }
}
