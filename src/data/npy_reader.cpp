#include "data/npy_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/parameter_names.hpp"
#include "data/array_cells.hpp"
#include "data/chunk_size.hpp"
#include "data/column_selection.hpp"
#include "data/npy_header.hpp"

namespace eigenveil::detail {
namespace {

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
        convert_(pick_converter({header.kind, header.item_bytes, header.big_endian})) {
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
    if (header_.kind != NumberKind::Float) {
      return {};
    }
    return settle_cells(chunk, selection_.schema, bad_cell_, missing_, block);
  }

  std::optional<double> progress() const override {
    if (header_.rows == 0) {
      return 1.0;
    }
    return static_cast<double>(rows_done_.load(std::memory_order_relaxed)) /
           static_cast<double>(header_.rows);
  }
  std::optional<std::int64_t> stated_rows() const override {
    return static_cast<std::int64_t>(header_.rows);
  }

 private:
  std::size_t rows_per_chunk(std::size_t chunk_bytes) const {
    const std::size_t dimension = selection_.sources.size();
    const std::size_t read = header_.column_major ? dimension : header_.columns;
    const std::size_t row_bytes = std::max(read * header_.item_bytes, dimension * sizeof(double));
    return rows_in_chunk(row_bytes, chunk_bytes);
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
    if (header_.complex_pairs) {
      return fill_complex_columns(first, chunk);
    }
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

  /// Real and imaginary parts of a column lie in turn in the file, and apart in the chunk.
  Result<void> fill_complex_columns(std::size_t first, RawChunk& chunk) const {
    const std::size_t item = header_.item_bytes;
    std::vector<char> pairs(2 * item * chunk.records);
    std::optional<std::size_t> held;  // complex column in `pairs`
    char* into = chunk.bytes.data();
    for (const std::size_t column : selection_.sources) {
      if (held != column / 2) {
        held = column / 2;
        const std::size_t cell = *held * header_.rows + first;
        Result<void> done =
            read_exactly(header_.data_offset + cell * 2 * item, pairs.data(), pairs.size());
        if (!done) {
          return done;
        }
      }
      const char* from = pairs.data() + (column % 2) * item;
      for (std::size_t row = 0; row < chunk.records; ++row, into += item, from += 2 * item) {
        std::copy_n(from, item, into);
      }
    }
    return {};
  }

  Result<void> read_exactly(std::size_t offset, char* into, std::size_t count) const {
    const Result<std::size_t> got = file_.read_at(offset, into, count);
    if (!got) {
      return error_of(got);
    }
    if (*got < count) {
      return input_output_error(
          fmt::format("{} became shorter while it was read.", shown(file_.path())));
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
  CellConverter convert_;
  std::uint64_t sequence_ = 0;
  std::atomic<std::size_t> rows_done_ = 0;
};

}  // namespace

namespace {

std::vector<std::string> column_names(const NpyHeader& header) {
  if (!header.complex_pairs) {
    return default_column_names(header.columns);
  }
  std::vector<std::string> names;
  for (const std::string& name : default_column_names(header.columns / 2)) {
    names.push_back(name + ".re");
    names.push_back(name + ".im");
  }
  return names;
}

}  // namespace

Result<std::unique_ptr<RowReader>> open_npy(FileDescriptor file, const ReadOptions& options) {
  const Result<NpyHeader> header = read_npy_header(file);
  if (!header) {
    return error_of(header);
  }
  Result<ColumnSelection> selection = select_columns(column_names(*header), options);
  if (!selection) {
    return error_of(selection);
  }
  selection->schema.fills_gaps = fills_gaps(options.bad_cell, options.missing);
  return std::make_unique<NpyReader>(std::move(file), *header, std::move(*selection), options);
}

}  // namespace eigenveil::detail
