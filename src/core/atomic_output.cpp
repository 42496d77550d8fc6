#include "eigenveil/core/atomic_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> system_error(std::string_view action, const fs::path& path) {
  return input_output_error(
      fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(errno)));
}

Result<void> write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return system_error("write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// Contents reach the disk before the name does; otherwise a power cut could leave an empty file.
Result<void> write_and_sync(const fs::path& path, std::string_view bytes, FileAccess access) {
  const mode_t mode = access == FileAccess::OwnerOnly ? 0600 : 0666;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) {
    return system_error("create", path);
  }
  Result<void> result = write_all(descriptor, bytes, path);
  if (result && ::fsync(descriptor) != 0) {
    result = system_error("write", path);
  }
  if (::close(descriptor) != 0 && result) {
    result = system_error("write", path);
  }
  return result;
}

fs::path hidden_sibling(const fs::path& path, std::string_view role) {
  return path.parent_path() /
         fmt::format(".{}.{}-{}", path.filename().string(), role, static_cast<long>(::getpid()));
}

bool holds_only_a_release(const fs::path& directory) {
  bool empty = true;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    empty = false;
    const std::string name = entry.path().filename().string();
    if (name.starts_with("release") && name.ends_with(".json")) {
      return true;
    }
  }
  return empty;
}

}  // namespace

Result<void> write_file_atomically(const fs::path& path, std::string_view bytes,
                                   FileAccess access) {
  const fs::path temporary = hidden_sibling(path, "writing");
  std::error_code ignored;
  fs::remove(temporary, ignored);
  Result<void> result = write_and_sync(temporary, bytes, access);
  if (result && ::rename(temporary.c_str(), path.c_str()) != 0) {
    result = system_error("write", path);
  }
  if (!result) {
    fs::remove(temporary, ignored);
  }
  return result;
}

AtomicDirectory::AtomicDirectory(fs::path target, fs::path staging)
    : target_(std::move(target)), staging_(std::move(staging)) {}

AtomicDirectory::AtomicDirectory(AtomicDirectory&& other) noexcept
    : target_(std::move(other.target_)), staging_(std::exchange(other.staging_, fs::path())) {}

AtomicDirectory::~AtomicDirectory() {
  if (!staging_.empty()) {
    std::error_code ignored;
    fs::remove_all(staging_, ignored);
  }
}

Result<AtomicDirectory> AtomicDirectory::create(const fs::path& target) {
  fs::path clean = fs::absolute(target).lexically_normal();
  if (!clean.has_filename()) {
    clean = clean.parent_path();  // "out/" names the same directory as "out"
  }
  std::error_code error;
  if (fs::exists(clean, error)) {
    if (!fs::is_directory(clean, error)) {
      return bad_request(fmt::format("{} exists and is not a directory; give --out another name",
                                     target.string()));
    }
    if (!holds_only_a_release(clean)) {
      return bad_request(
          fmt::format("{} holds files that are not a release and would be replaced; give --out a "
                      "new or empty directory",
                      target.string()));
    }
  }
  fs::create_directories(clean.parent_path(), error);
  fs::path staging = hidden_sibling(clean, "writing");
  fs::remove_all(staging, error);
  if (!fs::create_directory(staging, error)) {
    return input_output_error(
        fmt::format("cannot create a directory beside {}: {}", target.string(), error.message()));
  }
  return AtomicDirectory(std::move(clean), std::move(staging));
}

Result<void> AtomicDirectory::write(const std::string& name, std::string_view bytes) {
  return write_and_sync(staging_ / name, bytes, FileAccess::Default);
}

Result<void> AtomicDirectory::publish() {
  if (::rename(staging_.c_str(), target_.c_str()) == 0) {  // target absent or empty
    staging_.clear();
    return {};
  }
  if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
    return system_error("replace", target_);
  }
  return {};  // the destructor removes the earlier release, which now bears the hidden name
}

}  // namespace eigenveil
