#include "engine/table/opened_table.hpp"

#include <utility>

#include "data/column_rows.hpp"
#include "eigenveil/random/stream.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "statistics/gram_head.hpp"

namespace eigenveil {
namespace {

constexpr const char* kMissingGenotypeBound =
    "a bound on the rows is missing. Noise is scaled to the largest row the data could contain; "
    "genotypes count 0, 1 or 2 copies of an allele, so give {range 0:2} with {grid 1} (exact and "
    "fastest), or {allele_frequencies} with {range 0:2} or {row_norm R}";

bool is_genotypes(const std::string& input) {
  return input.ends_with(".bed") || input.ends_with(".BED");
}

/// Totals carry what the spec would say.
Result<void> check_stored(const ReleaseJob& job) {
  TableSpec plain;
  plain.scaled = job.table.scaled;
  plain.noisy_count = job.table.noisy_count;
  const bool formatted = job.format.header != ReadOptions::Header::Auto || job.format.width > 0 ||
                         job.format.separator != 0;
  if (table_json(job.table) != table_json(plain) || formatted) {
    return bad_request(
        "a .gram file carries its columns and bound, and holds no cells any more; leave out "
        "{row_norm}, {range}, {bounds}, {grid}, {columns} and whatever else shapes rows and cells, "
        "or make it again from the rows");
  }
  return {};
}

}  // namespace

Result<ReadOptions> reading_of(const ReleaseJob& job, std::size_t block) {
  const bool is_text = !job.inputs.empty() && is_text_table(job.inputs[block]);
  if (job.format.width > 0 && !is_text) {
    return bad_request("{width} is for CSV and TSV tables; arrays carry their own", "width");
  }
  return read_options(job.table, job.format, is_text)
      .and_then([&](ReadOptions options) -> Result<ReadOptions> {
        if (!options.words.empty() && !is_text && !job.inputs.empty()) {
          return bad_request(
              "{one_hot} with words needs a CSV or TSV table, or rows in memory; arrays in files "
              "hold codes",
              "one_hot");
        }
        return options;
      });
}

Result<std::unique_ptr<RowReader>> OpenedTable::read() const {
  return reading_of(*job_, block_).and_then([&](const ReadOptions& options) {
    return memory_ != nullptr ? read_columns(*memory_, options)
                              : open_rows(job_->inputs[block_], options);
  });
}

Result<OpenedTable> OpenedTable::open(const ReleaseJob& job, const Method& method,
                                      std::size_t block, const ColumnTable* memory) {
  OpenedTable table(job, block, job.inputs.empty() ? memory : nullptr);
  if (job.is_gram()) {
    return check_stored(job)
        .and_then([&] { return read_gram_head(job.inputs.front()); })
        .map([&](GramHead head) {
          table.unbounded_ = PublicFacts{std::move(head.schema), std::move(head.bound)};
          return std::move(table);
        });
  }
  // Said before the file is opened; the width only scales the radius.
  const auto model = method.model_radius(job.request, 1, {});
  const bool modelled = model && !job.table.bounded();
  if (modelled && !*model) {
    return error_of(*model);
  }
  if (has_bound(job.request.task) && !modelled) {
    if (!job.table.bounded() && !job.inputs.empty() && is_genotypes(job.inputs[block])) {
      return bad_request(kMissingGenotypeBound, "range");
    }
    if (const Result<void> sound = job.table.check(); !sound) {
      return error_of(sound);
    }
  }
  Result<std::unique_ptr<RowReader>> reader = table.read();
  if (!reader) {
    return error_of(reader);
  }
  const Schema& read = (*reader)->schema();
  table.first_ = std::move(*reader);
  if (!has_bound(job.request.task)) {
    return unbounded(read).map([&](PublicFacts facts) {
      table.unbounded_ = std::move(facts);
      return std::move(table);
    });
  }
  std::optional<double> radius;
  if (modelled) {
    radius = **method.model_radius(job.request, static_cast<Eigen::Index>(read.dimension()), {});
  }
  return PreparedTable::make(job.table, read, radius).map([&](PreparedTable prepared) {
    table.prepared_ = std::move(prepared);
    return std::move(table);
  });
}

Result<void> OpenedTable::load_totals() {
  if (!job_->is_gram() || stored_) {
    return {};
  }
  return ExactGram::load(job_->inputs.front()).and_then([&](ExactGram&& gram) -> Result<void> {
    if (!(gram.schema() == unbounded_->schema) ||
        gram.bound().encode() != unbounded_->bound.encode()) {
      return bad_request("the .gram file was replaced while it was read");
    }
    stored_ = std::make_shared<ExactGram>(std::move(gram));
    return {};
  });
}

PublicFacts OpenedTable::facts() const {
  return prepared_ ? prepared_->facts() : *unbounded_;
}

Result<std::unique_ptr<RowReader>> OpenedTable::rows() {
  Result<std::unique_ptr<RowReader>> reader = std::move(first_);
  if (*reader == nullptr) {
    reader = read();
  }
  return std::move(reader).and_then([&](std::unique_ptr<RowReader> plain) {
    return prepared_ ? prepared_->rows(std::move(plain))
                     : Result<std::unique_ptr<RowReader>>(std::move(plain));
  });
}

TablePart OpenedTable::part() {
  return {[this] { return rows(); }, stored_.get()};
}

ReleaseDocument OpenedTable::finish(ReleaseDocument document) const {
  return prepared_ ? prepared_->finish(std::move(document)) : document;
}

}  // namespace eigenveil
