#include "engine/table/job_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "data/column_rows.hpp"
#include "data/exact_rows.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "engine/bound_words.hpp"
#include "engine/release_cost.hpp"
#include "engine/verdict.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

/// One job on its way: see run_job.
class JobRun {
 public:
  JobRun(ReleaseJob job, const ColumnTable* memory, JobHooks hooks)
      : job_(std::move(job)), memory_(memory), hooks_(std::move(hooks)) {}
  Result<TableOutcome> run();

 private:
  const MethodInfo& info() const { return method_->info(); }
  const Request& request() const { return job_.request; }
  TableSource block(std::size_t index) const;
  WatchRows watching(std::size_t index) const;

  Result<void> check_input() const;
  Result<void> check_same_data() const;
  Result<void> check_output(const Plan& plan) const;
  Result<void> judge(const PublicFacts& facts);
  Result<OpenedTable> open(std::size_t index) const;
  Result<std::vector<OpenedTable>> open_blocks() const;
  Result<bool> charge_unplanned(const PublicFacts& facts);
  Result<bool> charge_planned(const Plan& plan, const std::string& person);
  Result<void> load(OpenedTable& table, const WatchRows& watch);
  Result<TableOutcome> on_rows();
  Result<TableOutcome> released(const Plan& plan, std::vector<OpenedTable>& blocks,
                                const PublicFacts& facts);
  Result<TableOutcome> on_exact_rows();
  SpendHook entry() const {
    return [this]() -> Result<std::optional<LedgerEntry>> { return publication_->entry(); };
  }

  ReleaseJob job_;
  const ColumnTable* memory_;
  JobHooks hooks_;
  const Method* method_ = nullptr;
  std::optional<Publication> publication_;
  std::optional<ReleaseCost> charged_cost_;  ///< where it was charged before the plan stood
};

Result<TableOutcome> JobRun::run() {
  const Result<const Method*> method = choose_method(job_.request);
  if (!method) {
    return error_of(method);
  }
  method_ = *method;
  const std::string centred = settle_center(*method_, job_.request);
  if (const Result<void> readable = check_input().and_then([&] { return check_same_data(); });
      !readable) {
    return error_of(readable);
  }
  Result<Publication> opened = Publication::open(job_.output, job_.inputs, job_.format);
  if (!opened) {
    return error_of(opened);
  }
  publication_ = *std::move(opened);
  publication_->warn(centred);
  return (info().reads_exact_rows ? on_exact_rows() : on_rows()).map_error([&](Error error) {
    return publication_->at_its_cost(std::move(error));
  });
}

TableSource JobRun::block(std::size_t index) const {
  return {job_.inputs.empty() ? std::string() : job_.inputs[index], memory_, job_.table,
          job_.format};
}

WatchRows JobRun::watching(std::size_t index) const {
  if (!hooks_.reading || job_.inputs.empty()) {
    return {};
  }
  return [this, index](std::unique_ptr<RowReader> reader) {
    return hooks_.reading(std::move(reader), job_.inputs[index]);
  };
}

/// What is wrong with the input is said before it is opened: some can be read once only.
Result<void> JobRun::check_input() const {
  if (job_.inputs.empty() && memory_ == nullptr) {
    return bad_request("the job names no input");
  }
  if (job_.inputs.size() > 1 && !info().takes_blocks) {
    return bad_request(fmt::format("method {} takes one table", info().name));
  }
  if (info().reads_rows && job_.is_gram()) {
    return bad_request(
        fmt::format("method {} needs the rows themselves; a .gram file holds sums", info().name));
  }
  const std::string input = job_.inputs.empty() ? std::string() : job_.inputs.front();
  std::error_code ignored;
  const auto status = fs::status(input, ignored);
  const bool once = input == "-" || (fs::exists(status) && !fs::is_regular_file(status));
  if (once && info().reads_exact_rows && !job_.output.ledger.empty()) {
    return bad_request(
        "with a ledger the input must be a regular file: its columns are looked at first");
  }
  if (!job_.table.person.empty() && info().needs_row_count) {  // said before anything is spent
    return bad_request(
        fmt::format("{{person}} goes with methods that need the sums of a table alone, such as "
                    "gauss, not with {}",
                    info().name),
        "person");
  }
  if (once && info().needs_row_count && !info().reads_exact_rows) {
    return bad_request(
        "the rows are read more than once, so the input must be a regular file: standard input "
        "and pipes can be read once only");
  }
  return {};
}

/// Whatever a comparison would come to, whether there can be one is settled before anything is
/// spent.
Result<void> JobRun::check_same_data() const {
  const SameData asked = job_.output.same_data;
  if (asked == SameData::NotCompared) {
    return {};
  }
  if (info().reads_rows || !has_bound(request().task)) {
    return bad_request(
        fmt::format("{{same_data}} compares exact sums, which method {} does not keep",
                    info().name),
        "same_data");
  }
  if (asked == SameData::Ask && !hooks_.same_data) {
    return bad_request(
        "{same_data ask} needs a terminal, where somebody answers: say {same_data yes} if these "
        "are "
        "the rows of the releases before under this name, or what has become of them",
        "same_data");
  }
  return {};
}

/// A release that cannot be written would be lost: tried before a row is read.
Result<void> JobRun::check_output(const Plan& plan) const {
  if (job_.must_be_written && job_.output.out.empty()) {
    return info().streams
               ? bad_request(
                     "{out DIR} or {out FILE} (.csv, .csv.gz or .npy) says where pseudo-data goes",
                     "out")
               : bad_request(fmt::format("{{out DIR}} says where the {} goes; without it nothing "
                                         "would be kept",
                                         name_of(request().task)),
                             "out");
  }
  return publication_->check_writable(info().streams ? &plan : nullptr);
}

/// What can be said before anything is spent: a refusal, or warnings.
Result<void> JobRun::judge(const PublicFacts& facts) {
  if (!has_bound(request().task) || request().task == Task::Mask) {
    return {};
  }
  const std::optional<std::int64_t> known = job_.people ? job_.people : facts.rows;
  if (known && !job_.anyway) {
    if (const Result<void> worth = verdict(*method_, request(), facts, *known); !worth) {
      return worth;
    }
  }
  for (const std::string& line : public_warnings(request(), facts.schema, known)) {
    publication_->warn(line);
  }
  return {};
}

/// The table as far as its columns; a method's model may give the bound.
Result<OpenedTable> JobRun::open(std::size_t index) const {
  if (!has_bound(request().task)) {
    return OpenedTable::unbounded(block(index));
  }
  const auto modelled = method_->model_radius(request(), 1, {});
  if (!modelled || job_.table.bounded() || job_.is_gram()) {
    return OpenedTable::bounded(block(index));
  }
  if (!*modelled) {  // said before the file is opened; the width only scales the radius
    return error_of(*modelled);
  }
  return OpenedTable::bounded(block(index), [&](const Schema& schema) {
    return **method_->model_radius(request(), static_cast<Eigen::Index>(schema.dimension()), {});
  });
}

Result<std::vector<OpenedTable>> JobRun::open_blocks() const {
  std::vector<OpenedTable> blocks;
  for (std::size_t index = 0; index < std::max<std::size_t>(1, job_.inputs.size()); ++index) {
    for (std::size_t other = 0; other < index; ++other) {
      std::error_code ignored;
      if (job_.inputs[other] == job_.inputs[index] ||
          fs::equivalent(job_.inputs[other], job_.inputs[index], ignored)) {
        return bad_request("a file is named twice among the blocks; its people would show twice");
      }
    }
    Result<OpenedTable> opened = open(index);
    if (!opened) {
      return error_of(opened);
    }
    blocks.push_back(*std::move(opened));
    if (!(blocks.back().facts().schema == blocks.front().facts().schema)) {
      return bad_request("the blocks have different columns; choose the same with {columns}");
    }
  }
  return blocks;
}

/// Where the plan has to wait for the number of rows, which is public but must be read: charged as
/// the method states it, before they are counted. What the plan refuses for want of rows stays
/// spent.
Result<bool> JobRun::charge_unplanned(const PublicFacts& facts) {
  if (!publication_->charges()) {
    return false;
  }
  Request asked = request();
  asked.method = info().name;
  asked.table = table_fingerprint(facts);
  return stated_cost(*method_, asked, job_.output.seed.has_value())
      .and_then([&](const ReleaseCost& cost) {
        charged_cost_ = cost;
        return publication_->charge(cost, to_json(asked));
      });
}

/// `person`: of the table that limits their rows, which is what makes it true.
Result<bool> JobRun::charge_planned(const Plan& plan, const std::string& person) {
  if (charged_cost_) {
    return check_charged(*charged_cost_, plan).map([] { return false; });
  }
  if (!publication_->charges()) {
    return check_output(plan).map([] { return false; });
  }
  ReleaseCost cost = cost_of(plan, job_.output.seed.has_value());
  cost.guarantee.person = person;
  return publication_->charge(cost, to_json(plan.request()));
}

/// Totals are private like rows. Where rows are compared their sums come first, and the release is
/// drawn from them as from a .gram file.
Result<void> JobRun::load(OpenedTable& table, const WatchRows& watch) {
  if (job_.output.same_data == SameData::NotCompared) {
    return table.load_totals();
  }
  const AskSameData nobody = {};
  return table.sums(job_.threads, watch).and_then([&](const ExactGram* sums) {
    return publication_->compare_data(
        *sums, job_.output.same_data == SameData::Ask ? hooks_.same_data : nobody);
  });
}

Result<TableOutcome> JobRun::on_rows() {
  Result<std::vector<OpenedTable>> blocks = open_blocks();
  if (!blocks) {
    return error_of(blocks);
  }
  PublicFacts facts = blocks->front().facts();
  facts.rows = job_.rows;
  if (info().needs_row_count && !job_.rows) {
    if (const Result<bool> found = charge_unplanned(facts); !found || *found) {
      return found ? Result<TableOutcome>(publication_->found_again()) : error_of(found);
    }
    const Result<std::int64_t> counted =
        count_rows([&] { return blocks->front().rows(); }, job_.threads);
    if (!counted) {
      return error_of(counted);
    }
    facts.rows = *counted;
  }
  if (const Result<void> worth = judge(facts); !worth) {
    return error_of(worth);
  }
  const Result<std::unique_ptr<Plan>> plan = make_plan(*method_, request(), facts);
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<bool> found = charge_planned(**plan, blocks->front().person());
      !found || *found) {
    return found ? Result<TableOutcome>(publication_->found_again()) : error_of(found);
  }
  return released(**plan, *blocks, facts);
}

/// From here on rows are read.
Result<TableOutcome> JobRun::released(const Plan& plan, std::vector<OpenedTable>& blocks,
                                      const PublicFacts& facts) {
  std::vector<TablePart> parts;
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const WatchRows watch = watching(index);
    if (const Result<void> loaded = load(blocks[index], watch); !loaded) {
      return error_of(loaded);
    }
    parts.push_back(blocks[index].part(watch));
  }
  AroundDraw drawing;
  if (hooks_.drawing) {
    drawing = [&](const auto& draw) { return hooks_.drawing(plan.draw_seconds(), draw); };
  }
  RandomStream stream = job_.output.stream();
  return release(plan, parts, stream, job_.threads, drawing, entry())
      .and_then([&](ReleaseDocument document) {
        return publication_->publish(blocks.front().finish(std::move(document)), info().streams,
                                     job_.threads);
      })
      .map([&](TableOutcome outcome) {
        if (has_bound(request().task)) {
          outcome.bounds = describe_bound(facts.counted ? facts.counted->bound : facts.bound);
        }
        return outcome;
      });
}

Result<TableOutcome> JobRun::on_exact_rows() {
  if (publication_->charges()) {  // the columns are part of what is asked for, and public
    const Result<bool> found =
        open(0).and_then([&](const OpenedTable& table) { return charge_unplanned(table.facts()); });
    if (!found || *found) {
      return found ? Result<TableOutcome>(publication_->found_again()) : error_of(found);
    }
  }
  const Result<ReadOptions> options = block(0).reading();
  if (!options) {
    return error_of(options);
  }
  const bool affine = request().options.flag("affine");
  const Result<ExactRows> table =
      !job_.inputs.empty() ? read_exact_rows(job_.inputs.front(), *options, affine)
                           : read_columns(*memory_, *options).and_then([&](const auto& reader) {
                               return read_exact_rows(*reader, options->bad_cell, affine);
                             });
  if (!table) {
    return error_of(table);
  }
  // From here on only sizes are looked at until the plan stands.
  const Result<std::unique_ptr<Plan>> plan =
      unbounded(table->schema).and_then([&](PublicFacts facts) {
        facts.rows = job_.rows.value_or(static_cast<std::int64_t>(table->points.size()));
        return make_plan(*method_, request(), facts);
      });
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<bool> found = charge_planned(**plan, {}); !found || *found) {
    return found ? Result<TableOutcome>(publication_->found_again()) : error_of(found);
  }
  RandomStream stream = job_.output.stream();
  return release(**plan, *table, stream, job_.threads, entry())
      .and_then(
          [&](ReleaseDocument document) { return publication_->publish(std::move(document)); });
}

}  // namespace

Result<TableOutcome> run_job(ReleaseJob job, const ColumnTable* memory, JobHooks hooks) {
  JobRun run(std::move(job), memory, std::move(hooks));
  return run.run();
}

Result<TableOutcome> release_table(std::string_view job, const ColumnTable* memory) {
  return release_job(job, false).and_then([&](ReleaseJob asked) {
    return run_job(std::move(asked), memory);
  });
}

}  // namespace eigenveil
