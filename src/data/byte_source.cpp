#include "data/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/parameter_names.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::size_t kLargestRead = std::size_t{1} << 30;
constexpr std::size_t kCompressedBytes = std::size_t{1} << 18;

std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : shown(path);
}

tl::unexpected<Error> system_error(const std::string& path, int number) {
  return input_output_error(fmt::format("{} cannot be read: {}.", shown_name(path),
                                        std::generic_category().message(number)));
}

/// Repeats a system call until `count` bytes or the end; signals are no error.
template <class Call>
Result<std::size_t> read_fully(const std::string& path, std::size_t count, const Call& call) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = call(done, std::min(count - done, kLargestRead));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return system_error(path, errno);
    }
    if (got == 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

class ConsumedShare {
 public:
  explicit ConsumedShare(std::optional<std::size_t> total) : total_(total) {}
  void add(std::size_t bytes) { consumed_.fetch_add(bytes, std::memory_order_relaxed); }
  std::optional<double> share() const {
    if (!total_) {
      return std::nullopt;
    }
    if (*total_ == 0) {
      return 1.0;
    }
    const auto consumed = static_cast<double>(consumed_.load(std::memory_order_relaxed));
    return std::min(1.0, consumed / static_cast<double>(*total_));
  }

 private:
  std::optional<std::size_t> total_;
  std::atomic<std::size_t> consumed_ = 0;
};

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(FileDescriptor file) : file_(std::move(file)), share_(file_.size()) {}
  Result<std::size_t> read(char* into, std::size_t count) override {
    Result<std::size_t> got = file_.read(into, count);
    share_.add(got.value_or(0));
    return got;
  }
  std::optional<double> progress() const override { return share_.share(); }

 private:
  FileDescriptor file_;
  ConsumedShare share_;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(FileDescriptor file)
      : file_(std::move(file)), share_(file_.size()), compressed_(kCompressedBytes) {}
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  /// 15 window bits, + 16 for the gzip wrapping.
  bool start() { return inflateInit2(&stream_, 15 + 16) == Z_OK; }

  /// Damage is reported behind the last whole byte: the line of names must not fail for what
  /// stands in the rows.
  Result<std::size_t> read(char* into, std::size_t count) override {
    std::size_t done = 0;
    while (done < count && !failure_ && !ended_) {
      const Result<std::size_t> got = read_some(into + done, count - done);
      if (!got) {
        failure_ = got.error();
      } else {
        done += *got;
      }
    }
    if (failure_ && done == 0) {
      return tl::unexpected<Error>(*failure_);
    }
    return done;
  }
  std::optional<double> progress() const override { return share_.share(); }

 private:
  tl::unexpected<Error> malformed(const char* what) const {
    return bad_request(fmt::format("{} {}", shown_name(file_.path()), what));
  }

  Result<std::size_t> read_some(char* into, std::size_t count) {
    if (stream_.avail_in == 0) {
      if (const Result<void> filled = refill(); !filled) {
        return error_of(filled);
      }
      if (stream_.avail_in == 0) {
        if (!between_members_) {
          return malformed("ends in the middle of the compressed data; is it truncated?");
        }
        ended_ = true;
        return 0;
      }
    }
    return inflate_some(into, count);
  }

  Result<void> refill() {
    const Result<std::size_t> got = file_.read(compressed_.data(), compressed_.size());
    if (!got) {
      return error_of(got);
    }
    share_.add(*got);
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    stream_.avail_in = static_cast<uInt>(*got);
    return {};
  }

  Result<std::size_t> inflate_some(char* into, std::size_t count) {
    const std::size_t room = std::min(count, kLargestRead);
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(room);
    between_members_ = false;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);  // keeps next_in: another member may follow
    } else if (status == Z_MEM_ERROR) {
      return input_output_error("there is not enough memory to decompress the input.");
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      failure_ = malformed("is not a valid gzip file.").value();  // after what was still whole
    }
    return room - stream_.avail_out;
  }

  FileDescriptor file_;
  ConsumedShare share_;
  std::vector<char> compressed_;
  z_stream stream_ = {};
  bool between_members_ = false;  // an empty file is not a gzip file
  bool ended_ = false;
  std::optional<Error> failure_;
};

}  // namespace

FileDescriptor::FileDescriptor(int descriptor, std::string path, std::optional<std::size_t> size)
    : descriptor_(descriptor), path_(std::move(path)), size_(size) {}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      size_(other.size_) {}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ > STDIN_FILENO) {
    ::close(descriptor_);
  }
}

Result<FileDescriptor> FileDescriptor::open(const std::string& path) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return system_error(path, errno);
  }
  FileDescriptor file(descriptor, path, std::nullopt);
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) {
    return system_error(path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return input_output_error(
        fmt::format("{} is a directory; give the file that holds the table.", shown_name(path)));
  }
  if (S_ISREG(status.st_mode)) {
    file.size_ = static_cast<std::size_t>(status.st_size);
  }
  return file;
}

Result<std::size_t> FileDescriptor::read(char* into, std::size_t count) {
  return read_fully(path_, count, [&](std::size_t done, std::size_t want) {
    return ::read(descriptor_, into + done, want);
  });
}

Result<std::size_t> FileDescriptor::read_at(std::size_t offset, char* into,
                                            std::size_t count) const {
  return read_fully(path_, count, [&](std::size_t done, std::size_t want) {
    return ::pread(descriptor_, into + done, want, static_cast<off_t>(offset + done));
  });
}

std::unique_ptr<ByteSource> plain_source(FileDescriptor file) {
  return std::make_unique<PlainSource>(std::move(file));
}

Result<std::unique_ptr<ByteSource>> gzip_source(FileDescriptor file) {
  auto source = std::make_unique<GzipSource>(std::move(file));
  if (!source->start()) {
    return input_output_error("there is not enough memory to decompress the input.");
  }
  return source;
}

}  // namespace eigenveil::detail
