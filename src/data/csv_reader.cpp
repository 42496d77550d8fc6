#include "data/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "data/chunk_size.hpp"
#include "data/csv_header.hpp"
#include "data/csv_records.hpp"
#include "data/record_cutter.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::size_t kSmallestChunk = std::size_t{1} << 20;
constexpr std::size_t kRecordsPerChunk = 256;  // enough for a matrix product to pay

class CsvReader final : public RowReader {
 public:
  CsvReader(RecordCutter cutter, RawChunk first, CsvLayout layout)
      : cutter_(std::move(cutter)), first_(std::move(first)), layout_(std::move(layout)) {}

  const Schema& schema() const override { return layout_.selection.schema; }

  Result<bool> next_chunk(RawChunk& chunk) override {
    if (std::exchange(first_pending_, false)) {
      chunk = std::exchange(first_, RawChunk());
      return true;
    }
    return cutter_.next(chunk);
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    return parse_records(layout_, chunk, block);
  }

  std::optional<double> progress() const override { return cutter_.progress(); }

 private:
  RecordCutter cutter_;
  RawChunk first_;  // cut when the header was read
  bool first_pending_ = true;
  CsvLayout layout_;
};

void drop_front(RawChunk& chunk, std::size_t bytes) {
  const std::size_t lines = count_byte(chunk.bytes.data(), bytes, '\n');
  chunk.size -= bytes;
  std::memmove(chunk.bytes.data(), chunk.bytes.data() + bytes, chunk.size);
  chunk.first_record += lines;
  chunk.records -= lines;
}

/// The first chunk with a line that is not empty, from that line on.
Result<RawChunk> first_chunk(RecordCutter& cutter) {
  RawChunk chunk;
  while (true) {
    const Result<bool> more = cutter.next(chunk);
    if (!more) {
      return error_of(more);
    }
    if (!*more) {
      return bad_request("the input is empty: it has neither column names nor rows.");
    }
    const std::string_view text(chunk.bytes.data(), chunk.size);
    const std::size_t start = text.find_first_not_of("\r\n");
    if (start != std::string_view::npos) {
      drop_front(chunk, start);
      return chunk;
    }
  }
}

std::size_t chunk_size_for(std::size_t record_bytes) {
  return std::clamp(kRecordsPerChunk * record_bytes, kSmallestChunk, kLargestChunk);
}

/// The list of every selected column, empty for numbers; nothing at all when no column has one.
Result<std::vector<std::vector<std::string>>> words_by_column(
    const Schema& schema, const std::vector<WordColumn>& lists) {
  std::vector<std::vector<std::string>> words(lists.empty() ? 0 : schema.dimension());
  for (const WordColumn& list : lists) {
    const auto found = std::find(schema.columns.begin(), schema.columns.end(), list.column);
    if (found == schema.columns.end()) {
      return bad_request(
          fmt::format("--one-hot names column '{}', which is not among the columns", list.column));
    }
    words[static_cast<std::size_t>(found - schema.columns.begin())] = list.words;
  }
  return words;
}

}  // namespace

Result<std::unique_ptr<RowReader>> open_delimited(std::unique_ptr<ByteSource> source,
                                                  char usual_delimiter,
                                                  const ReadOptions& options) {
  const char delimiter = options.separator != 0 ? options.separator : usual_delimiter;
  RecordCutter cutter(std::move(source),
                      options.chunk_bytes > 0 ? options.chunk_bytes : kSmallestChunk);
  Result<RawChunk> first = first_chunk(cutter);
  if (!first) {
    return error_of(first);
  }
  const char* begin = first->bytes.data();
  const char* end = record_end(begin);
  if (const Result<void> plausible = check_separator({begin, end}, delimiter);
      !plausible && options.separator == 0) {
    return error_of(plausible);
  }
  Result<CsvHeader> header = read_header(split_record(begin, end, delimiter), options.header);
  if (!header) {
    return error_of(header);
  }
  Result<ColumnSelection> selection = select_columns(std::move(header->names), options.columns);
  if (!selection) {
    return error_of(selection);
  }
  Result<std::vector<std::vector<std::string>>> words =
      words_by_column(selection->schema, options.words);
  if (!words) {
    return error_of(words);
  }
  const auto record_bytes = static_cast<std::size_t>(end + 1 - begin);
  if (header->present) {
    drop_front(*first, record_bytes);
  }
  if (options.chunk_bytes == 0) {
    cutter.set_chunk_bytes(chunk_size_for(record_bytes));
  }
  return std::make_unique<CsvReader>(std::move(cutter), std::move(*first),
                                     CsvLayout{delimiter, std::move(*selection), options.bad_cell,
                                               options.missing, std::move(*words)});
}

}  // namespace eigenveil::detail
