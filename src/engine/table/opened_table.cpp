#include "engine/table/opened_table.hpp"

#include <filesystem>
#include <utility>

#include "core/parameter_names.hpp"
#include "data/column_rows.hpp"

namespace eigenveil {
namespace {

constexpr const char* kMissingGenotypeBound =
    "a bound on the rows is missing. Noise is scaled to the largest row the data could contain; "
    "genotypes count 0, 1 or 2 copies of an allele, so give {range 0:2} {grid 1} (exact and "
    "fastest), or {allele_frequencies FILE} with {range 0:2} or {row_norm R}";

bool is_genotypes(const std::string& path) {
  return path.ends_with(".bed") || path.ends_with(".BED");
}

/// Totals carry what the spec would say of rows and cells. A basis, and the cells it is of, may be
/// named again to come back to its columns; nobody can limit the rows of a person in sums that were
/// made before.
Result<void> check_stored(const TableSpec& table, const ReadOptions& format) {
  TableSpec allowed;
  allowed.project = table.project;
  allowed.projected_norm = table.projected_norm;
  allowed.outside_norm = table.outside_norm;
  if (table.project) {  // the names of the sums tell whether these are the cells they were made of
    allowed.range = table.range;
    allowed.bounds = table.bounds;
    allowed.center = table.center;
    allowed.allele_frequencies = table.allele_frequencies;
  }
  allowed.scaled = table.scaled;
  allowed.noisy_count = table.noisy_count;
  allowed.missing = table.missing;
  allowed.bad_cell = table.bad_cell;
  allowed.pairwise = table.pairwise;
  if (table_json(table) != table_json(allowed) || table.rows_per_person > 0) {
    return carries_its_bound();
  }
  const bool formatted = format.header != ReadOptions::Header::Auto || format.width > 0 ||
                         format.separator != 0 || format.decimal != 0 ||
                         format.encoding != TextEncoding::Utf8;
  if (formatted || table.missing != MissingCell::Midpoint || table.pairwise ||
      table.bad_cell != BadCell::Refuse) {
    return bad_request(
        "a .gram file holds no cells any more; leave out {header}, {width}, {separator}, "
        "{missing} and {bad_cell}, or make it again from the rows");
  }
  return {};
}

bool is_projected(const Schema& schema) {
  return schema.columns.front().starts_with("b1@");  // direction_names
}

bool has_outside(const Schema& schema) {
  return is_projected(schema) && schema.columns.back().starts_with("outside@");  // outside_name
}

/// The basis that the rows of stored totals were put in; their bound must be that of it.
Result<PreparedTable> basis_of_stored(TableSpec spec, const GramHead& gram) {
  spec.grid = gram.bound.max_abs();
  if (const Result<void> sound = spec.check(); !sound) {
    return error_of(sound);
  }
  const auto p = static_cast<std::size_t>(spec.project->directions.rows());
  Schema columns =
      spec.project->columns.empty() ? Schema::numbered(p) : Schema{spec.project->columns};
  columns.counted_alleles = spec.project->counted_alleles;
  if (gram.schema.people.given()) {  // as a reader would have it: whose a row is, at the end
    spec.person = gram.schema.people.column;
    spec.rows_per_person = gram.schema.people.rows;
    columns.columns.push_back(spec.person);
  }
  return PreparedTable::make(spec, columns)
      .and_then([&](PreparedTable table) -> Result<PreparedTable> {
        if (table.schema().columns != gram.schema.columns || !(table.bound() == gram.bound)) {
          return bad_request(
              "the .gram file was not made with this {project}, {projected_norm}, {outside_norm} "
              "and these cells; "
              "name what it was made with ({range}, {bounds}, a public {center}, {standardize}, "
              "{allele_frequencies}), or leave all of it out for components in the coordinates of "
              "the basis",
              "project");
        }
        return table;
      });
}

}  // namespace

tl::unexpected<Error> carries_its_bound() {
  return bad_request(
      "a .gram file carries its columns and bound; leave out {row_norm}, {range}, {bounds}, "
      "{grid}, {columns}, {exclude}, {one_hot}, {allele_frequencies}, a public {center} and what "
      "belongs to people, weights and stages, or make it again from the rows");
}

bool TableSource::can_be_read_again() const {
  std::error_code ignored;
  return path.empty() || (!is_gram() && std::filesystem::is_regular_file(path, ignored));
}

Result<ReadOptions> TableSource::reading() const {
  if (format.width > 0 && !is_text()) {
    return bad_request("{width} is for CSV and TSV tables; arrays carry their own", "width");
  }
  return read_options(table, format, is_text() || path.empty())
      .and_then([&](ReadOptions options) -> Result<ReadOptions> {
        if (!options.words.empty() && !is_text() && !path.empty()) {
          return bad_request("{one_hot} with words needs a CSV or TSV table; arrays hold codes",
                             "one_hot");
        }
        return options;
      });
}

Result<std::unique_ptr<RowReader>> TableSource::read() const {
  return reading().and_then([&](const ReadOptions& options) { return read(options); });
}

Result<std::unique_ptr<RowReader>> TableSource::read(const ReadOptions& options) const {
  return path.empty() ? read_columns(*memory, options) : open_rows(path, options);
}

Result<OpenedTable> OpenedTable::awaited_totals(TableSource source, GramHead head) {
  OpenedTable table(std::move(source));
  table.comes_again_ = false;
  const TableSource& from = table.source_;
  table.plain_ = PublicFacts{head.schema, head.bound};
  table.stated_ = head.rows;
  return check_stored(from.table, from.format).and_then([&]() -> Result<OpenedTable> {
    if (from.table.scaled && !from.table.project && is_projected(head.schema)) {
      return bad_request(
          "the sums of the .gram file are coordinates in a public basis, in units that were "
          "chosen when it was made: leave out {standardize}, or name the basis with {project}",
          "standardize");
    }
    if (!from.table.project && has_outside(head.schema)) {
      return bad_request(
          "the sums of the .gram file hold what lies outside of a public basis as a column: name "
          "what it was made with, {project}, {projected_norm}, {outside_norm} and its cells",
          "project");
    }
    if (from.table.project) {
      Result<PreparedTable> basis = basis_of_stored(from.table, head);
      if (!basis) {
        return error_of(basis);
      }
      table.prepared_ = *std::move(basis);
    }
    return std::move(table);
  });
}

Result<OpenedTable> OpenedTable::awaited(TableSpec spec, const Schema& read, bool read_again,
                                         std::optional<std::int64_t> stated_rows,
                                         const ModelRadius& model) {
  OpenedTable table(TableSource{});
  table.comes_again_ = read_again;
  table.stated_ = stated_rows;
  return PreparedTable::make(spec, read, model ? std::optional(model(read)) : std::nullopt)
      .map([&](PreparedTable prepared) {
        table.prepared_ = std::move(prepared);
        return std::move(table);
      });
}

Result<OpenedTable> OpenedTable::awaited_unbounded(const Schema& read) {
  OpenedTable table(TableSource{});
  return eigenveil::unbounded(read).map([&](PublicFacts facts) {
    table.plain_ = std::move(facts);
    return std::move(table);
  });
}

Result<OpenedTable> OpenedTable::bounded(TableSource source, const ModelRadius& model) {
  if (source.is_gram()) {
    return read_gram_head(source.path).and_then([&](GramHead head) {
      return awaited_totals(std::move(source), std::move(head));
    });
  }
  if (!source.table.bounded() && !model && is_genotypes(source.path)) {
    return bad_request(kMissingGenotypeBound, "range");
  }
  if (const Result<void> sound = source.table.check(); !sound && !model) {  // before it is opened
    return error_of(sound);
  }
  OpenedTable table(std::move(source));
  Result<std::unique_ptr<RowReader>> reader = table.source_.read();
  if (!reader) {
    return error_of(reader);
  }
  const Schema& read = (*reader)->schema();
  return PreparedTable::make(table.source_.table, read,
                             model ? std::optional(model(read)) : std::nullopt)
      .map([&](PreparedTable prepared) {
        table.prepared_ = std::move(prepared);
        table.first_ = std::move(*reader);
        return std::move(table);
      });
}

Result<OpenedTable> OpenedTable::unbounded(TableSource source) {
  OpenedTable table(std::move(source));
  Result<std::unique_ptr<RowReader>> reader = table.source_.read();
  if (!reader) {
    return error_of(reader);
  }
  return eigenveil::unbounded((*reader)->schema()).map([&](PublicFacts facts) {
    table.plain_ = std::move(facts);
    table.first_ = std::move(*reader);
    return std::move(table);
  });
}

PublicFacts OpenedTable::facts() const {
  PublicFacts facts = prepared_ ? prepared_->facts() : *plain_;
  facts.read_again = comes_again_.value_or(source_.can_be_read_again());
  return facts;
}

std::optional<std::int64_t> OpenedTable::stated_rows() const {
  return first_ ? first_->stated_rows() : stated_;
}

Result<std::unique_ptr<RowReader>> OpenedTable::rows(const WatchRows& watch) {
  Result<std::unique_ptr<RowReader>> reader = std::move(first_);
  if (*reader == nullptr) {
    reader = source_.read();
  }
  seen_ = nobody_seen();
  ranked_ = true;
  return std::move(reader).and_then([&](std::unique_ptr<RowReader> read) {
    std::unique_ptr<RowReader> watched = watch ? watch(std::move(read)) : std::move(read);
    return prepared_ ? prepared_->rows(std::move(watched), seen_)
                     : Result<std::unique_ptr<RowReader>>(std::move(watched));
  });
}

Result<std::unique_ptr<RowReader>> OpenedTable::staged(RowReader& read) {
  if (!prepared_) {
    return borrowed(read);
  }
  if (prepared_->spec().rank_transform && std::exchange(ranked_, true)) {
    return bad_request("ranks need the whole table at once, not a part of it after another");
  }
  return prepared_->rows(borrowed(read), seen_);
}

Result<const ExactGram*> OpenedTable::load_totals() {
  if (!source_.is_gram() || sums_) {
    return sums_.get();
  }
  return ExactGram::load(source_.path).and_then([&](ExactGram&& gram) -> Result<const ExactGram*> {
    if (!(gram.schema() == plain_->schema) || gram.bound().encode() != plain_->bound.encode()) {
      return bad_request("the .gram file was replaced while it was read");
    }
    sums_ = std::make_shared<ExactGram>(std::move(gram));
    return sums_.get();
  });
}

namespace {

/// The rows of another file of one table, whose columns are those of the first.
Result<std::unique_ptr<RowReader>> rows_of(const TableSource& source, const WatchRows& watch,
                                           const Schema& first) {
  return source.read().and_then(
      [&](std::unique_ptr<RowReader> reader) -> Result<std::unique_ptr<RowReader>> {
        if (!(reader->schema() == first)) {
          return bad_request(shown(source.path) + " has other columns than the first file");
        }
        return watch ? watch(std::move(reader)) : std::move(reader);
      });
}

}  // namespace

Result<const ExactGram*> OpenedTable::sums(int threads, const WatchRows& watch,
                                           const std::vector<TableSource>& more) {
  if (source_.is_gram()) {
    return load_totals();
  }
  const Schema columns = first_ ? first_->schema() : Schema();
  const Result<std::unique_ptr<RowReader>> reader = rows(watch);
  if (!reader) {
    return error_of(reader);
  }
  const PublicFacts known = facts();
  GramAccumulator accumulator(known.schema, known.bound, threads);
  Result<void> added = accumulator.add(**reader);
  for (std::size_t i = 0; added && i < more.size(); ++i) {
    added = rows_of(more[i], watch, columns).and_then([&](const std::unique_ptr<RowReader>& next) {
      return staged(*next).and_then(
          [&](const std::unique_ptr<RowReader>& rows) { return accumulator.add(*rows); });
    });
  }
  return added.and_then([&] { return accumulator.finish(); })
      .map([&](ExactGram&& gram) -> const ExactGram* {
        sums_ = std::make_shared<ExactGram>(std::move(gram));
        return sums_.get();
      });
}

ReleaseDocument OpenedTable::finish(ReleaseDocument document) const {
  if (prepared_) {
    return prepared_->finish(std::move(document));
  }
  state_people(plain_->schema.people, document);
  return document;
}

}  // namespace eigenveil
