#include "eigenveil/engine/table_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/atomic_output.hpp"
#include "data/column_rows.hpp"
#include "data/exact_rows.hpp"
#include "eigenveil/engine/registry.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/random/stream.hpp"
#include "eigenveil/report/read_release.hpp"
#include "engine/release_cost.hpp"
#include "engine/table/opened_table.hpp"
#include "engine/verdict.hpp"
#include "ledger/spending.hpp"

namespace eigenveil {
namespace {

/// Nobody's file is lost.
Result<void> check_new_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    return bad_request(
        fmt::format("{} exists and would be lost; remove it or give {{out}} another name",
                    path.string()),
        "out");
  }
  return {};
}

/// One job on its way: see release_table.
class JobRun {
 public:
  JobRun(ReleaseJob job, const ColumnTable* memory)
      : job_(std::move(job)),
        memory_(memory),
        stream_(job_.seed ? RandomStream::seeded(*job_.seed) : RandomStream::secure()) {}

  Result<TableOutcome> run() {
    const Result<const Method*> method = choose_method(job_.request);
    if (!method) {
      return error_of(method);
    }
    method_ = *method;
    warn(settle_center(*method_, job_.request));
    return check_input()
        .and_then([&] { return open_ledger(); })
        .and_then([&] { return read_builds_on(); })
        .and_then([&] { return info().reads_exact_rows ? on_exact_rows() : on_rows(); });
  }

 private:
  const MethodInfo& info() const { return method_->info(); }
  const Request& request() const { return job_.request; }
  void warn(std::string sentence) {
    if (!sentence.empty()) {
      outcome_.warnings.push_back(std::move(sentence));
    }
  }

  Result<void> check_input() const;
  Result<void> open_ledger();
  Result<void> read_builds_on();
  Result<void> judge(const PublicFacts& facts);
  Result<void> check_output(const Plan* plan) const;
  Result<bool> spend(const ReleaseCost& cost, const std::string& request);
  Result<bool> spend_unplanned(const PublicFacts& facts);
  Result<bool> spend_planned(const Plan& plan);
  Result<std::vector<OpenedTable>> open_blocks() const;
  Result<TableOutcome> on_rows();
  Result<TableOutcome> on_exact_rows();
  Result<TableOutcome> published(ReleaseDocument document);
  SpendHook entry() const {
    return [this]() -> Result<std::optional<LedgerEntry>> { return spending_.entry(); };
  }

  ReleaseJob job_;
  const ColumnTable* memory_;
  RandomStream stream_;
  const Method* method_ = nullptr;
  Spending spending_;
  std::vector<std::string> builds_on_;       ///< checksums
  std::optional<ReleaseCost> charged_cost_;  ///< where it was charged before the plan stood
  TableOutcome outcome_;
};

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
  if (!job_.table.person.empty() && info().needs_row_count) {  // said before anything is spent
    return bad_request(
        fmt::format("{{person}} goes with methods that need the sums of a table alone, such as "
                    "gauss, not with {}",
                    info().name),
        "person");
  }
  return {};
}

Result<void> JobRun::open_ledger() {
  if (job_.ledger.empty()) {
    return job_.ledger_key.empty() ? Result<void>()
                                   : bad_request("{ledger_key} needs {ledger}", "ledger_key");
  }
  if (job_.out.empty() || job_.target(info().streams).is_file()) {
    return bad_request("a release that is charged to a ledger must be kept: give {out} a directory",
                       "out");
  }
  if (std::any_of(job_.inputs.begin(), job_.inputs.end(), is_text_table) &&
      job_.format.header == ReadOptions::Header::Auto) {
    return bad_request(
        "with a ledger nothing is read before the budget is reserved: say {header present} or "
        "{header absent}",
        "header");
  }
  return Spending::open(job_.ledger, job_.ledger_key, job_.data_set).map([&](Spending opened) {
    spending_ = std::move(opened);
  });
}

/// Releases that this one is made with stand in it, and in the ledger, by their checksums.
Result<void> JobRun::read_builds_on() {
  for (const std::string& path : job_.builds_on) {
    const Result<ReadRelease> release = read_release(path);
    if (!release) {
      return error_of(release);
    }
    if (std::find(builds_on_.begin(), builds_on_.end(), release->checksum) == builds_on_.end()) {
      builds_on_.push_back(release->checksum);
    }
  }
  spending_.build_on(builds_on_);
  return {};
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
    warn(line);
  }
  return {};
}

/// A release that cannot be written would be lost: tried before a row is read.
Result<void> JobRun::check_output(const Plan* plan) const {
  if (job_.out.empty()) {
    return {};
  }
  const ReleaseTarget where = job_.target(info().streams);
  if (!where.is_file()) {
    return AtomicDirectory::create(job_.out, job_.existing).map([](const AtomicDirectory&) {});
  }
  if (plan == nullptr || request().options.flag("factor_only")) {
    return bad_request("{factor_only} writes a release: give {out} a directory", "out");
  }
  for (const std::string& name : where.names_beside(plan->table_names(), !job_.seed)) {
    if (const Result<void> fresh = check_new_file(where.folder / name); !fresh) {
      return fresh;
    }
  }
  return check_new_file(job_.out);
}

/// Finds the release of a retry (true); anything else is charged.
Result<bool> JobRun::spend(const ReleaseCost& cost, const std::string& asked) {
  const Result<std::optional<std::int64_t>> again =
      spending_.resume(cost, asked, job_.out, job_.existing);
  if (!again) {
    return error_of(again);
  }
  if (!*again) {
    return check_output(nullptr).and_then([&] { return spending_.reserve(cost, asked); }).map([] {
      return false;
    });
  }
  return read_release(job_.out).map([&](ReadRelease read) {
    outcome_.document = std::move(read.document);
    outcome_.again = true;
    return true;
  });
}

/// Where the plan has to wait for the number of rows, which is public but must be read: charged as
/// the method states it, before they are counted. What the plan refuses for want of rows stays
/// spent.
Result<bool> JobRun::spend_unplanned(const PublicFacts& facts) {
  if (!spending_.active()) {
    return false;
  }
  Request asked = request();
  asked.method = info().name;
  asked.table = table_fingerprint(facts);
  return stated_cost(*method_, asked, job_.seed.has_value()).and_then([&](const ReleaseCost& cost) {
    charged_cost_ = cost;
    return spend(cost, to_json(asked));
  });
}

Result<bool> JobRun::spend_planned(const Plan& plan) {
  if (!spending_.active()) {
    return check_output(&plan).map([] { return false; });
  }
  if (charged_cost_) {
    return check_charged(*charged_cost_, plan).map([] { return false; });
  }
  ReleaseCost cost = cost_of(plan, job_.seed.has_value());
  cost.guarantee.person = job_.table.person;
  return spend(cost, to_json(plan.request()));
}

Result<std::vector<OpenedTable>> JobRun::open_blocks() const {
  std::vector<OpenedTable> blocks;
  const std::size_t count = std::max<std::size_t>(1, job_.inputs.size());
  for (std::size_t block = 0; block < count; ++block) {
    Result<OpenedTable> opened = OpenedTable::open(job_, *method_, block, memory_);
    if (!opened) {
      return error_of(opened);
    }
    blocks.push_back(std::move(*opened));
    if (!(blocks.back().facts().schema == blocks.front().facts().schema)) {
      return bad_request("the blocks have different columns; choose the same with {columns}");
    }
    for (std::size_t other = 0; other < block; ++other) {
      std::error_code ignored;
      if (std::filesystem::equivalent(job_.inputs[other], job_.inputs[block], ignored)) {
        return bad_request("a file is named twice among the blocks; its people would show twice");
      }
    }
  }
  return blocks;
}

Result<TableOutcome> JobRun::on_rows() {
  Result<std::vector<OpenedTable>> blocks = open_blocks();
  if (!blocks) {
    return error_of(blocks);
  }
  PublicFacts facts = blocks->front().facts();
  facts.rows = job_.rows;
  if (info().needs_row_count && !job_.rows) {
    if (const Result<bool> found = spend_unplanned(facts); !found || *found) {
      return found ? Result<TableOutcome>(std::move(outcome_)) : error_of(found);
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
  if (const Result<bool> found = spend_planned(**plan); !found || *found) {
    return found ? Result<TableOutcome>(std::move(outcome_)) : error_of(found);
  }
  std::vector<TablePart> parts;
  for (OpenedTable& block : *blocks) {
    if (const Result<void> loaded = block.load_totals(); !loaded) {
      return error_of(loaded);
    }
    parts.push_back(block.part());
  }
  return release(**plan, parts, stream_, job_.threads, {}, entry())
      .and_then([&](ReleaseDocument document) {
        return published(blocks->front().finish(std::move(document)));
      });
}

Result<TableOutcome> JobRun::on_exact_rows() {
  if (spending_.active()) {  // the columns are part of what is asked for, and public
    const Result<bool> found =
        OpenedTable::open(job_, *method_, 0, memory_).and_then([&](const OpenedTable& table) {
          return spend_unplanned(table.facts());
        });
    if (!found || *found) {
      return found ? Result<TableOutcome>(std::move(outcome_)) : error_of(found);
    }
  }
  const Result<ReadOptions> options = reading_of(job_, 0);
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
  if (const Result<bool> found = spend_planned(**plan); !found || *found) {
    return found ? Result<TableOutcome>(std::move(outcome_)) : error_of(found);
  }
  return release(**plan, *table, stream_, job_.threads, entry())
      .and_then([&](ReleaseDocument document) { return published(std::move(document)); });
}

Result<TableOutcome> JobRun::published(ReleaseDocument document) {
  document.data_set = job_.data_set;
  document.date = job_.date;
  document.builds_on.insert(document.builds_on.end(), builds_on_.begin(), builds_on_.end());
  if (const std::optional<Reservation>& made = spending_.reservation()) {
    outcome_.charged = fmt::format("entry {}: {} of the {} account", made->index,
                                   in_words(made->charge), name_of(made->charge.account));
  }
  if (job_.out.empty()) {
    outcome_.document = std::move(document);
    return std::move(outcome_);
  }
  ReleaseTarget target = job_.target(info().streams);
  if (spending_.active()) {
    target.before = [&](std::string_view bytes) { return spending_.settle(bytes); };
  }
  return write_release(std::move(document), target).map([&](WrittenRelease written) {
    outcome_.document = std::move(written.document);
    outcome_.files = std::move(written.files);
    return std::move(outcome_);
  });
}

}  // namespace

Result<TableOutcome> release_table(std::string_view job, const ColumnTable* memory) {
  return release_job(job, false).and_then([&](ReleaseJob asked) {
    JobRun run(std::move(asked), memory);
    return run.run();
  });
}

}  // namespace eigenveil
