#pragma once

#include <chrono>
#include <string>

namespace eigenveil::papers {

/// A bar with the time left on standard error, when that is a terminal; silent otherwise.
class EntryProgress {
 public:
  explicit EntryProgress(std::string label);
  EntryProgress(const EntryProgress&) = delete;
  EntryProgress& operator=(const EntryProgress&) = delete;
  ~EntryProgress();  ///< removes the bar

  /// `share` of the work is done, from 0 to 1.
  void at(double share);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool visible_;
  Clock::time_point start_;
  Clock::time_point drawn_{};
};

/// "12 s", "3 min", "1 h 20 min".
std::string duration_in_words(double seconds);

}  // namespace eigenveil::papers
