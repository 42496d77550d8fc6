#include "data/row_norms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/deviations.hpp"
#include "data/forwarding_reader.hpp"

namespace eigenveil {
namespace {

/// By the largest first: no square overflows.
double norm_of(const double* cells, std::size_t count) {
  double largest = 0.0;
  for (std::size_t j = 0; j < count; ++j) {
    largest = std::max(largest, std::fabs(cells[j]));
  }
  double norm2 = 0.0;
  for (std::size_t j = 0; j < count && largest > 0.0; ++j) {
    norm2 += (cells[j] / largest) * (cells[j] / largest);
  }
  return largest * std::sqrt(norm2);
}

class NormReader final : public ForwardingReader {
 public:
  NormReader(std::unique_ptr<RowReader> table, const RowBound& bound)
      : ForwardingReader(std::move(table)), deviations_(bound, true) {
    schema_ = Schema{{kRowNormColumn}};
    schema_.fills_gaps = table_->schema().fills_gaps;
  }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows plain;
    if (Result<void> parsed = table_->parse(chunk, plain); !parsed) {
      return parsed;
    }
    block.rows = plain.rows;
    block.dimension = 1;
    block.values.resize(plain.rows);
    for (std::size_t row = 0; row < plain.rows; ++row) {
      double* cells = plain.values.data() + row * plain.dimension;
      deviations_.take(cells);
      block.values[row] = norm_of(cells, deviations_.columns());
    }
    return {};
  }

 private:
  Deviations deviations_;
};

}  // namespace

std::unique_ptr<RowReader> row_norms(std::unique_ptr<RowReader> table, const RowBound& bound) {
  return std::make_unique<NormReader>(std::move(table), bound);
}

}  // namespace eigenveil
