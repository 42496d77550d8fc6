#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace eigenveil::cli {
namespace {

constexpr std::size_t kBarWidth = 62;

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
    const double share = finished ? 1.0 : reader_->progress().value_or(0.0);
    const std::string label = "reading " + title_ + " ";
    const std::size_t room = kBarWidth > label.size() ? kBarWidth - label.size() : 10;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(room));
    fmt::print(stderr, "\r{}{:.<{}}{: <{}} {:3.0f}%{}", label, "", filled, "", room - filled,
               100.0 * share, finished ? "\n" : "");
    std::fflush(stderr);
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

}  // namespace eigenveil::cli
