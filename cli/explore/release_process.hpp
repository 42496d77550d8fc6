#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil::cli {

/// A release under way: the command on the screen, run as a process of its own by this very
/// program, so that the page can do nothing the command line does not, and the same rules hold:
/// reserved before a row is read, appearing whole or not at all. In a group of its own: Ctrl-C in
/// the terminal reaches the explorer alone, which ends the release and says what became of it.
class ReleaseProcess {
 public:
  enum class State : unsigned char { Running, Released, Failed, Cancelled };
  struct Status {
    State state = State::Running;
    double seconds = 0.0;
    double share_read = 0.0;   ///< of the table's bytes, about
    std::string message = {};  ///< what the command said
  };

  /// `words` without the program's name.
  static Result<std::unique_ptr<ReleaseProcess>> start(const std::vector<std::string>& words,
                                                       const std::filesystem::path& input,
                                                       const std::filesystem::path& scratch);
  ReleaseProcess(const ReleaseProcess&) = delete;
  ReleaseProcess& operator=(const ReleaseProcess&) = delete;
  ~ReleaseProcess();

  Status status();
  /// Stops it. What was reserved stays spent.
  void cancel();
  /// The same, and waits for its end.
  void stop();

 private:
  ReleaseProcess() = default;
  double share_read() const;
  std::string said() const;

  std::mutex mutex_;
  pid_t process_ = -1;
  bool ended_ = false;
  bool cancelled_ = false;
  int exit_code_ = 0;
  std::filesystem::path output_;
  double input_bytes_ = 0.0;
  double share_ = 0.0;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace eigenveil::cli
