#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/unfinished_output.hpp"
#include "eigenveil/core/existing.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// Who may read a file we write.
enum class FileAccess : std::uint8_t {
  Default,    ///< the user's umask
  OwnerOnly,  ///< 0600: private data such as a .gram file
};

/// Where a file of this name would go: links are followed, a directory or device is refused.
Result<std::filesystem::path> replaceable_file(const std::filesystem::path& path);

/// Nobody's file is lost: refuses a name that exists.
Result<void> check_new_file(const std::string& path);

/// Writes the whole file under a temporary name beside `path`, syncs it, then renames: a reader
/// sees the old file or the new one, never half of one. A symbolic link is followed; a directory
/// or a device (`/dev/null` must survive root) is refused.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                                   FileAccess access = FileAccess::Default);

/// A file too large for memory, written piece by piece under a temporary name; `publish` syncs and
/// renames it. Without `publish` nothing is left behind.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path,
                                   FileAccess access = FileAccess::Default);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  Result<void> append(std::string_view bytes);
  /// For formats stored in another order than they are made; independent of `append`'s position.
  Result<void> write_at(std::int64_t offset, std::string_view bytes);
  Result<void> publish();

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int descriptor);
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::optional<UnfinishedOutput> unfinished_;
};

/// A directory that appears complete or not at all. Files go to a hidden sibling; `publish` swaps
/// it with `target` in one system call and removes what was there before. An existing target is
/// taken when it is empty, and with Existing::Replace when it holds an earlier release and nothing
/// else: every file in it is a release document or named by one, so --out never deletes anyone
/// else's file. A program that is told to end (EndsCleanly) removes the hidden sibling; one that is
/// killed leaves `target` whole and perhaps `.NAME.writing-PID` beside it, safe to delete.
class AtomicDirectory {
 public:
  static Result<AtomicDirectory> create(const std::filesystem::path& target,
                                        Existing existing = Existing::Refuse);
  AtomicDirectory(AtomicDirectory&& other) noexcept;
  AtomicDirectory& operator=(AtomicDirectory&&) = delete;
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;
  /// Removes the hidden sibling and, if `publish` was not reached, the parents `create` made.
  ~AtomicDirectory();

  Result<void> write(const std::string& name, std::string_view bytes);
  /// A file of the directory that is too large for memory; its `publish` only completes the file.
  Result<AtomicFile> stream(const std::string& name) const;
  /// Makes sure that every file and its name would survive a power cut; still under the hidden
  /// name. From here on a signal no longer prevents that it appears.
  Result<void> seal();
  Result<void> publish();
  /// For a process that was killed between `seal` and `publish`: whether `target` is what
  /// `is_wanted` knows, or became it now from a hidden sibling that was left behind.
  static Result<bool> publish_again(
      const std::filesystem::path& target, Existing existing,
      const std::function<bool(const std::filesystem::path&)>& is_wanted);

 private:
  AtomicDirectory(std::filesystem::path target, std::filesystem::path staging, Existing existing);
  std::filesystem::path target_;
  std::filesystem::path staging_;
  Existing existing_;
  std::vector<std::filesystem::path> new_parents_;  ///< deepest first
  std::optional<UnfinishedOutput> unfinished_;
};

}  // namespace eigenveil
