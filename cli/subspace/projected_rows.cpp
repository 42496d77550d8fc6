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
    const auto rows = static_cast<Eigen::Index>(wide.rows);
    const Eigen::Map<const Matrix> columns(bounded.values().data(), frame_.rows(), rows);
    block.rows = wide.rows;
    block.dimension = static_cast<std::size_t>(frame_.cols());
    block.values.resize(block.rows * block.dimension);
    Eigen::Map<Matrix>(block.values.data(), frame_.cols(), rows).noalias() =
        frame_.transpose() * columns;
    return {};
  }

 private:
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
