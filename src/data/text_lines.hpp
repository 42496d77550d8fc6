#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace eigenveil::detail {

/// Lines of a text file, one at a time; a carriage return before the line feed is dropped.
class TextLines {
 public:
  static Result<TextLines> open(const std::string& path);
  /// False at the end. The view is valid until the next call. A line over 1 MiB is refused.
  Result<bool> next(std::string_view& line);
  std::size_t number() const { return number_; }  ///< of the last line, from 1
  const std::string& path() const { return path_; }

 private:
  TextLines(std::unique_ptr<ByteSource> source, std::string path);
  Result<bool> refill();  ///< false when nothing is left

  std::unique_ptr<ByteSource> source_;
  std::string path_;
  std::string buffer_;
  std::size_t start_ = 0;  // of the text not handed out yet
  std::size_t number_ = 0;
};

/// Fields between runs of spaces and tabs.
void split_at_spaces(std::string_view line, std::vector<std::string_view>& fields);

}  // namespace eigenveil::detail
