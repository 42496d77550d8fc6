#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil::cli {

/// A reader that draws a progress bar on standard error while it is read, when that is a terminal.
std::unique_ptr<RowReader> with_progress(std::unique_ptr<RowReader> reader, std::string title,
                                         bool quiet);

/// While it lives, a bar for a long draw, at a terminal. It moves by the clock towards the time
/// that public sizes predict: how far the draw itself has come depends on the rows.
class DrawingBar {
 public:
  DrawingBar(double predicted_seconds, bool quiet);
  ~DrawingBar();
  DrawingBar(const DrawingBar&) = delete;
  DrawingBar& operator=(const DrawingBar&) = delete;

 private:
  void move(double predicted_seconds);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread mover_;
};

}  // namespace eigenveil::cli
