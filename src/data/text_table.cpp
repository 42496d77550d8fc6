#include "data/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/parameter_names.hpp"
#include "data/chunk_size.hpp"
#include "data/open.hpp"
#include "data/text_encoding.hpp"

namespace eigenveil {

std::size_t width_of_names(const std::vector<std::string>& names) {
  std::size_t width = 0;
  for (const std::string& name : names) {
    std::size_t place = 0;
    const char* end = name.data() + name.size();
    const bool numbered = name.starts_with('c') && std::from_chars(name.data() + 1, end, place) ==
                                                       std::from_chars_result{end, std::errc()};
    if (!numbered || place == 0 || place > detail::kLargestDimension) {
      return 0;
    }
    width = std::max(width, place);
  }
  return width;
}

namespace detail {
namespace {

constexpr std::size_t kSmallestChunk = std::size_t{1} << 20;
constexpr std::size_t kRecordsPerChunk = 256;  // enough for a matrix product to pay

using Header = ReadOptions::Header;

/// A width that is known without a row: what the names c1, c2, ... of columns and bounds reach to.
std::size_t named_width(const ReadOptions& options) {
  return width_of_names(options.columns.empty() ? options.bounded_columns : options.columns);
}

/// Shape and names are published. In a run that is to be total no row may have a say in them.
Result<void> check_public_shape(const ReadOptions& options) {
  if (options.width > 0 && options.header != Header::Absent) {
    return bad_request(
        "{width} is for text tables without column names; give {header absent} with it.");
  }
  if (options.width > kLargestDimension) {
    return bad_request(fmt::format("{{width}} must be at most {}.", kLargestDimension));
  }
  if (options.bad_cell == BadCell::Refuse) {
    return {};
  }
  if (options.header == Header::Auto) {
    return bad_request(
        "with {bad_cell midpoint} the first line could be a damaged row; say {header present} or "
        "{header absent}.");
  }
  if (options.header == Header::Absent && options.width == 0 && named_width(options) == 0) {
    return bad_request(
        "with {bad_cell midpoint} the first row may be damaged and cannot say how many columns "
        "there are; give the number of fields with {width P}, or name the columns c1, c2, ... with "
        "{columns} or in a bounds file.");
  }
  return {};
}

/// The number of fields of a record, where it is not read off the first one; otherwise 0.
std::size_t public_width(const ReadOptions& options, bool has_records) {
  if (options.header != Header::Absent) {
    return 0;
  }
  // Names need not reach to the end of a record, so records may say how long they are: unless none
  // is there, or none may be asked.
  const bool by_name = options.bad_cell == BadCell::Midpoint || !has_records;
  return options.width > 0 ? options.width : by_name ? named_width(options) : 0;
}

std::string_view first_record(const RawChunk& chunk) {
  const char* begin = chunk.bytes.data();
  return {begin, record_end(begin)};
}

Result<CsvHeader> header_of(const std::optional<RawChunk>& first, char delimiter,
                            const ReadOptions& options, KindOfCell kind_of) {
  if (const std::size_t width = public_width(options, first.has_value()); width > 0) {
    return CsvHeader{false, default_column_names(width)};
  }
  if (!first) {
    return bad_request(
        "the input is empty: it has neither column names nor rows. A table without rows needs a "
        "line of names, or {header absent} with {width P}.");
  }
  const std::string_view record = first_record(*first);
  if (const Result<void> plausible = check_separator(record, delimiter);
      !plausible && options.separator == 0) {
    return error_of(plausible);
  }
  return read_header(split_record(record.data(), record.data() + record.size(), delimiter), options,
                     kind_of);
}

void drop_first_record(RawChunk& chunk) {
  const std::size_t bytes = first_record(chunk).size() + 1;
  const std::size_t lines = count_byte(chunk.bytes.data(), bytes, '\n');
  chunk.size -= bytes;
  std::memmove(chunk.bytes.data(), chunk.bytes.data() + bytes, chunk.size);
  chunk.first_record += lines;
  chunk.records -= lines;
}

/// The list of every selected column, empty for numbers; nothing at all when no column has one.
Result<std::vector<PublicWords>> words_by_column(const Schema& schema,
                                                 const std::vector<WordColumn>& lists) {
  std::vector<PublicWords> words(lists.empty() ? 0 : schema.dimension());
  for (const WordColumn& list : lists) {
    const auto found = std::find(schema.columns.begin(), schema.columns.end(), list.column);
    if (found == schema.columns.end()) {
      return bad_request(fmt::format(
          "{{one_hot}} names column '{}', which is not among the columns", shown(list.column)));
    }
    words[static_cast<std::size_t>(found - schema.columns.begin())] = PublicWords(list.words);
  }
  return words;
}

Result<std::optional<RawChunk>> first_chunk(RecordCutter& cutter) {
  RawChunk chunk;
  return cutter.next(chunk).map(
      [&](bool any) { return any ? std::optional(std::move(chunk)) : std::nullopt; });
}

}  // namespace

Result<TextTable> TextTable::open(std::unique_ptr<ByteSource> source, char usual_delimiter,
                                  const ReadOptions& options, KindOfCell kind_of) {
  if (const Result<void> shaped = check_public_shape(options); !shaped) {
    return error_of(shaped);
  }
  const bool comma_is_decimal = options.decimal == ',' && usual_delimiter == ',';
  const char delimiter = options.separator != 0 ? options.separator
                         : comma_is_decimal     ? ';'
                                                : usual_delimiter;
  RecordCutter cutter(std::move(source),
                      options.chunk_bytes > 0 ? options.chunk_bytes : kSmallestChunk);
  Result<std::optional<RawChunk>> first = first_chunk(cutter);
  if (!first) {
    return error_of(first);
  }
  Result<CsvHeader> header = header_of(*first, delimiter, options, kind_of);
  if (!header) {
    return error_of(header);
  }
  std::size_t person_field = ColumnSelection::kSkip;
  if (!options.person.empty()) {
    const auto found = std::find(header->names.begin(), header->names.end(), options.person);
    person_field = static_cast<std::size_t>(found - header->names.begin());  // checked just below
  }
  Result<ColumnSelection> selection = select_columns(std::move(header->names), options);
  if (!selection) {
    return error_of(selection);
  }
  Result<std::vector<PublicWords>> words = words_by_column(selection->schema, options.words);
  if (!words) {
    return error_of(words);
  }
  if (!options.person.empty()) {
    const std::vector<std::string> cells = hashed_names(options.person);
    selection->schema.columns.insert(selection->schema.columns.end(), cells.begin(), cells.end());
  }
  selection->schema.fills_gaps = fills_gaps(options.bad_cell, options.missing);
  if (*first && options.chunk_bytes == 0) {
    cutter.set_chunk_bytes(
        std::clamp(kRecordsPerChunk * first_record(**first).size(), kSmallestChunk, kLargestChunk));
  }
  if (header->present) {
    drop_first_record(**first);
  }
  return TextTable(std::move(cutter), std::move(*first),
                   CsvLayout{delimiter, std::move(*selection), options.bad_cell, options.missing,
                             std::move(*words), person_field, options.person_key, options.decimal});
}

Result<bool> TextTable::next(RawChunk& chunk) {
  if (std::optional<RawChunk> first = std::exchange(first_, std::nullopt)) {
    chunk = std::move(*first);
    return true;
  }
  return cutter_.next(chunk);
}

namespace {

struct TextName {
  std::string name;  ///< in lower case, without .gz
  bool packed = false;
  bool is_text() const {
    return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".txt");
  }
};

TextName text_name(const std::string& input) {
  std::string name = input == "-" ? ".csv" : input;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  const bool packed = name.ends_with(".gz");
  name.resize(name.size() - (packed ? 3 : 0));
  return {std::move(name), packed};
}

}  // namespace

std::optional<Result<TextSource>> open_text_source(const std::string& input,
                                                   TextEncoding encoding) {
  const TextName text = text_name(input);
  if (!text.is_text()) {
    return std::nullopt;
  }
  const char delimiter = text.name.ends_with(".csv") ? ',' : '\t';
  return FileDescriptor::open(input).and_then([&](FileDescriptor file) {
    return (text.packed ? gzip_source(std::move(file))
                        : Result<std::unique_ptr<ByteSource>>(plain_source(std::move(file))))
        .map([&](std::unique_ptr<ByteSource> bytes) {
          return TextSource{as_utf8(std::move(bytes), encoding), delimiter};
        });
  });
}

}  // namespace detail

bool is_text_table(const std::string& input) {
  return detail::text_name(input).is_text();
}

}  // namespace eigenveil
