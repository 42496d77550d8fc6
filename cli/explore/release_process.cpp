#include "cli/explore/release_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

#include "cli/spawned.hpp"

namespace eigenveil::cli {
namespace {

/// The environment without a ledger of its own: the command names the one that is charged.
std::vector<char*> environment_without_ledger() {
  std::vector<char*> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("EIGENVEIL_LEDGER=")) {
      kept.push_back(*entry);
    }
  }
  kept.push_back(nullptr);
  return kept;
}

}  // namespace

Result<std::unique_ptr<ReleaseProcess>> ReleaseProcess::start(
    const std::vector<std::string>& words, const std::filesystem::path& input,
    const std::filesystem::path& scratch) {
  std::unique_ptr<ReleaseProcess> job(new ReleaseProcess);
  job->output_ = scratch / "release.log";
  std::error_code ignored;
  job->input_bytes_ = static_cast<double>(std::filesystem::file_size(input, ignored));
  std::vector<std::string> all = {"eigenveil"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  std::vector<char*> environment = environment_without_ledger();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, job->output_.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  keep_descriptors(files);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);  // this program waits with signals blocked; its child must not
  posix_spawnattr_setsigmask(&attributes, &none);
  // Ctrl-C in a terminal goes to this program, which ends the release and says what became of it.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  job->began_ = std::chrono::steady_clock::now();
  const int failed = posix_spawn(&job->process_, "/proc/self/exe", &files, &attributes,
                                 arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    job->ended_ = true;
    return input_output_error("the release could not be started");
  }
  return job;
}

ReleaseProcess::~ReleaseProcess() {
  stop();
}

void ReleaseProcess::stop() {
  cancel();
  const std::lock_guard lock(mutex_);
  if (!ended_) {
    ::waitpid(process_, nullptr, 0);
    ended_ = true;
    exit_code_ = -1;
    end_ = std::chrono::steady_clock::now();
  }
}

ReleaseProcess::Status ReleaseProcess::status() {
  const std::lock_guard lock(mutex_);
  if (!ended_) {
    share_ = std::max(share_, share_read());
    int outcome = 0;
    if (::waitpid(process_, &outcome, WNOHANG) == process_) {
      ended_ = true;
      exit_code_ = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
      end_ = std::chrono::steady_clock::now();
    }
  }
  Status status;
  const auto until = ended_ ? end_ : std::chrono::steady_clock::now();
  status.seconds = std::chrono::duration<double>(until - began_).count();
  status.share_read = share_;
  if (ended_) {
    status.state = exit_code_ == 0 ? State::Released
                   : cancelled_    ? State::Cancelled
                                   : State::Failed;
    status.message = said();
  }
  return status;
}

void ReleaseProcess::cancel() {
  const std::lock_guard lock(mutex_);
  if (!ended_) {
    cancelled_ = true;
    ::kill(process_, SIGTERM);
  }
}

/// Bytes the process has read so far, by the kernel's account.
double ReleaseProcess::share_read() const {
  std::ifstream account(fmt::format("/proc/{}/io", process_));
  std::string name;
  double bytes = 0.0;
  while (account >> name >> bytes) {
    if (name == "rchar:") {
      return input_bytes_ > 0.0 ? std::min(1.0, bytes / input_bytes_) : 0.0;
    }
  }
  return 0.0;
}

std::string ReleaseProcess::said() const {
  std::ostringstream text;
  text << std::ifstream(output_).rdbuf();
  return text.str();
}

}  // namespace eigenveil::cli
