#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace eigenveil {

/// What is being written under a hidden name. A process that is told to end removes it first
/// (EndsCleanly), so that a release is there whole or not at all.
class UnfinishedOutput {
 public:
  /// Said before `hidden` is made; `new_parents` are folders made for it, deepest first.
  explicit UnfinishedOutput(std::filesystem::path hidden,
                            std::vector<std::filesystem::path> new_parents = {});
  UnfinishedOutput(UnfinishedOutput&& other) noexcept;
  UnfinishedOutput& operator=(UnfinishedOutput&&) = delete;
  UnfinishedOutput(const UnfinishedOutput&) = delete;
  UnfinishedOutput& operator=(const UnfinishedOutput&) = delete;
  ~UnfinishedOutput();

  /// It is complete, and about to be written down somewhere that it exists: a process that is told
  /// to end from here on lets it appear.
  void seal();

  /// Held by whoever makes a file or folder under a hidden name: after the removal nothing more is
  /// made.
  static std::unique_lock<std::mutex> making();

 private:
  int number_;  ///< 0: moved from
};

/// As long as it lives, SIGINT, SIGTERM and SIGHUP remove unfinished output before they end the
/// process as they always do; signals that are ignored stay ignored. Once something is sealed the
/// signal is too late, and the process goes on to its own end. For programs: a library must not
/// take its host's signals.
class EndsCleanly {
 public:
  EndsCleanly();
  EndsCleanly(const EndsCleanly&) = delete;
  EndsCleanly& operator=(const EndsCleanly&) = delete;
  ~EndsCleanly();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace eigenveil
