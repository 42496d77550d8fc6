#include "npy_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "column_selection.hpp"
#include "npy_header.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::size_t kUsualChunk = std::size_t{2} << 20;
constexpr std::size_t kLargestChunk = std::size_t{16} << 20;
constexpr std::size_t kRowsPerChunk =
    512;  // of wide tables: long reads of a column, useful products

/// Where the cells of a chunk lie: cell (row, column) starts at row * row_stride + column *
/// column_stride.
struct ChunkLayout {
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
};

template <class T, bool kSwap>
double load(const char* at) {
  std::array<char, sizeof(T)> bytes = {};
  std::memcpy(bytes.data(), at, sizeof(T));
  if constexpr (kSwap) {
    std::ranges::reverse(bytes);
  }
  if constexpr (std::is_same_v<T, bool>) {
    return bytes[0] == 0 ? 0.0 : 1.0;
  } else {
    return static_cast<double>(std::bit_cast<T>(bytes));
  }
}

/// Small groups of rows keep both sides in cache whichever order the file has.
template <class T, bool kSwap>
void convert(const char* bytes, const ChunkLayout& layout, const std::vector<std::size_t>& columns,
             RawRows& block) {
  constexpr std::size_t kGroup = 64;
  for (std::size_t first = 0; first < block.rows; first += kGroup) {
    const std::size_t last = std::min(first + kGroup, block.rows);
    for (std::size_t slot = 0; slot < columns.size(); ++slot) {
      const char* cell = bytes + columns[slot] * layout.column_stride + first * layout.row_stride;
      double* value = block.values.data() + first * columns.size() + slot;
      for (std::size_t row = first; row < last; ++row) {
        *value = load<T, kSwap>(cell);
        cell += layout.row_stride;
        value += columns.size();
      }
    }
  }
}

using Converter = void (*)(const char*, const ChunkLayout&, const std::vector<std::size_t>&,
                           RawRows&);

template <class T>
Converter converter_of(bool swap) {
  return swap ? convert<T, true> : convert<T, false>;
}

template <class One, class Two, class Four, class Eight>
Converter integer_converter(std::size_t bytes, bool swap) {
  switch (bytes) {
    case 1:
      return converter_of<One>(swap);
    case 2:
      return converter_of<Two>(swap);
    case 4:
      return converter_of<Four>(swap);
    default:
      return converter_of<Eight>(swap);
  }
}

Converter pick_converter(const NpyHeader& header) {
  const bool swap = header.big_endian != (std::endian::native == std::endian::big);
  switch (header.kind) {
    case NumberKind::Float:
      return header.item_bytes == 4 ? converter_of<float>(swap) : converter_of<double>(swap);
    case NumberKind::Signed:
      return integer_converter<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(
          header.item_bytes, swap);
    case NumberKind::Unsigned:
      return integer_converter<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(
          header.item_bytes, swap);
    case NumberKind::Boolean:
      break;
  }
  return converter_of<bool>(false);
}

class NpyReader final : public RowReader {
 public:
  NpyReader(FileDescriptor file, const NpyHeader& header, ColumnSelection selection,
            const ReadOptions& options)
      : file_(std::move(file)),
        header_(header),
        selection_(std::move(selection)),
        bad_cell_(options.bad_cell),
        missing_(options.missing),
        rows_per_chunk_(rows_per_chunk(options.chunk_bytes)),
        convert_(pick_converter(header)) {
    // A chunk of a column-major file holds the selected columns alone, one after the other.
    chunk_columns_ = selection_.sources;
    if (header_.column_major) {
      for (std::size_t slot = 0; slot < chunk_columns_.size(); ++slot) {
        chunk_columns_[slot] = slot;
      }
    }
  }

  const Schema& schema() const override { return selection_.schema; }

  Result<bool> next_chunk(RawChunk& chunk) override {
    const std::size_t done = rows_done_.load(std::memory_order_relaxed);
    chunk.sequence = sequence_;
    chunk.first_record = done + 1;
    chunk.records = std::min(rows_per_chunk_, header_.rows - done);
    chunk.size = 0;
    if (chunk.records == 0) {
      return false;
    }
    const Result<void> filled =
        header_.column_major ? fill_columns(done, chunk) : fill_rows(done, chunk);
    if (!filled) {
      return error_of(filled);
    }
    rows_done_.store(done + chunk.records, std::memory_order_relaxed);
    ++sequence_;
    return true;
  }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    block.rows = chunk.records;
    block.dimension = selection_.sources.size();
    block.values.resize(block.rows * block.dimension);
    const std::size_t item = header_.item_bytes;
    const ChunkLayout layout = header_.column_major ? ChunkLayout{item, item * chunk.records}
                                                    : ChunkLayout{item * header_.columns, item};
    convert_(chunk.bytes.data(), layout, chunk_columns_, block);
    return header_.kind == NumberKind::Float ? check_cells(chunk, block) : Result<void>();
  }

  std::optional<double> progress() const override {
    if (header_.rows == 0) {
      return 1.0;
    }
    return static_cast<double>(rows_done_.load(std::memory_order_relaxed)) /
           static_cast<double>(header_.rows);
  }

 private:
  std::size_t rows_per_chunk(std::size_t chunk_bytes) const {
    const std::size_t dimension = selection_.sources.size();
    const std::size_t read = header_.column_major ? dimension : header_.columns;
    const std::size_t row_bytes = std::max(read * header_.item_bytes, dimension * sizeof(double));
    const std::size_t rows =
        chunk_bytes > 0
            ? chunk_bytes / row_bytes
            : std::max(kUsualChunk / row_bytes, std::min(kRowsPerChunk, kLargestChunk / row_bytes));
    return std::max<std::size_t>(rows, 1);
  }

  Result<void> fill_rows(std::size_t first, RawChunk& chunk) const {
    const std::size_t row_bytes = header_.columns * header_.item_bytes;
    chunk.size = chunk.records * row_bytes;
    chunk.bytes.resize(std::max(chunk.bytes.size(), chunk.size));
    return read_exactly(header_.data_offset + first * row_bytes, chunk.bytes.data(), chunk.size);
  }

  Result<void> fill_columns(std::size_t first, RawChunk& chunk) const {
    const std::size_t part = chunk.records * header_.item_bytes;
    chunk.size = part * selection_.sources.size();
    chunk.bytes.resize(std::max(chunk.bytes.size(), chunk.size));
    char* into = chunk.bytes.data();
    for (const std::size_t column : selection_.sources) {
      const std::size_t cell = column * header_.rows + first;
      Result<void> done = read_exactly(header_.data_offset + cell * header_.item_bytes, into, part);
      if (!done) {
        return done;
      }
      into += part;
    }
    return {};
  }

  Result<void> read_exactly(std::size_t offset, char* into, std::size_t count) const {
    const Result<std::size_t> got = file_.read_at(offset, into, count);
    if (!got) {
      return error_of(got);
    }
    if (*got < count) {
      return input_output_error(fmt::format("{} became shorter while it was read.", file_.path()));
    }
    return {};
  }

  Result<void> check_cells(const RawChunk& chunk, RawRows& block) const {
    for (std::size_t i = 0; i < block.values.size(); ++i) {
      double& value = block.values[i];
      if (std::isfinite(value)) {
        continue;
      }
      const bool missing = std::isnan(value);
      if (missing ? missing_ == MissingCell::Refuse : bad_cell_ == BadCell::Refuse) {
        return bad_request(fmt::format(
            "row {}, column {}: {}.", chunk.first_record + i / block.dimension,
            selection_.schema.columns[i % block.dimension],
            missing ? "the value is missing" : "not a finite number (the value is not shown)"));
      }
      value = std::numeric_limits<double>::quiet_NaN();
    }
    return {};
  }

  FileDescriptor file_;
  NpyHeader header_;
  ColumnSelection selection_;
  std::vector<std::size_t> chunk_columns_;  // position in a chunk, per selected column
  BadCell bad_cell_;
  MissingCell missing_;
  std::size_t rows_per_chunk_;
  Converter convert_;
  std::uint64_t sequence_ = 0;
  std::atomic<std::size_t> rows_done_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_npy(FileDescriptor file, const ReadOptions& options) {
  const Result<NpyHeader> header = read_npy_header(file);
  if (!header) {
    return error_of(header);
  }
  Result<ColumnSelection> selection =
      select_columns(default_column_names(header->columns), options.columns);
  if (!selection) {
    return error_of(selection);
  }
  return std::make_unique<NpyReader>(std::move(file), *header, std::move(*selection), options);
}

}  // namespace eigenveil::detail
