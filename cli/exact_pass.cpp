#include "cli/exact_pass.hpp"

#include "cli/progress.hpp"
#include "eigenveil/random/stream.hpp"
#include "statistics/gram_head.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kMissingGenotypeBound =
    "a bound on the rows is missing. Noise is scaled to the largest row the data could contain; "
    "genotypes count 0, 1 or 2 copies of an allele, so give --range 0:2 --grid 1 (exact and "
    "fastest), or --allele-frequencies FILE with --range 0:2 or --row-norm R";

Result<void> check_stored(const InputOptions& input, BoundOptions bounds) {
  // A basis is named again to come back to its columns.
  bounds.project_file.clear();
  bounds.projected_norm.reset();
  // Nobody can limit the rows of a person in sums that were made before.
  const bool people = !input.person.empty() || input.rows_per_person > 0 || !input.weights.empty();
  if (bounds.shapes_rows() || input.chooses_columns() || people) {
    return bad_request(
        "a .gram file carries its columns and bound; leave out --row-norm, --range, --bounds, "
        "--grid, --columns, --exclude, --one-hot, --allele-frequencies, a public --center and what "
        "belongs to people, weights and stages, or make it again from the rows");
  }
  if (input.shapes_cells()) {
    return bad_request(
        "a .gram file holds no cells any more; leave out --header, --width, --separator, "
        "--missing and --bad-cell, or make it again from the rows");
  }
  return {};
}

/// The basis that the rows of a stored statistic were put in; their bound must be that of it.
Result<PreparedTable> basis_of_stored(const BoundOptions& bounds, const GramHead& gram) {
  TableSpec spec;
  if (const Result<void> filled = bounds.fill(spec); !filled) {
    return error_of(filled);
  }
  spec.grid = gram.bound.max_abs();
  if (const Result<void> sound = spec.check(); !sound) {
    return error_of(sound);
  }
  const auto p = static_cast<std::size_t>(spec.project->directions.rows());
  Schema columns =
      spec.project->columns.empty() ? Schema::numbered(p) : Schema{spec.project->columns};
  columns.counted_alleles = spec.project->counted_alleles;
  return PreparedTable::make(spec, columns)
      .and_then([&](PreparedTable table) -> Result<PreparedTable> {
        if (table.schema().columns != gram.schema.columns || !(table.bound() == gram.bound)) {
          return bad_request(
              "the .gram file was not made with this --project and --projected-norm; name those it "
              "was made with, or leave them out for components in the coordinates of the basis");
        }
        return table;
      });
}

}  // namespace

Result<TableSpec> table_spec(const InputOptions& input, const BoundOptions& bounds) {
  TableSpec spec;
  if (!input.person.empty()) {  // fresh for every run: nobody can prepare names that collide
    RandomStream stream = RandomStream::secure();
    for (unsigned char& byte : spec.person_key) {
      byte = static_cast<unsigned char>(stream.bits64());
    }
  }
  return input.fill(spec).and_then([&] { return bounds.fill(spec); }).map([&] { return spec; });
}

Result<ExactPass> ExactPass::open(const InputOptions& input, const BoundOptions& bounds,
                                  const ModelRadius& model) {
  if (!input.is_gram() && !bounds.given() && !model && input.is_plink()) {
    return bad_request(kMissingGenotypeBound);
  }
  if (input.is_gram()) {
    return check_stored(input, bounds)
        .and_then([&] { return read_gram_head(input.input); })
        .and_then([&](const GramHead& head) -> Result<ExactPass> {
          ExactPass pass(input, {}, head.schema, head.bound);
          if (!bounds.project_file.empty()) {
            Result<PreparedTable> prepared = basis_of_stored(bounds, head);
            if (!prepared) {
              return error_of(prepared);
            }
            pass.prepared_ = *std::move(prepared);
          }
          return pass;
        });
  }
  Result<TableSpec> spec = table_spec(input, bounds);
  if (!spec) {
    return error_of(spec);
  }
  if (const Result<void> sound = spec->check(); !sound && !model) {  // before a file is opened
    return error_of(sound);
  }
  Result<std::unique_ptr<RowReader>> reader = input.open(*spec);
  if (!reader) {
    return error_of(reader);
  }
  const Schema& read = (*reader)->schema();
  return PreparedTable::make(*spec, read, model ? std::optional(model(read)) : std::nullopt)
      .map([&](PreparedTable prepared) {
        ExactPass pass(input, *std::move(spec), prepared.schema(), prepared.bound());
        pass.prepared_ = std::move(prepared);
        pass.first_ = std::move(*reader);
        return pass;
      });
}

Result<ExactPass> ExactPass::unbounded(const InputOptions& input) {
  const Result<TableSpec> spec = table_spec(input, BoundOptions{});
  if (!spec) {
    return error_of(spec);
  }
  Result<std::unique_ptr<RowReader>> reader = input.open(*spec);
  if (!reader) {
    return error_of(reader);
  }
  return eigenveil::unbounded((*reader)->schema()).map([&](const PublicFacts& facts) {
    ExactPass pass(input, *spec, facts.schema, facts.bound);
    pass.first_ = std::move(*reader);
    return pass;
  });
}

Result<std::unique_ptr<RowReader>> ExactPass::rows(bool quiet) {
  Result<std::unique_ptr<RowReader>> reader = std::move(first_);
  if (*reader == nullptr) {
    reader = input_.open(spec_);
  }
  return std::move(reader).and_then(
      [&](std::unique_ptr<RowReader> read) -> Result<std::unique_ptr<RowReader>> {
        auto shown = with_progress(std::move(read), input_.display_name(), quiet);
        return prepared_ ? prepared_->rows(std::move(shown))
                         : Result<std::unique_ptr<RowReader>>(std::move(shown));
      });
}

Result<void> ExactPass::load_totals() {
  if (!input_.is_gram() || stored_) {
    return {};
  }
  return ExactGram::load(input_.input).and_then([&](ExactGram&& gram) -> Result<void> {
    if (!(gram.schema() == schema_) || gram.bound().encode() != bound_.encode()) {
      return bad_request("the .gram file was replaced while it was read");
    }
    stored_ = std::move(gram);
    return {};
  });
}

Result<void> ExactPass::sum(bool quiet) {
  return run(quiet).map([&](ExactGram&& gram) { stored_ = std::move(gram); });
}

Result<ExactGram> ExactPass::run(bool quiet) {
  if (input_.is_gram()) {
    return load_totals().map([&] { return *stored_; });
  }
  const Result<std::unique_ptr<RowReader>> reader = rows(quiet);
  if (!reader) {
    return error_of(reader);
  }
  GramAccumulator accumulator(schema_, bound_, input_.thread_count());
  return accumulator.add(**reader).and_then([&] { return accumulator.finish(); });
}

}  // namespace eigenveil::cli
