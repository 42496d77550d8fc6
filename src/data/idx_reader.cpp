#include "data/idx_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/parameter_names.hpp"
#include "data/array_cells.hpp"
#include "data/chunk_size.hpp"
#include "data/column_selection.hpp"

namespace eigenveil::detail {
namespace {

struct IdxHeader {
  CellType type;
  std::size_t rows = 0;
  std::size_t columns = 1;
  std::size_t data_offset = 0;
};

tl::unexpected<Error> malformed(const std::string& path, std::string_view what) {
  return bad_request(fmt::format("{} {}", shown(path), what));
}

constexpr const char* kNotIdx = "is not a valid IDX file.";
constexpr const char* kShorter = "is shorter than its header announces; is it truncated?";
constexpr const char* kLonger = "is longer than its header announces.";

std::optional<CellType> type_of(unsigned char code) {
  switch (code) {
    case 0x08:
      return CellType{NumberKind::Unsigned, 1, true};
    case 0x09:
      return CellType{NumberKind::Signed, 1, true};
    case 0x0B:
      return CellType{NumberKind::Signed, 2, true};
    case 0x0C:
      return CellType{NumberKind::Signed, 4, true};
    case 0x0D:
      return CellType{NumberKind::Float, 4, true};
    case 0x0E:
      return CellType{NumberKind::Float, 8, true};
    default:
      return std::nullopt;
  }
}

/// Two zero bytes, type, number of dimensions; then each dimension as a big-endian 32-bit number.
Result<IdxHeader> read_header(ByteSource& source, const std::string& path) {
  std::array<unsigned char, 4> word = {};
  const auto read_word = [&]() -> Result<bool> {
    return source.read(reinterpret_cast<char*>(word.data()), word.size()).map([&](std::size_t got) {
      return got == word.size();
    });
  };
  Result<bool> whole = read_word();
  if (!whole) {
    return error_of(whole);
  }
  const std::optional<CellType> type = type_of(word[2]);
  const std::size_t dimensions = word[3];
  if (!*whole || word[0] != 0 || word[1] != 0 || !type || dimensions == 0) {
    return malformed(path, kNotIdx);
  }
  IdxHeader header{*type, 0, 1, 4 + 4 * dimensions};
  for (std::size_t i = 0; i < dimensions; ++i) {
    whole = read_word();
    if (!whole) {
      return error_of(whole);
    }
    if (!*whole) {
      return malformed(path, kNotIdx);
    }
    const std::size_t extent = std::size_t{word[0]} << 24U | std::size_t{word[1]} << 16U |
                               std::size_t{word[2]} << 8U | std::size_t{word[3]};
    if (i == 0) {
      header.rows = extent;
    } else if (extent == 0 || extent > kLargestDimension / header.columns) {
      return bad_request(
          fmt::format("the array must have between 1 and {} columns.", kLargestDimension));
    } else {
      header.columns *= extent;
    }
  }
  return header;
}

class IdxReader final : public RowReader {
 public:
  IdxReader(std::unique_ptr<ByteSource> source, std::string path, const IdxHeader& header,
            ColumnSelection selection, const ReadOptions& options)
      : source_(std::move(source)),
        path_(std::move(path)),
        header_(header),
        selection_(std::move(selection)),
        bad_cell_(options.bad_cell),
        missing_(options.missing),
        rows_per_chunk_(rows_per_chunk(options.chunk_bytes)),
        convert_(pick_converter(header.type)) {}

  const Schema& schema() const override { return selection_.schema; }

  Result<bool> next_chunk(RawChunk& chunk) override {
    chunk.sequence = sequence_;
    chunk.first_record = rows_done_ + 1;
    chunk.records = std::min(rows_per_chunk_, header_.rows - rows_done_);
    chunk.size = 0;
    if (failure_) {
      return tl::unexpected<Error>(*failure_);
    }
    Result<bool> filled = chunk.records == 0 ? check_end() : fill(chunk);
    if (!filled) {
      failure_ = filled.error();  // a stream cannot be read again
    }
    return filled;
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    block.rows = chunk.records;
    block.dimension = selection_.sources.size();
    block.values.resize(block.rows * block.dimension);
    const std::size_t item = header_.type.item_bytes;
    convert_(chunk.bytes.data(), {item * header_.columns, item}, selection_.sources, block);
    if (header_.type.kind != NumberKind::Float) {
      return {};
    }
    return settle_cells(chunk, selection_.schema, bad_cell_, missing_, block);
  }

  std::optional<double> progress() const override { return source_->progress(); }
  std::optional<std::int64_t> stated_rows() const override {
    return static_cast<std::int64_t>(header_.rows);
  }

 private:
  std::size_t row_bytes() const { return header_.columns * header_.type.item_bytes; }

  std::size_t rows_per_chunk(std::size_t chunk_bytes) const {
    return rows_in_chunk(std::max(row_bytes(), selection_.sources.size() * sizeof(double)),
                         chunk_bytes);
  }

  Result<bool> fill(RawChunk& chunk) {
    chunk.size = chunk.records * row_bytes();
    chunk.bytes.resize(std::max(chunk.bytes.size(), chunk.size));
    const Result<std::size_t> got = source_->read(chunk.bytes.data(), chunk.size);
    if (!got) {
      return error_of(got);
    }
    if (*got < chunk.size) {
      const Result<bool> why = check_end();  // damage, or an end too early
      return why ? malformed(path_, kShorter) : error_of(why);
    }
    rows_done_ += chunk.records;
    ++sequence_;
    return true;
  }

  /// Also makes a compressed source verify its checksum.
  Result<bool> check_end() {
    char surplus = 0;
    const Result<std::size_t> got = source_->read(&surplus, 1);
    if (!got) {
      return error_of(got);
    }
    if (*got > 0) {
      return malformed(path_, kLonger);
    }
    return false;
  }

  std::unique_ptr<ByteSource> source_;
  std::string path_;
  IdxHeader header_;
  ColumnSelection selection_;
  BadCell bad_cell_;
  MissingCell missing_;
  std::size_t rows_per_chunk_;
  CellConverter convert_;
  std::uint64_t sequence_ = 0;
  std::size_t rows_done_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_idx(std::unique_ptr<ByteSource> source,
                                            const std::string& path,
                                            std::optional<std::size_t> size,
                                            const ReadOptions& options) {
  const Result<IdxHeader> header = read_header(*source, path);
  if (!header) {
    return error_of(header);
  }
  // Below 2^32 * 2^20 * 8: no overflow.
  const std::size_t wanted =
      header->data_offset + header->rows * header->columns * header->type.item_bytes;
  if (size && *size != wanted) {
    return malformed(path, *size < wanted ? kShorter : kLonger);
  }
  Result<ColumnSelection> selection =
      select_columns(default_column_names(header->columns), options);
  if (!selection) {
    return error_of(selection);
  }
  selection->schema.fills_gaps = fills_gaps(options.bad_cell, options.missing);
  return std::make_unique<IdxReader>(std::move(source), path, *header, *std::move(selection),
                                     options);
}

}  // namespace eigenveil::detail
