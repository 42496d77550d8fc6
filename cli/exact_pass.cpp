#include "cli/exact_pass.hpp"

#include "cli/progress.hpp"
#include "cli/subspace/learn.hpp"
#include "data/array_rows.hpp"
#include "data/genotypes.hpp"
#include "data/rank_transform.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kMissingGenotypeBound =
    "a bound on the rows is missing. Noise is scaled to the largest row the data could contain; "
    "genotypes count 0, 1 or 2 copies of an allele, so give --range 0:2 --grid 1 (exact and "
    "fastest), or --allele-frequencies FILE with --range 0:2 or --row-norm R";

/// Columns as their average ranks: the table is held in memory, because one row shifts all ranks.
class RankRows final : public RowReader {
 public:
  RankRows(Schema schema, RawRows ranks) : schema_(std::move(schema)), ranks_(std::move(ranks)) {
    const ArrayView view{ranks_.values.data(), ranks_.rows, ranks_.dimension,
                         ranks_.dimension * sizeof(double), sizeof(double)};
    rows_ = *read_array(view, schema_, BadCell::Midpoint, MissingCell::Midpoint);
  }
  const Schema& schema() const override { return schema_; }
  Result<bool> next_chunk(RawChunk& chunk) override { return rows_->next_chunk(chunk); }
  Result<void> parse(const RawChunk& chunk, RawRows& block) const override {
    return rows_->parse(chunk, block);
  }

 private:
  Schema schema_;
  RawRows ranks_;
  std::unique_ptr<RowReader> rows_;
};

}  // namespace

/// Opens the file and puts the public stages in front of it: frequencies, indicator columns.
Result<std::unique_ptr<RowReader>> ExactPass::open_rows(const InputOptions& input,
                                                        const BoundOptions& bounds) {
  Result<std::unique_ptr<RowReader>> reader =
      bounds.named_columns().and_then([&](std::vector<std::string> names) {
        InputOptions known = input;
        known.bounded_columns = std::move(names);
        return known.open();
      });
  if (!reader || !bounds.standardises()) {
    return reader;
  }
  return bounds.frequencies((*reader)->schema()).and_then([&](std::vector<double> values) {
    return standardise_genotypes(std::move(*reader), std::move(values));
  });
}

Result<ExactPass> ExactPass::open(const InputOptions& input, const BoundOptions& bounds,
                                  const BoundCompletion& complete) {
  if (input.is_gram()) {
    if (bounds.shapes_rows() || !input.columns.empty()) {
      return bad_request(
          "a .gram file carries its columns and bound; leave out --row-norm, --range, --bounds, "
          "--grid, --columns, --allele-frequencies and a public --center, or make it again from "
          "the rows");
    }
    if (input.shapes_cells()) {
      return bad_request(
          "a .gram file holds no cells any more; leave out --header, --width, --separator, "
          "--missing and --bad-cell, or make it again from the rows");
    }
    return ExactGram::load(input.input).map([&](ExactGram&& gram) {
      ExactPass pass(input, bounds, gram.schema(), gram.bound());
      pass.stored_ = std::move(gram);
      return pass;
    });
  }
  if (!bounds.given() && !complete) {  // said before the file is even opened
    return input.is_plink() ? bad_request(kMissingGenotypeBound) : error_of(bounds.bound(Schema{}));
  }
  Result<std::unique_ptr<RowReader>> reader = open_rows(input, bounds);
  if (!reader) {
    return error_of(reader);
  }
  const BoundOptions used = complete ? complete((*reader)->schema()) : bounds;
  Result<RowBound> bound = used.bound((*reader)->schema());
  if (!bound) {
    return error_of(bound);
  }
  if (!input.one_hot.empty()) {
    const Schema plain = (*reader)->schema();
    reader = input.categories().and_then(
        [&](const auto& lists) { return one_hot(std::move(*reader), lists); });
    if (!reader) {
      return error_of(reader);
    }
    bound = with_indicators(*bound, plain, (*reader)->schema(), used.row_norm);
  }
  return bound.map([&](const RowBound& of_rows) {
    ExactPass pass(input, bounds, (*reader)->schema(), of_rows);
    pass.first_ = std::move(*reader);
    return pass;
  });
}

Result<std::unique_ptr<RowReader>> ExactPass::rows(bool quiet) {
  Result<std::unique_ptr<RowReader>> reader = std::move(first_);
  if (*reader == nullptr) {
    reader = open_rows(input_, bounds_);
    if (reader && !input_.one_hot.empty()) {
      reader = input_.categories().and_then(
          [&](const auto& lists) { return one_hot(std::move(*reader), lists); });
    }
  }
  if (!reader) {
    return reader;
  }
  std::unique_ptr<RowReader> shown =
      with_progress(std::move(*reader), input_.display_name(), quiet);
  if (!bounds_.rank_transform) {
    return shown;
  }
  return rank_transform(*shown).map([&](RawRows ranks) -> std::unique_ptr<RowReader> {
    return std::make_unique<RankRows>(schema_, std::move(ranks));
  });
}

Result<ExactGram> ExactPass::run(bool quiet) {
  if (stored_) {
    return *stored_;
  }
  const Result<std::unique_ptr<RowReader>> reader = rows(quiet);
  if (!reader) {
    return error_of(reader);
  }
  GramAccumulator accumulator(schema_, bound_, input_.thread_count());
  return accumulator.add(**reader).and_then([&] { return accumulator.finish(); });
}

Result<std::size_t> ExactPass::count_rows() {
  return eigenveil::cli::count_rows(input_);
}

}  // namespace eigenveil::cli
