#pragma once

#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "data/open.hpp"

namespace eigenveil::test {

/// A file with given bytes, gone at the end of the scope.
class TemporaryFile {
 public:
  TemporaryFile(std::string_view bytes, const std::string& ending) {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("eigenveil-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ending);
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Everything a reader gives: rows, or the one error.
struct Table {
  std::vector<std::string> columns;
  std::size_t rows = 0;
  std::vector<double> values;
};

inline Result<Table> read_table(const std::string& path, const ReadOptions& options = {}) {
  Result<std::unique_ptr<RowReader>> reader = open_rows(path, options);
  if (!reader) {
    return error_of(reader);
  }
  Table table;
  table.columns = (*reader)->schema().columns;
  RawRows block;
  while (true) {
    if (const Result<void> got = (*reader)->read(block); !got) {
      return error_of(got);
    }
    if (block.rows == 0) {
      return table;
    }
    table.rows += block.rows;
    table.values.insert(table.values.end(), block.values.begin(), block.values.end());
  }
}

inline Result<Table> read_text(std::string_view text, const ReadOptions& options = {},
                               const std::string& ending = ".csv") {
  return read_table(TemporaryFile(text, ending).path(), options);
}

/// The message of a table that must be refused; empty (and never a valid message) if it was read.
inline std::string message_of(const Result<Table>& table) {
  return table ? std::string() : table.error().message;
}

/// One gzip member.
inline std::string gzip(std::string_view text) {
  z_stream stream = {};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    std::abort();
  }
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
    std::abort();
  }
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace eigenveil::test
