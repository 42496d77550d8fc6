#include "eigenveil/data/one_hot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace eigenveil {
namespace {

/// Where a column of the expanded table comes from.
struct Source {
  std::size_t column;
  bool indicator;
  double code;
};

class OneHotReader final : public RowReader {
 public:
  OneHotReader(std::unique_ptr<RowReader> table, Schema schema, std::vector<Source> sources)
      : table_(std::move(table)), schema_(std::move(schema)), sources_(std::move(sources)) {}

  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override { return table_->next_chunk(chunk); }
  std::optional<double> progress() const override { return table_->progress(); }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows plain;
    if (Result<void> parsed = table_->parse(chunk, plain); !parsed) {
      return parsed;
    }
    block.rows = plain.rows;
    block.dimension = sources_.size();
    block.values.resize(block.rows * block.dimension);
    double* out = block.values.data();
    for (std::size_t row = 0; row < plain.rows; ++row) {
      const double* cells = plain.values.data() + row * plain.dimension;
      for (const Source& source : sources_) {
        const double cell = cells[source.column];
        const bool plain_cell = !source.indicator || std::isnan(cell);
        *out++ = plain_cell ? cell : (cell == source.code ? 1.0 : 0.0);
      }
    }
    return {};
  }

 private:
  std::unique_ptr<RowReader> table_;
  Schema schema_;
  std::vector<Source> sources_;
};

Result<void> check_lists(const Schema& schema, const std::vector<Categories>& lists) {
  for (const Categories& list : lists) {
    if (std::find(schema.columns.begin(), schema.columns.end(), list.column) ==
        schema.columns.end()) {
      return bad_request(
          fmt::format("--one-hot names column '{}', which is not among the columns", list.column));
    }
    const auto same = [&](const Categories& other) { return other.column == list.column; };
    if (std::count_if(lists.begin(), lists.end(), same) > 1) {
      return bad_request(fmt::format("--one-hot names column '{}' twice", list.column));
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<RowReader>> one_hot(std::unique_ptr<RowReader> table,
                                           const std::vector<Categories>& lists) {
  const Schema& plain = table->schema();
  if (const Result<void> checked = check_lists(plain, lists); !checked) {
    return error_of(checked);
  }
  Schema schema;
  std::vector<Source> sources;
  for (std::size_t j = 0; j < plain.dimension(); ++j) {
    const auto list = std::find_if(lists.begin(), lists.end(), [&](const Categories& candidate) {
      return candidate.column == plain.columns[j];
    });
    if (list == lists.end()) {
      schema.columns.push_back(plain.columns[j]);
      sources.push_back({j, false, 0.0});
      continue;
    }
    for (std::size_t k = 0; k < list->codes.size(); ++k) {
      schema.columns.push_back(list->names.empty()
                                   ? fmt::format("{}={}", plain.columns[j], list->codes[k])
                                   : fmt::format("{}={}", plain.columns[j], list->names[k]));
      sources.push_back({j, true, list->codes[k]});
    }
  }
  return std::make_unique<OneHotReader>(std::move(table), std::move(schema), std::move(sources));
}

}  // namespace eigenveil
