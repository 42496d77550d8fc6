#include "csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "column_selection.hpp"
#include "text_cell.hpp"

namespace eigenveil::detail {
namespace {

/// What the fields of the first record look like.
struct FirstRecord {
  bool numbers = false;
  bool names = false;
};

FirstRecord look_at(const std::vector<std::string_view>& fields) {
  FirstRecord record;
  for (const std::string_view field : fields) {
    const CellKind kind = classify_cell(field).kind;
    record.numbers = record.numbers || kind == CellKind::Number;
    record.names = record.names || kind == CellKind::Bad;
  }
  return record;
}

/// Length of the UTF-8 sequence a byte starts; 0 if it starts none.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead < 0xE0) {
    return 2;
  }
  if (lead >= 0xE0 && lead < 0xF0) {
    return 3;
  }
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// Shortest form, no surrogates, at most U+10FFFF: the second byte has a narrower range.
bool second_byte_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second < 0xA0;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second < 0x90;
    default:
      return true;
  }
}

bool is_utf8(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(byte(i));
    if (length == 0 || length > text.size() - i) {
      return false;
    }
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(i + k) & 0xC0U) != 0x80U) {
        return false;
      }
    }
    if (length > 1 && !second_byte_fits(byte(i), byte(i + 1))) {
      return false;
    }
    i += length;
  }
  return true;
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7F;
  });
}

Result<std::vector<std::string>> column_names(const std::vector<std::string_view>& fields) {
  std::vector<std::string> names;
  std::string memory;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    std::string_view text;
    if (!field_text(fields[column], memory, text)) {
      return bad_request(fmt::format("the name of column {} has a misplaced quote.", column + 1));
    }
    if (has_control_character(text) || !is_utf8(text)) {
      return bad_request(fmt::format(
          "the name of column {} is not plain UTF-8 text; is the input a text table?", column + 1));
    }
    names.push_back(text.empty() ? default_column_name(column) : std::string(text));
  }
  return names;
}

}  // namespace

Result<CsvHeader> read_header(const std::vector<std::string_view>& fields,
                              ReadOptions::Header mode) {
  if (fields.size() > kLargestDimension) {
    return bad_request(fmt::format("the first line has more than {} fields.", kLargestDimension));
  }
  const bool decide = mode == ReadOptions::Header::Auto;
  const FirstRecord record = decide ? look_at(fields) : FirstRecord();
  if (mode == ReadOptions::Header::Absent || (decide && !record.names)) {
    return CsvHeader{false, default_column_names(fields.size())};
  }
  Result<std::vector<std::string>> names = column_names(fields);
  if (!names) {
    return error_of(names);
  }
  // A row taken for a header would publish its cells as names.
  if (record.numbers && record.names) {
    return bad_request(
        "the first line mixes names and numbers; say whether it holds the column names (--header "
        "present or --header absent).");
  }
  return CsvHeader{true, std::move(*names)};
}

}  // namespace eigenveil::detail
