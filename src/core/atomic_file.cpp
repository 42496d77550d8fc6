#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/atomic_output.hpp"
#include "core/parameter_names.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> failed_to(std::string_view action, const fs::path& path) {
  return input_output_error(
      fmt::format("cannot {} {}: {}", action, shown(path.string()), std::strerror(errno)));
}

}  // namespace

AtomicFile::AtomicFile(fs::path path, fs::path temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      unfinished_(std::move(other.unfinished_)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
  }
}

Result<AtomicFile> AtomicFile::create(const fs::path& named, FileAccess access) {
  const Result<fs::path> target = replaceable_file(named);
  if (!target) {
    return error_of(target);
  }
  const fs::path& path = *target;
  fs::path temporary = path.parent_path() / fmt::format(".{}.writing-{}", path.filename().string(),
                                                        static_cast<long>(::getpid()));
  const mode_t mode = access == FileAccess::OwnerOnly ? 0600 : 0666;
  UnfinishedOutput unfinished(temporary);
  std::unique_lock making = UnfinishedOutput::making();
  ::unlink(temporary.c_str());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  making.unlock();
  if (descriptor < 0) {
    return failed_to("create", path);
  }
  AtomicFile file(path, std::move(temporary), descriptor);
  file.unfinished_.emplace(std::move(unfinished));
  return file;
}

Result<void> AtomicFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return failed_to("write", path_);
    }
    bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return {};
}

Result<void> AtomicFile::write_at(std::int64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno != EINTR) {
      return failed_to("write", path_);
    }
    const ssize_t done = written > 0 ? written : 0;
    bytes.remove_prefix(static_cast<std::size_t>(done));
    offset += done;
  }
  return {};
}

Result<void> AtomicFile::publish() {
  // Contents reach the disk before the name does; otherwise a power cut could leave an empty file.
  if (::fsync(descriptor_) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return failed_to("write", path_);
  }
  return ::close(std::exchange(descriptor_, -1)) == 0 ? Result<void>() : failed_to("write", path_);
}

}  // namespace eigenveil
