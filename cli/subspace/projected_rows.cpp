#include "cli/subspace/projected_rows.hpp"

#include <fmt/format.h>

#include "cli/progress.hpp"

namespace eigenveil::cli {
namespace {

class ProjectedReader final : public RowReader {
 public:
  ProjectedReader(std::unique_ptr<RowReader> rows, const RowBound& bound, const Matrix& frame)
      : rows_(std::move(rows)), bound_(bound), frame_(frame * bound.unit()) {
    for (Eigen::Index j = 1; j <= frame.cols(); ++j) {
      schema_.columns.push_back(fmt::format("S{}", j));
    }
  }
  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override { return rows_->next_chunk(chunk); }
  std::optional<double> progress() const override { return rows_->progress(); }

  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    RawRows wide;
    if (const Result<void> parsed = rows_->parse(chunk, wide); !parsed) {
      return parsed;
    }
    const BoundedRows bounded = BoundedRows::clip(bound_, wide.values.data(), wide.rows);
    block.rows = wide.rows;
    block.dimension = static_cast<std::size_t>(frame_.cols());
    block.values.resize(block.rows * block.dimension);
    const auto width = static_cast<std::size_t>(frame_.rows());
    for (std::size_t row = 0; row < block.rows; ++row) {
      const double* cells = bounded.values().data() + row * width;
      for (std::size_t j = 0; j < block.dimension; ++j) {
        block.values[row * block.dimension + j] = inner_product(cells, j);
      }
    }
    return {};
  }

 private:
  /// One row alone, in a fixed order of additions: a matrix product over a chunk rounds differently
  /// with the chunk, so that one person's longer line could move the projections of others.
  double inner_product(const double* cells, std::size_t column) const {
    const double* direction = frame_.data() + column * static_cast<std::size_t>(frame_.rows());
    double sum = 0.0;
    for (Eigen::Index i = 0; i < frame_.rows(); ++i) {
      sum += direction[i] * cells[i];
    }
    return sum;
  }

  std::unique_ptr<RowReader> rows_;
  RowBound bound_;
  Matrix frame_;
  Schema schema_;
};

}  // namespace

Result<ExactGram> projected_gram(const InputOptions& input, const RowBound& bound,
                                 const Matrix& frame, const RowBound& inside, bool quiet) {
  Result<std::unique_ptr<RowReader>> opened = input.open();
  if (!opened) {
    return error_of(opened);
  }
  const std::unique_ptr<RowReader> reader =
      with_progress(std::make_unique<ProjectedReader>(std::move(*opened), bound, frame),
                    input.display_name(), quiet);
  GramAccumulator accumulator(reader->schema(), inside, input.thread_count());
  if (const Result<void> added = accumulator.add(*reader); !added) {
    return error_of(added);
  }
  return accumulator.finish();
}

}  // namespace eigenveil::cli
