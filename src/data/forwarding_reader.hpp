#pragma once

#include <memory>
#include <utility>

#include "eigenveil/data/raw_rows.hpp"

namespace eigenveil {

/// A reader in front of another: chunks are those of `table_`, what `parse` makes of them has the
/// columns of `schema_`, at first the same.
class ForwardingReader : public RowReader {
 public:
  const Schema& schema() const final { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override { return table_->next_chunk(chunk); }
  std::optional<double> progress() const final { return table_->progress(); }

 protected:
  explicit ForwardingReader(std::unique_ptr<RowReader> table)
      : table_(std::move(table)), schema_(table_->schema()) {}

  std::unique_ptr<RowReader> table_;
  Schema schema_;
};

}  // namespace eigenveil
