#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "data/byte_source.hpp"
#include "data/csv_header.hpp"
#include "data/csv_records.hpp"
#include "data/record_cutter.hpp"

namespace eigenveil::detail {

/// A delimited text table opened as far as its columns; the rules are those of open_rows. Every
/// reader of text cuts its rows here, so that no two of them can count differently.
class TextTable {
 public:
  /// `kind_of` tells names from numbers in the first record (Header::Auto).
  static Result<TextTable> open(std::unique_ptr<ByteSource> source, char usual_delimiter,
                                const ReadOptions& options, KindOfCell kind_of);

  const CsvLayout& layout() const { return layout_; }
  /// The next records, without the header; false at the end.
  Result<bool> next(RawChunk& chunk);
  std::optional<double> progress() const { return cutter_.progress(); }

 private:
  TextTable(RecordCutter cutter, std::optional<RawChunk> first, CsvLayout layout)
      : cutter_(std::move(cutter)), first_(std::move(first)), layout_(std::move(layout)) {}

  RecordCutter cutter_;
  std::optional<RawChunk> first_;  // cut when the header was read
  CsvLayout layout_;
};

/// A text file by the ending of its name: its bytes (unpacked for .gz) and its usual delimiter.
struct TextSource {
  std::unique_ptr<ByteSource> bytes;
  char delimiter = ',';
};
/// Nothing when the name is that of another format.
std::optional<Result<TextSource>> open_text_source(const std::string& input, TextEncoding encoding);

}  // namespace eigenveil::detail
