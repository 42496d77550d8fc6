#include "papers/entry_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace eigenveil::papers {

std::string duration_in_words(double seconds) {
  if (seconds < 100.0) {
    return fmt::format("{:.0f} s", std::ceil(seconds));
  }
  const double minutes = std::ceil(seconds / 60.0);
  if (minutes < 100.0) {
    return fmt::format("{:.0f} min", minutes);
  }
  return fmt::format("{:.0f} h {:.0f} min", std::floor(minutes / 60.0), std::fmod(minutes, 60.0));
}

EntryProgress::EntryProgress(std::string label)
    : label_(std::move(label)), visible_(::isatty(STDERR_FILENO) != 0), start_(Clock::now()) {}

EntryProgress::~EntryProgress() {
  if (visible_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
}

void EntryProgress::at(double share) {
  const Clock::time_point now = Clock::now();
  if (!visible_ || now - drawn_ < std::chrono::milliseconds(100)) {
    return;
  }
  drawn_ = now;
  constexpr std::size_t kBarWidth = 30;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      share > 0.0 ? duration_in_words(elapsed * (1.0 - share) / share) + " left" : "";
  fmt::print(stderr, "\r{} {:.<{}}{: <{}} {:3.0f}%  {}\x1b[K", label_, "", filled, "",
             kBarWidth - filled, 100.0 * share, left);
  std::fflush(stderr);
}

}  // namespace eigenveil::papers
