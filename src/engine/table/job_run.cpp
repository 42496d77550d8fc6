#include "engine/table/job_run.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "data/column_rows.hpp"
#include "engine/table/counts_session.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;
using Blocks = std::vector<std::shared_ptr<OpenedTable>>;

/// A session whose rows come from what the job names: see run_job.
class JobRun {
 public:
  JobRun(ReleaseSession session, const ColumnTable* memory, JobHooks hooks)
      : session_(std::move(session)), memory_(memory), hooks_(std::move(hooks)) {}
  Result<TableOutcome> run();

 private:
  const ReleaseJob& job() const { return session_.job(); }
  TableSource block(std::size_t index) const;
  WatchRows watching(std::size_t index) const;
  Result<Blocks> open_blocks() const;
  Result<void> begin(const Blocks& blocks);
  Result<void> add(OpenedTable& table, const WatchRows& watch);
  Result<void> feed(const Blocks& blocks);
  Result<void> feed_exactly();

  ReleaseSession session_;
  const ColumnTable* memory_;
  JobHooks hooks_;
};

TableSource JobRun::block(std::size_t index) const {
  return {job().inputs.empty() ? std::string() : job().inputs[index], memory_, job().table,
          job().format};
}

WatchRows JobRun::watching(std::size_t index) const {
  if (!hooks_.reading || job().inputs.empty()) {
    return {};
  }
  return [this, index](std::unique_ptr<RowReader> reader) {
    return hooks_.reading(std::move(reader), job().inputs[index]);
  };
}

Result<Blocks> JobRun::open_blocks() const {
  Blocks blocks;
  const std::vector<std::string>& inputs = job().inputs;
  for (std::size_t index = 0; index < std::max<std::size_t>(1, inputs.size()); ++index) {
    for (std::size_t other = 0; other < index; ++other) {
      std::error_code ignored;
      if (inputs[other] == inputs[index] || fs::equivalent(inputs[other], inputs[index], ignored)) {
        return bad_request("a file is named twice among the blocks; its people would show twice");
      }
    }
    Result<OpenedTable> opened = session_.open_table(block(index));
    if (!opened) {
      return error_of(opened);
    }
    blocks.push_back(std::make_shared<OpenedTable>(*std::move(opened)));
    if (!(blocks.back()->facts().schema == blocks.front()->facts().schema)) {
      return bad_request("the blocks have different columns; choose the same with {columns}");
    }
  }
  return blocks;
}

/// Everything before the first row, but for counting them where the plan wants it.
Result<void> JobRun::begin(const Blocks& blocks) {
  if (const Result<void> begun = session_.begin(blocks.front()); !begun || session_.found_again()) {
    return begun;
  }
  std::optional<std::int64_t> rows;
  if (session_.wants_row_count()) {
    const Result<std::int64_t> counted =
        count_rows([&] { return blocks.front()->rows(); }, job().threads);
    if (!counted) {
      return error_of(counted);
    }
    rows = *counted;
  }
  return session_.plan(rows).and_then([&] { return session_.charge(); });
}

/// Totals of a .gram file are private like rows: they are read here, after the charge.
Result<void> JobRun::add(OpenedTable& table, const WatchRows& watch) {
  const Result<const ExactGram*> totals = table.load_totals();
  if (!totals || *totals != nullptr) {
    return totals ? session_.add(**totals) : error_of(totals);
  }
  const Result<std::unique_ptr<RowReader>> rows = table.rows(watch);
  return rows ? session_.add(**rows).and_then([&] { return session_.end_block(); })
              : error_of(rows);
}

Result<void> JobRun::feed(const Blocks& blocks) {
  for (bool again = true; again;) {
    for (std::size_t index = 0; index < blocks.size(); ++index) {
      if (const Result<void> added = add(*blocks[index], watching(index)); !added) {
        return added;
      }
    }
    const Result<bool> more = session_.wants_rows_again();
    if (!more) {
      return error_of(more);
    }
    again = *more;
  }
  return {};
}

/// Points are read whole, and their columns are looked at before only where a ledger is charged.
Result<void> JobRun::feed_exactly() {
  if (session_.charges()) {
    const Result<void> begun = session_.open_table(block(0)).and_then([&](OpenedTable table) {
      return session_.begin(std::make_shared<OpenedTable>(std::move(table)));
    });
    if (!begun || session_.found_again()) {
      return begun;
    }
  }
  const bool affine = job().request.options.flag("affine");
  return block(0)
      .reading()
      .and_then([&](const ReadOptions& options) {
        return memory_ == nullptr
                   ? read_exact_rows(job().inputs.front(), options, affine)
                   : read_columns(*memory_, options).and_then([&](const auto& reader) {
                       return read_exact_rows(*reader, options.bad_cell, affine);
                     });
      })
      .map([&](ExactRows&& points) { session_.add(std::move(points)); });
}

Result<TableOutcome> JobRun::run() {
  AroundDraw drawing;
  if (hooks_.drawing) {
    drawing = [&](const auto& draw) { return hooks_.drawing(session_.draw_seconds(), draw); };
  }
  return (session_.info().reads_exact_rows ? feed_exactly()
                                           : open_blocks().and_then([&](const Blocks& blocks) {
                                               return begin(blocks).and_then([&] {
                                                 return session_.found_again() ? Result<void>()
                                                                               : feed(blocks);
                                               });
                                             }))
      .and_then([&] { return session_.finish(drawing); })
      .map_error([&](Error error) { return session_.at_its_cost(std::move(error)); });
}

}  // namespace

Result<TableOutcome> run_job(ReleaseJob job, const ColumnTable* memory, JobHooks hooks) {
  if (job.inputs.empty() && memory == nullptr) {
    return bad_request("the job names no input");
  }
  if (job.counts) {
    return run_counts(std::move(job), memory, hooks);
  }
  const AskSameData ask = hooks.same_data;
  return ReleaseSession::open(std::move(job), ask).and_then([&](ReleaseSession session) {
    return JobRun(std::move(session), memory, std::move(hooks)).run();
  });
}

Result<TableOutcome> release_table(std::string_view job, const ColumnTable* memory) {
  return release_job(job, false).and_then([&](ReleaseJob asked) {
    return run_job(std::move(asked), memory);
  });
}

}  // namespace eigenveil
