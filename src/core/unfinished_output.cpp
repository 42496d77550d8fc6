#include "core/unfinished_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

struct Unfinished {
  fs::path hidden;
  std::vector<fs::path> new_parents;
  bool sealed = false;
};

/// Of the process, and never destroyed: a thread may still look while the process ends.
struct Registry {
  std::mutex mutex;
  std::map<int, Unfinished> entries;
  int last = 0;
};

Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};

/// Where the handler, which may do next to nothing, tells the thread that may.
int told = -1;

extern "C" void tell_of_signal(int number) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = ::write(told, &byte, 1);
  errno = before;
}

/// Ends the process unless something is about to appear. Nothing is made while it holds the lock,
/// and it keeps it.
void end_by(int number) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  for (const auto& [key, one] : all.entries) {
    if (one.sealed) {
      return;
    }
  }
  std::error_code ignored;
  for (const auto& [key, one] : all.entries) {
    fs::remove_all(one.hidden, ignored);
    for (const fs::path& parent : one.new_parents) {
      fs::remove(parent, ignored);  // leaves a directory that someone has put a file into
    }
  }
  std::signal(number, SIG_DFL);
  std::raise(number);
  ::_exit(128 + number);  // where it is blocked
}

}  // namespace

UnfinishedOutput::UnfinishedOutput(fs::path hidden, std::vector<fs::path> new_parents) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  number_ = ++all.last;
  all.entries[number_] = {std::move(hidden), std::move(new_parents)};
}

UnfinishedOutput::UnfinishedOutput(UnfinishedOutput&& other) noexcept
    : number_(std::exchange(other.number_, 0)) {}

UnfinishedOutput::~UnfinishedOutput() {
  if (number_ == 0) {
    return;
  }
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.entries.erase(number_);
}

void UnfinishedOutput::seal() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.entries.find(number_); found != all.entries.end()) {
    found->second.sealed = true;
  }
}

std::unique_lock<std::mutex> UnfinishedOutput::making() {
  return std::unique_lock(registry().mutex);
}

struct EndsCleanly::Inside {
  std::array<int, 2> pipe = {-1, -1};
  std::array<struct sigaction, kEnding.size()> before = {};
  std::thread thread;
};

EndsCleanly::EndsCleanly() : inside_(std::make_unique<Inside>()) {
  if (::pipe2(inside_->pipe.data(), O_CLOEXEC) != 0) {
    return;  // then signals end the process as they would without
  }
  told = inside_->pipe[1];
  inside_->thread = std::thread([from = inside_->pipe[0]] {
    unsigned char number = 0;
    for (;;) {
      const ssize_t read = ::read(from, &number, 1);
      if (read == 1 && number != 0) {
        end_by(number);
      } else if (read != -1 || errno != EINTR) {
        return;
      }
    }
  });
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    struct sigaction action = {};
    action.sa_handler = tell_of_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(kEnding[i], nullptr, &inside_->before[i]);
    if (inside_->before[i].sa_handler == SIG_DFL) {
      ::sigaction(kEnding[i], &action, nullptr);
    }
  }
}

EndsCleanly::~EndsCleanly() {
  if (!inside_->thread.joinable()) {
    return;
  }
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], &inside_->before[i], nullptr);
  }
  const unsigned char over = 0;
  [[maybe_unused]] const ssize_t written = ::write(inside_->pipe[1], &over, 1);
  inside_->thread.join();
  for (const int end : inside_->pipe) {
    ::close(end);
  }
}

}  // namespace eigenveil
