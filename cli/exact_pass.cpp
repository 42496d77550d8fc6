#include "cli/exact_pass.hpp"

#include "cli/progress.hpp"
#include "data/genotypes.hpp"
#include "data/rank_transform.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kMissingGenotypeBound =
    "a bound on the rows is missing. Noise is scaled to the largest row the data could contain; "
    "genotypes count 0, 1 or 2 copies of an allele, so give --range 0:2 --grid 1 (exact and "
    "fastest), or --allele-frequencies FILE with --range 0:2 or --row-norm R";

}  // namespace

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
          "a .gram file holds no cells any more; leave out --header, --separator, --missing and "
          "--bad-cell, or make it again from the rows");
    }
    return ExactGram::load(input.input).map([&](ExactGram&& gram) {
      ExactPass pass(input, gram.schema(), gram.bound());
      pass.stored_ = std::move(gram);
      return pass;
    });
  }
  if (!bounds.given() && !complete) {  // said before the file is even opened
    return input.is_plink() ? bad_request(kMissingGenotypeBound) : error_of(bounds.bound(Schema{}));
  }
  Result<std::unique_ptr<RowReader>> reader = input.open();
  if (!reader) {
    return error_of(reader);
  }
  if (bounds.standardises()) {
    reader = bounds.frequencies((*reader)->schema()).and_then([&](std::vector<double> values) {
      return standardise_genotypes(std::move(*reader), std::move(values));
    });
    if (!reader) {
      return error_of(reader);
    }
  }
  const BoundOptions used = complete ? complete((*reader)->schema()) : bounds;
  const Result<RowBound> plain = used.bound((*reader)->schema());
  if (!plain) {
    return error_of(plain);
  }
  Schema schema = (*reader)->schema();
  Result<RowBound> bound_of_rows = plain;
  if (!input.one_hot.empty()) {
    reader = input.categories().and_then(
        [&](const auto& lists) { return one_hot(std::move(*reader), lists); });
    if (!reader) {
      return error_of(reader);
    }
    bound_of_rows = with_indicators(*plain, schema, (*reader)->schema(), used.row_norm);
    schema = (*reader)->schema();
  }
  return bound_of_rows.map([&](const RowBound& bound) {
    ExactPass pass(input, schema, bound);
    pass.reader_ = std::move(*reader);
    pass.ranks_ = bounds.rank_transform;
    return pass;
  });
}

Result<ExactGram> ExactPass::run(bool quiet) {
  if (stored_) {
    return std::move(*stored_);
  }
  GramAccumulator accumulator(schema_, bound_, input_.thread_count());
  const std::unique_ptr<RowReader> reader = take_reader(quiet);
  const auto add_ranks = [&](const RawRows& table) {
    return accumulator.add(table.values.data(), table.rows);
  };
  const Result<void> added =
      ranks_ ? rank_transform(*reader).and_then(add_ranks) : accumulator.add(*reader);
  if (!added) {
    return error_of(added);
  }
  return accumulator.finish();
}

Result<TableOrGram> ExactPass::run_table_or_gram(bool quiet) {
  if (stored_) {
    return TableOrGram(std::move(*stored_));
  }
  const std::unique_ptr<RowReader> reader = take_reader(quiet);
  return read_table_or_gram(*reader, bound_, input_.thread_count());
}

std::unique_ptr<RowReader> ExactPass::take_reader(bool quiet) {
  return reader_ ? with_progress(std::move(reader_), input_.display_name(), quiet) : nullptr;
}

}  // namespace eigenveil::cli
