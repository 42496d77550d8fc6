#include "core/atomic_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/parameter_names.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> system_error(std::string_view action, const fs::path& path) {
  return input_output_error(
      fmt::format("cannot {} {}: {}", action, shown(path.string()), std::strerror(errno)));
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
/// `shown` is the name the user knows the file by.
Result<void> write_and_sync(const fs::path& path, std::string_view bytes, FileAccess access,
                            const fs::path& shown) {
  const mode_t mode = access == FileAccess::OwnerOnly ? 0600 : 0666;
  std::unique_lock making = UnfinishedOutput::making();
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  making.unlock();
  if (descriptor < 0) {
    return system_error("create", shown);
  }
  Result<void> result = write_all(descriptor, bytes, shown);
  if (result && ::fsync(descriptor) != 0) {
    result = system_error("write", shown);
  }
  if (::close(descriptor) != 0 && result) {
    result = system_error("write", shown);
  }
  return result;
}

fs::path hidden_sibling(const fs::path& path, std::string_view role) {
  return path.parent_path() /
         fmt::format(".{}.{}-{}", path.filename().string(), role, static_cast<long>(::getpid()));
}

/// Where a name leads: links are followed, so that replacing means replacing what they point to.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(path), error);
  if (error) {
    real = fs::absolute(path).lexically_normal();
  }
  return real.has_filename() ? real : real.parent_path();  // "out/" names the same place as "out"
}

bool is_release_document(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("release") && name.ends_with(".json");
}

/// Empty, or release documents of ours and files that they name. The document is searched as text:
/// this layer knows no JSON, and our own file names need no escapes.
bool holds_only_a_release(const fs::path& directory) {
  std::error_code error;
  std::string documents;
  std::vector<std::string> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (!entry.is_regular_file(error)) {
      return false;
    }
    if (is_release_document(entry.path())) {
      std::ifstream file(entry.path(), std::ios::binary);
      documents.append(std::istreambuf_iterator<char>(file), {});
    } else {
      others.push_back(entry.path().filename().string());
    }
    if (is_release_document(entry.path()) && (documents.find("\"eigenveil\":") == documents.npos ||
                                              documents.find("\"arrays\":") == documents.npos)) {
      return false;
    }
  }
  return !error && std::all_of(others.begin(), others.end(), [&](const std::string& name) {
    return documents.find("\"name\": \"" + name + '"') != std::string::npos;
  });
}

/// The directories above `path` that do not exist yet, deepest first.
std::vector<fs::path> missing_parents(fs::path path) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (path = path.parent_path(); path.has_filename() && !fs::exists(path, ignored);
       path = path.parent_path()) {
    missing.push_back(path);
  }
  return missing;
}

tl::unexpected<Error> holds_a_release(const fs::path& shown) {
  return bad_request(fmt::format(
      "{} holds an earlier release, which would be lost; give {{out}} another name, or {{replace}}",
      shown.string()));
}

Result<void> check_replaceable(const fs::path& real, const fs::path& shown, Existing existing) {
  std::error_code error;
  if (!fs::exists(real, error)) {
    return {};
  }
  if (!fs::is_directory(real, error)) {
    return bad_request(
        fmt::format("{} exists and is not a directory; give {{out}} another name", shown.string()));
  }
  if (!holds_only_a_release(real)) {
    return bad_request(fmt::format(
        "{} holds files that are not part of a release and would be lost; give {{out}} a "
        "new or empty directory",
        shown.string()));
  }
  if (existing == Existing::Refuse && !fs::is_empty(real, error)) {
    return holds_a_release(shown);
  }
  return {};
}

}  // namespace

Result<void> check_new_file(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    return bad_request(
        fmt::format("{} exists and would be lost; remove it or give {{out}} another name",
                    shown(path)),
        "out");
  }
  return {};
}

Result<fs::path> replaceable_file(const fs::path& path) {
  const fs::path real = resolved(path);
  std::error_code ignored;
  if (fs::exists(real, ignored) && !fs::is_regular_file(real, ignored)) {
    return bad_request(fmt::format("{} exists and is not a regular file; give {{out}} another name",
                                   path.string()));
  }
  return real;
}

Result<void> write_file_atomically(const fs::path& path, std::string_view bytes,
                                   FileAccess access) {
  const Result<fs::path> target = replaceable_file(path);
  if (!target) {
    return error_of(target);
  }
  const fs::path& real = *target;
  std::error_code ignored;
  const fs::path temporary = hidden_sibling(real, "writing");
  const UnfinishedOutput unfinished(temporary);
  fs::remove(temporary, ignored);
  Result<void> result = write_and_sync(temporary, bytes, access, path);
  if (result && ::rename(temporary.c_str(), real.c_str()) != 0) {
    result = system_error("write", path);
  }
  if (!result) {
    fs::remove(temporary, ignored);
  }
  return result;
}

AtomicDirectory::AtomicDirectory(fs::path target, fs::path staging, Existing existing)
    : target_(std::move(target)), staging_(std::move(staging)), existing_(existing) {}

AtomicDirectory::AtomicDirectory(AtomicDirectory&& other) noexcept
    : target_(std::move(other.target_)),
      staging_(std::exchange(other.staging_, fs::path())),
      existing_(other.existing_),
      new_parents_(std::exchange(other.new_parents_, {})),
      unfinished_(std::move(other.unfinished_)) {}

AtomicDirectory::~AtomicDirectory() {
  std::error_code ignored;
  if (!staging_.empty()) {
    fs::remove_all(staging_, ignored);
  }
  for (const fs::path& parent : new_parents_) {
    fs::remove(parent, ignored);  // leaves a directory that someone has put a file into
  }
}

Result<AtomicDirectory> AtomicDirectory::create(const fs::path& target, Existing existing) {
  const fs::path real = resolved(target);
  if (const Result<void> replaceable = check_replaceable(real, target, existing); !replaceable) {
    return error_of(replaceable);
  }
  AtomicDirectory output(real, hidden_sibling(real, "writing"), existing);
  output.new_parents_ = missing_parents(real);
  output.unfinished_.emplace(output.staging_, output.new_parents_);
  std::unique_lock making = UnfinishedOutput::making();
  std::error_code error;
  fs::remove_all(output.staging_, error);
  fs::create_directories(real.parent_path(), error);
  const bool made = fs::create_directory(output.staging_, error);
  making.unlock();
  if (!made) {
    return input_output_error(
        fmt::format("cannot create {}: {}", target.string(), error.message()));
  }
  return output;
}

Result<void> AtomicDirectory::write(const std::string& name, std::string_view bytes) {
  return write_and_sync(staging_ / name, bytes, FileAccess::Default, target_ / name);
}

Result<AtomicFile> AtomicDirectory::stream(const std::string& name) const {
  return AtomicFile::create(staging_ / name);
}

Result<void> AtomicDirectory::seal() {
  for (const fs::path& folder : {staging_, staging_.parent_path()}) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
    if (descriptor >= 0) {
      ::close(descriptor);
    }
    if (!synced) {
      return system_error("write", target_);
    }
  }
  if (unfinished_) {
    unfinished_->seal();
  }
  return {};
}

Result<bool> AtomicDirectory::publish_again(const fs::path& target, Existing existing,
                                            const std::function<bool(const fs::path&)>& is_wanted) {
  const fs::path real = resolved(target);
  if (is_wanted(real)) {
    return true;
  }
  const std::string prefix = fmt::format(".{}.writing-", real.filename().string());
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(real.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(prefix) && is_wanted(entry.path())) {
      if (const Result<void> free = check_replaceable(real, target, existing); !free) {
        return error_of(free);
      }
      AtomicDirectory left_behind(real, entry.path(), existing);
      return left_behind.publish().map([] { return true; });
    }
  }
  return false;
}

Result<void> AtomicDirectory::publish() {
  if (::rename(staging_.c_str(), target_.c_str()) == 0) {  // target absent or empty
    staging_.clear();
    new_parents_.clear();
    return {};
  }
  if (existing_ == Existing::Refuse && (errno == ENOTEMPTY || errno == EEXIST)) {
    return holds_a_release(target_);  // it came while this one was made
  }
  if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    return {};  // the destructor removes the earlier release, which now bears the hidden name
  }
  if (errno == EINVAL || errno == ENOSYS) {
    return input_output_error(
        fmt::format("the file system of {} cannot swap two directories in one step; give {{out}} a "
                    "new directory",
                    target_.string()));
  }
  return system_error("replace", target_);
}

}  // namespace eigenveil
