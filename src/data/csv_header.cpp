#include "data/csv_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/plain_text.hpp"
#include "data/column_selection.hpp"

namespace eigenveil::detail {
namespace {

/// What the fields of the first record look like.
struct FirstRecord {
  bool numbers = false;
  bool names = false;
};

FirstRecord look_at(const std::vector<std::string_view>& fields, KindOfCell kind_of) {
  FirstRecord record;
  for (const std::string_view field : fields) {
    const CellKind kind = kind_of(field);
    record.numbers = record.numbers || kind == CellKind::Number;
    record.names = record.names || kind == CellKind::Bad;
  }
  return record;
}

/// Whole numbers that count: 0, 1, 2, ... as some programs name columns, consecutive years, or any
/// four that follow each other. Names as likely as a row.
bool counts_on(const std::vector<std::string_view>& fields) {
  double first = 0.0;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const Cell cell = classify_cell(fields[column]);
    first = column == 0 ? cell.value : first;
    if (cell.kind != CellKind::Number || cell.value != first + static_cast<double>(column) ||
        first != std::floor(first)) {
      return false;
    }
  }
  const bool years = first >= 1900.0 && first <= 2100.0;
  return fields.size() >= 4 || (fields.size() >= 2 && (years || first == 0.0));
}

Result<std::vector<std::string>> column_names(const std::vector<std::string_view>& fields) {
  std::vector<std::string> names;
  std::string memory;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    std::string_view text;
    if (!field_text(fields[column], memory, text)) {
      return bad_request(fmt::format("the name of column {} has a misplaced quote.", column + 1));
    }
    if (!is_plain_text(text)) {
      return bad_request(fmt::format(
          "the name of column {} is not one line of plain UTF-8 text: give {{encoding latin-1}} or "
          "{{encoding utf-16}} if the table is, or another file if it is no text table.",
          column + 1));
    }
    names.push_back(text.empty() ? default_column_name(column) : std::string(text));
  }
  return names;
}

/// Names that the curator typed: all of those asked for are in the line, or all that are numbers
/// are among the typed ones. A row would not pass by chance.
bool typed_elsewhere(const std::vector<std::string>& names, const ReadOptions& options,
                     KindOfCell kind_of) {
  const auto holds = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  if (!options.columns.empty() &&
      std::all_of(options.columns.begin(), options.columns.end(),
                  [&](const std::string& name) { return holds(names, name); })) {
    return true;
  }
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return kind_of(name) == CellKind::Bad || holds(options.columns, name) ||
           holds(options.bounded_columns, name);
  });
}

}  // namespace

Result<void> check_separator(std::string_view record, char delimiter) {
  constexpr std::string_view kGzipMagic = "\x1f\x8b";
  if (record.starts_with(kGzipMagic)) {
    return bad_request(
        "the input is gzip data without the ending .gz; rename it, or unpack it with zcat before "
        "the pipe");
  }
  if (record.starts_with("\xFF\xFE") || record.starts_with("\xFE\xFF")) {
    return bad_request("the input starts as UTF-16 does: give {encoding utf-16}.", "encoding");
  }
  if (record.find(delimiter) == std::string_view::npos &&
      record.find_first_of(",;\t|") != std::string_view::npos &&
      record.find('"') == std::string_view::npos) {
    return bad_request(
        "the first line is a single field with another separator in it; say which with "
        "{separator} comma, semicolon, tab or pipe");
  }
  return {};
}

Result<CsvHeader> read_header(const std::vector<std::string_view>& fields,
                              const ReadOptions& options, KindOfCell kind_of) {
  const ReadOptions::Header mode = options.header;
  if (fields.size() > kLargestDimension) {
    return bad_request(fmt::format("the first line has more than {} fields.", kLargestDimension));
  }
  const bool decide = mode == ReadOptions::Header::Auto;
  const FirstRecord record = look_at(fields, kind_of);
  if (decide && !record.names && counts_on(fields)) {
    return bad_request(
        "the first line holds numbers that follow each other: is it a row ({header absent}) or the "
        "names of the columns ({header numbers})?",
        "header");
  }
  if (mode == ReadOptions::Header::Absent || (decide && !record.names)) {
    return CsvHeader{false, default_column_names(fields.size())};
  }
  if (fields.size() == 1 && fields.front().empty()) {
    return bad_request("the first line is empty, and {header present} says it holds the names.");
  }
  Result<std::vector<std::string>> names = column_names(fields);
  if (!names) {
    return error_of(names);
  }
  // A row taken for a header would publish its cells as names.
  const bool like_a_row = record.numbers || !record.names;
  if (decide && like_a_row) {
    return bad_request(
        "the first line mixes names and numbers; say whether it holds the column names ("
        "{header numbers}) or a row ({header absent}).",
        "header");
  }
  if (mode == ReadOptions::Header::Present && like_a_row &&
      !typed_elsewhere(*names, options, kind_of)) {
    return bad_request(
        "the first line holds numbers, as a row does, and names are published: say {header absent} "
        "if it is a row, or {header numbers} if they are names, such as years; or name the columns "
        "with {columns}.",
        "header");
  }
  return CsvHeader{true, std::move(*names)};
}

}  // namespace eigenveil::detail
