#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "eigenveil/core/result.hpp"

namespace eigenveil::detail {

/// An open file descriptor; standard input is not closed.
class FileDescriptor {
 public:
  static Result<FileDescriptor> open(const std::string& path);  ///< "-" is standard input
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  const std::string& path() const { return path_; }
  std::optional<std::size_t> size() const { return size_; }  ///< of a regular file
  /// Up to `count` bytes; fewer only at the end, or before damage that the next call reports.of the
  /// file.
  Result<std::size_t> read(char* into, std::size_t count);
  Result<std::size_t> read_at(std::size_t offset, char* into, std::size_t count) const;

 private:
  FileDescriptor(int descriptor, std::string path, std::optional<std::size_t> size);
  int descriptor_;
  std::string path_;
  std::optional<std::size_t> size_;
};

/// A stream of bytes read from front to back.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  /// Up to `count` bytes; fewer only at the end, or before damage that the next call reports.
  virtual Result<std::size_t> read(char* into, std::size_t count) = 0;
  virtual std::optional<double> progress() const = 0;  ///< thread-safe
};

std::unique_ptr<ByteSource> plain_source(FileDescriptor file);
/// Gzip: any number of members, checksums verified, truncation and trailing bytes are errors.
Result<std::unique_ptr<ByteSource>> gzip_source(FileDescriptor file);

}  // namespace eigenveil::detail
