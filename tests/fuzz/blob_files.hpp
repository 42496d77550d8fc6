#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace eigenveil::fuzz {

/// A folder in memory, one per process, for readers that want paths.
inline const std::string& scratch_folder() {
  static const std::string folder = [] {
    // scripts/run-fuzzers names a folder of its own and removes it.
    if (const char* named = std::getenv("EIGENVEIL_FUZZ_FOLDER"); named != nullptr) {
      return std::string(named);
    }
    std::string path = "/dev/shm/eigenveil-fuzz-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      std::abort();
    }
    return path;
  }();
  return folder;
}

/// Writes (over) a file there and returns its path.
inline std::string write_blob(const std::string& name, std::string_view bytes) {
  std::string path = scratch_folder() + "/" + name;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  ::close(file);
  return path;
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace eigenveil::fuzz
