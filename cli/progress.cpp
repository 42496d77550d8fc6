#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "engine/methods/orbit_words.hpp"

namespace eigenveil::cli {
namespace {

constexpr std::size_t kBarWidth = 62;

void draw_bar(const std::string& label, double share, bool finished) {
  const std::size_t room = kBarWidth > label.size() ? kBarWidth - label.size() : 10;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(room));
  fmt::print(stderr, "\r{}{:.<{}}{: <{}} {:3.0f}%{}", label, "", filled, "", room - filled,
             100.0 * share, finished ? "\n" : "");
  std::fflush(stderr);
}

class ProgressReader final : public RowReader {
 public:
  ProgressReader(std::unique_ptr<RowReader> reader, std::string title)
      : reader_(std::move(reader)), title_(std::move(title)) {}

  ProgressReader(const ProgressReader&) = delete;
  ProgressReader& operator=(const ProgressReader&) = delete;
  /// A run that failed half way leaves the line to its error message.
  ~ProgressReader() override {
    if (drawn_ != Clock::time_point{} && !done_) {
      fmt::print(stderr, "\n");
    }
  }

  const Schema& schema() const override { return reader_->schema(); }

  Result<bool> next_chunk(RawChunk& chunk) override {
    Result<bool> more = reader_->next_chunk(chunk);
    draw(more.has_value() && !*more);
    return more;
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    return reader_->parse(chunk, block);
  }

  std::optional<double> progress() const override { return reader_->progress(); }

 private:
  using Clock = std::chrono::steady_clock;

  void draw(bool finished) {
    const Clock::time_point now = Clock::now();
    if (done_ || (!finished && now - drawn_ < std::chrono::milliseconds(100))) {
      return;
    }
    drawn_ = now;
    done_ = finished;
    draw_bar("reading " + title_ + " ", finished ? 1.0 : reader_->progress().value_or(0.0),
             finished);
  }

  std::unique_ptr<RowReader> reader_;
  std::string title_;
  Clock::time_point drawn_{};
  bool done_ = false;
};

}  // namespace

std::unique_ptr<RowReader> with_progress(std::unique_ptr<RowReader> reader, std::string title,
                                         bool quiet) {
  if (quiet || ::isatty(STDERR_FILENO) == 0) {
    return reader;
  }
  return std::make_unique<ProgressReader>(std::move(reader), std::move(title));
}

DrawingBar::DrawingBar(double predicted_seconds, bool quiet) {
  if (!quiet && predicted_seconds >= 1.0 && ::isatty(STDERR_FILENO) != 0) {
    mover_ = std::thread([this, predicted_seconds] { move(predicted_seconds); });
  }
}

DrawingBar::~DrawingBar() {
  if (!mover_.joinable()) {
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  mover_.join();
}

void DrawingBar::move(double predicted_seconds) {
  const std::string label =
      fmt::format("drawing, up to about {} ", duration_in_words(predicted_seconds));
  const auto began = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::chrono::milliseconds(200), [this] { return over_; })) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    draw_bar(label, std::min(0.99, passed.count() / predicted_seconds), false);
  }
  draw_bar(label, 1.0, true);
}

}  // namespace eigenveil::cli
