#include "collection/data_dictionary.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "core/plain_text.hpp"
#include "data/public_files.hpp"

namespace eigenveil {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool read_number(const std::string& text, double& value) {
  const char* end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, value);
  return stopped == end && failure == std::errc();
}

}  // namespace

Result<std::vector<StudyColumn>> read_data_dictionary(const std::string& path) {
  std::ifstream file(path);
  if (!file.is_open()) {
    return input_output_error(fmt::format("cannot read {}", path));
  }
  std::vector<StudyColumn> columns;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (number == 1 && line.starts_with(kByteOrderMark)) {
      line.erase(0, kByteOrderMark.size());
    }
    if (!is_plain_text(line)) {
      return bad_request(
          fmt::format("{}, line {}: save the file as UTF-8; a line has no tabs or other control "
                      "characters",
                      path, number));
    }
    std::vector<std::string> fields = split_public_line(line);
    if (line.empty() || (number == 1 && !fields.empty() && fields[0] == "column")) {
      continue;
    }
    StudyColumn column;
    fields.resize(std::max<std::size_t>(fields.size(), 4));
    if (fields.size() > 4 || !read_number(fields[1], column.low) ||
        !read_number(fields[2], column.high)) {
      return bad_request(fmt::format(
          "{}, line {}: a column is written as column,low,high,question with two numbers", path,
          number));
    }
    column.name = fields[0];
    column.question = fields[3];
    columns.push_back(column);
  }
  return columns;
}

}  // namespace eigenveil
