#include "engine/mask/pseudo_writer.hpp"

#include <algorithm>

#include "core/blas.hpp"
#include "core/gzip.hpp"
#include "core/npy_header.hpp"
#include "core/parallel.hpp"
#include "eigenveil/core/digest.hpp"
#include "report/grid_rows.hpp"
#include "report/table_format.hpp"

namespace eigenveil {
namespace {

std::string header_of(const PseudoTable& table, std::int64_t rows) {
  if (table.format == ArrayFormat::Npy) {
    return npy_header("<f8", {rows, std::ssize(table.columns)});
  }
  std::string line;
  for (const std::string& name : table.columns) {
    line += (line.empty() ? "" : ",") + csv_field(name);
  }
  line += '\n';
  return table.format == ArrayFormat::CsvGzip ? gzip_member(line) : line;
}

std::string bytes_of(Matrix rows, const PseudoTable& table) {
  const auto count = static_cast<std::size_t>(rows.cols());
  if (table.format == ArrayFormat::Npy) {
    round_to_decimals(rows.data(), count, table.decimals);
    return {reinterpret_cast<const char*>(rows.data()),
            static_cast<std::size_t>(rows.size()) * sizeof(double)};
  }
  std::string text;
  append_grid_rows(text, rows.data(), count, table.decimals);
  return table.format == ArrayFormat::CsvGzip ? gzip_member(text) : text;
}

/// Blocks made side by side, written in order. While one batch is formatted, the normals of the
/// next are drawn and the bytes of the one before are hashed and written: nothing waits for the
/// disk.
class BatchWriter {
 public:
  BatchWriter(const PseudoTable& table, AtomicFile& file) : table_(table), file_(file) {}

  Result<void> write(PseudoRows& rows) {
    const BlasThreads single(1);  // the threads are ours
    const auto width = static_cast<std::size_t>(std::max(1, 2 * table_.threads));
    std::vector<PseudoRows::Block> placed;
    for (std::size_t first = 0; first < rows.blocks() || !placed.empty(); first += width) {
      const std::size_t fresh = first < rows.blocks() ? std::min(width, rows.blocks() - first) : 0;
      std::vector<PseudoRows::Block> drawn(fresh);
      std::vector<std::string> made(placed.size());
      Result<void> flushed;
      parallel_for(1 + placed.size() + fresh, table_.threads, [&](std::size_t task) {
        if (task == 0) {
          flushed = flush();
        } else if (task <= placed.size()) {
          made[task - 1] = bytes_of(PseudoRows::rows(placed[task - 1]), table_);
        } else {
          drawn[task - 1 - placed.size()] = rows.draw(first + task - 1 - placed.size());
        }
      });
      if (!flushed) {
        return flushed;
      }
      waiting_ = std::move(made);
      placed = std::move(drawn);
      for (PseudoRows::Block& block : placed) {
        rows.place(block);
      }
    }
    return {};
  }

  Result<void> flush() {
    for (const std::string& bytes : waiting_) {
      if (const Result<void> written = add(bytes); !written) {
        return written;
      }
    }
    waiting_.clear();
    return {};
  }

  Result<void> add(std::string_view bytes) {
    digest_.update(bytes);
    return file_.append(bytes);
  }

  std::string checksum() { return hex(digest_.finish()); }

 private:
  const PseudoTable& table_;
  AtomicFile& file_;
  Sha256 digest_;
  std::vector<std::string> waiting_;
};

}  // namespace

Result<std::string> write_pseudo_rows(std::vector<PseudoRows> blocks, std::int64_t rows,
                                      const PseudoTable& table, AtomicFile& file) {
  BatchWriter writer(table, file);
  if (const Result<void> written = writer.add(header_of(table, rows)); !written) {
    return error_of(written);
  }
  for (PseudoRows& block : blocks) {
    if (const Result<void> written = writer.write(block); !written) {
      return error_of(written);
    }
  }
  if (const Result<void> written = writer.flush(); !written) {
    return error_of(written);
  }
  return writer.checksum();
}

}  // namespace eigenveil
