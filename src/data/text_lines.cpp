#include "data/text_lines.hpp"

#include <fmt/format.h>

#include <utility>

namespace eigenveil::detail {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

}  // namespace

TextLines::TextLines(std::unique_ptr<ByteSource> source, std::string path)
    : source_(std::move(source)), path_(std::move(path)) {}

Result<TextLines> TextLines::open(const std::string& path) {
  Result<FileDescriptor> file = FileDescriptor::open(path);
  if (!file) {
    return error_of(file);
  }
  return TextLines(plain_source(*std::move(file)), path);
}

Result<bool> TextLines::refill() {
  buffer_.erase(0, start_);
  start_ = 0;
  const std::size_t kept = buffer_.size();
  if (kept > kLongestLine) {
    return bad_request(fmt::format("{} line {} is longer than 1 MiB.", path_, number_ + 1));
  }
  buffer_.resize(kept + kPiece);
  const Result<std::size_t> got = source_->read(buffer_.data() + kept, kPiece);
  buffer_.resize(kept + got.value_or(0));
  if (!got) {
    return error_of(got);
  }
  return *got > 0;
}

Result<bool> TextLines::next(std::string_view& line) {
  std::size_t end = buffer_.find('\n', start_);
  while (end == std::string::npos) {
    const std::size_t searched = buffer_.size() - start_;
    const Result<bool> more = refill();
    if (!more) {
      return more;
    }
    if (!*more) {
      if (buffer_.empty()) {
        return false;
      }
      end = buffer_.size();  // the last line need not end in a line feed
      break;
    }
    end = buffer_.find('\n', searched);
  }
  line = std::string_view(buffer_).substr(start_, end - start_);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  start_ = std::min(end + 1, buffer_.size());
  ++number_;
  return true;
}

void split_at_spaces(std::string_view line, std::vector<std::string_view>& fields) {
  constexpr std::string_view kSpaces = " \t";
  fields.clear();
  std::size_t begin = line.find_first_not_of(kSpaces);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSpaces, end);
  }
}

}  // namespace eigenveil::detail
