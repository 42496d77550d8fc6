#include "engine/table/release_session.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "eigenveil/engine/request_json.hpp"
#include "engine/bound_words.hpp"
#include "engine/outlook.hpp"
#include "engine/release_cost.hpp"
#include "engine/verdict.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

/// Whether a named input can be read once only: standard input, a pipe.
bool read_once(const ReleaseJob& job) {
  if (job.inputs.empty()) {
    return false;
  }
  std::error_code ignored;
  const auto status = fs::status(job.inputs.front(), ignored);
  return job.inputs.front() == "-" || (fs::exists(status) && !fs::is_regular_file(status));
}

Result<void> check_takes_sums(const MethodInfo& info) {
  return !info.reads_rows
             ? Result<void>()
             : bad_request(fmt::format(
                   "method {} needs the rows themselves; a .gram file holds sums", info.name));
}

/// What is wrong with the input is said before it is opened: some can be read once only.
Result<void> check_input(const ReleaseJob& job, const MethodInfo& info) {
  if (job.inputs.size() > 1 && !info.takes_blocks) {
    return bad_request(fmt::format("method {} takes one table", info.name));
  }
  if (job.is_gram()) {
    if (const Result<void> sums_do = check_takes_sums(info); !sums_do) {
      return sums_do;
    }
  }
  const bool once = read_once(job);
  if (once && info.reads_exact_rows && !job.output.ledger.empty()) {
    return bad_request(
        "with a ledger the input must be a regular file: its columns are looked at first");
  }
  if (!job.table.person.empty() && info.needs_row_count) {  // said before anything is spent
    return bad_request(needs_sums_alone(job.request.task, info), "person");
  }
  if (once && info.needs_row_count && !info.reads_exact_rows) {
    return bad_request(
        "the rows are read more than once, so the input must be a regular file: standard input "
        "and pipes can be read once only");
  }
  return {};
}

/// Whatever a comparison would come to, whether there can be one is settled before anything is
/// spent.
Result<void> check_same_data(const ReleaseJob& job, const MethodInfo& info, bool can_ask) {
  const SameData asked = job.output.same_data;
  if (asked == SameData::NotCompared) {
    return {};
  }
  if (info.reads_rows || !has_bound(job.request.task)) {
    return bad_request(
        fmt::format("{{same_data}} compares exact sums, which method {} does not keep", info.name),
        "same_data");
  }
  if (asked == SameData::Ask && !can_ask) {
    return bad_request(
        "{same_data ask} needs a terminal, where somebody answers: say {same_data yes} if these "
        "are "
        "the rows of the releases before under this name, or what has become of them",
        "same_data");
  }
  return {};
}

tl::unexpected<Error> no_rows() {
  return bad_request("there are no rows to release");
}

/// Where nothing else bounds the rows, a method's model may.
Result<OpenedTable::ModelRadius> model_of(const Method& method, const Request& request) {
  const auto modelled = method.model_radius(request, 1, {});
  if (!modelled) {
    return OpenedTable::ModelRadius();
  }
  if (!*modelled) {  // said before the file is opened; the width only scales the radius
    return error_of(*modelled);
  }
  return OpenedTable::ModelRadius([&method, &request](const Schema& schema) {
    return **method.model_radius(request, static_cast<Eigen::Index>(schema.dimension()), {});
  });
}

}  // namespace

Result<OpenedTable> awaited_table(const Method& method, const ReleaseJob& job, const Schema& read,
                                  bool read_again, std::optional<std::int64_t> stated_rows) {
  if (!has_bound(job.request.task)) {
    return OpenedTable::awaited_unbounded(read);
  }
  if (job.table.bounded()) {
    return OpenedTable::awaited(job.table, read, read_again, stated_rows);
  }
  return model_of(method, job.request).and_then([&](const OpenedTable::ModelRadius& model) {
    return OpenedTable::awaited(job.table, read, read_again, stated_rows, model);
  });
}

ReleaseSession::ReleaseSession(ReleaseJob job, const Method* method, Publication publication,
                               AskSameData ask)
    : job_(std::move(job)),
      method_(method),
      publication_(std::move(publication)),
      ask_(std::move(ask)),
      stream_(std::make_unique<RandomStream>(job_.output.stream())) {}

Result<ReleaseSession> ReleaseSession::open(ReleaseJob job, AskSameData ask) {
  const Result<const Method*> method = choose_method(job.request);
  if (!method) {
    return error_of(method);
  }
  const MethodInfo& info = (*method)->info();
  const std::string centred = settle_center(**method, job.request);
  return check_input(job, info)
      .and_then([&] { return check_same_data(job, info, static_cast<bool>(ask)); })
      .and_then([&] { return Publication::open(job.output, job.inputs, job.format); })
      .map([&](Publication publication) {
        publication.warn(centred);
        return ReleaseSession(std::move(job), *method, std::move(publication), std::move(ask));
      });
}

Result<OpenedTable> ReleaseSession::open_table(TableSource source) const {
  if (!has_bound(request().task)) {
    return OpenedTable::unbounded(std::move(source));
  }
  if (job_.table.bounded() || source.is_gram()) {
    return OpenedTable::bounded(std::move(source));
  }
  return model_of(*method_, request()).and_then([&](const OpenedTable::ModelRadius& model) {
    return OpenedTable::bounded(std::move(source), model);
  });
}

Result<OpenedTable> ReleaseSession::awaited_totals(GramHead head) const {
  return check_takes_sums(info()).and_then([&] {
    return OpenedTable::awaited_totals({{}, nullptr, job_.table, job_.format}, std::move(head));
  });
}

Result<void> ReleaseSession::charge(const ReleaseCost& cost, const std::string& request) {
  return publication_.charge(cost, request).map([&](bool found) { found_again_ = found; });
}

Result<void> ReleaseSession::take_people(const PeopleLimit& people) {
  if (!people.given() || !job_.table.person.empty()) {  // settled with the job
    return {};
  }
  if (job_.request.group_size != 1) {
    return bad_request(
        "the sums are of people, with their rows as the group; leave out {group_size}",
        "group_size");
  }
  job_.request.group_size = static_cast<int>(people.rows);
  return {};
}

Result<void> ReleaseSession::begin(std::shared_ptr<OpenedTable> table) {
  table_ = std::move(table);
  if (const Result<void> taken = take_people(table_->people()); !taken) {
    return taken;
  }
  if (const Result<void> fits = check_people(info(), request(), table_->facts()); !fits) {
    return fits;  // before rows are counted or charged for
  }
  const bool waits = info().reads_exact_rows || wants_row_count();
  if (!waits || !publication_.charges()) {
    return {};
  }
  Request asked = request();
  asked.method = info().name;
  asked.table = table_fingerprint(table_->facts());
  return stated_cost(*method_, asked, job_.output.seed.has_value())
      .and_then([&](const ReleaseCost& cost) {
        charged_cost_ = cost;
        return charge(cost, to_json(asked));
      });
}

bool ReleaseSession::wants_row_count() const {
  return info().needs_row_count && !info().reads_exact_rows && !job_.rows;
}

/// What was declared; else what a header says, where nobody's row changes it. Those of people and
/// weights count otherwise, and under add-remove the file is never asked.
std::optional<std::int64_t> ReleaseSession::public_rows(const PublicFacts& facts) const {
  if (job_.people || facts.rows) {
    return job_.people ? job_.people : facts.rows;
  }
  const bool moves = request().relation == Relation::AddRemove || facts.schema.people.given() ||
                     facts.counted.has_value();
  return moves || !table_ ? std::nullopt : table_->stated_rows();
}

/// What can be said before anything is spent: a refusal, or warnings.
Result<void> ReleaseSession::judge(const PublicFacts& facts) {
  if (!has_bound(request().task) || request().task == Task::Mask) {
    return {};
  }
  const std::optional<std::int64_t> known = public_rows(facts);
  if (!job_.anyway) {
    if (const Result<void> worth = verdict(*method_, request(), facts, known); !worth) {
      return worth;
    }
  }
  for (const std::string& line : public_warnings(request(), facts.schema, known)) {
    publication_.warn(line);
  }
  return {};
}

Result<void> ReleaseSession::plan(std::optional<std::int64_t> counted) {
  if (info().reads_exact_rows && !points_) {  // the number of rows is known once they are read
    return {};
  }
  Result<PublicFacts> facts = table_ ? table_->facts() : unbounded(points_->schema);
  if (!facts) {
    return error_of(facts);
  }
  facts->rows = job_.rows ? job_.rows : counted;
  if (info().needs_row_count && !facts->rows) {
    return bad_request(
        fmt::format("method {} plans with the number of rows: give {{rows}}", info().name), "rows");
  }
  return judge(*facts)
      .and_then([&] { return make_plan(*method_, request(), *facts); })
      .map([&](std::unique_ptr<Plan>&& made) { plan_ = std::move(made); });
}

/// A release that cannot be written would be lost: tried before a row is read.
Result<void> ReleaseSession::check_output() const {
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
  return publication_.check_writable(info().streams ? plan_.get() : nullptr);
}

Result<void> ReleaseSession::charge() {
  if (!plan_) {
    return {};
  }
  if (charged_cost_) {
    return check_charged(*charged_cost_, *plan_);
  }
  ReleaseCost cost = cost_of(*plan_, job_.output.seed.has_value());
  cost.guarantee.person = table_ ? table_->people().column : std::string();  // whose rows it limits
  if (!publication_.charges()) {
    publication_.promise(cost);
    return check_output();
  }
  return charge(cost, to_json(plan_->request()));
}

bool ReleaseSession::gathers() const {
  return info().takes_blocks || job_.output.same_data != SameData::NotCompared;
}

Run& ReleaseSession::run() {
  if (!run_) {
    run_ = plan_->start(*stream_, job_.threads);
  }
  return *run_;
}

Result<void> ReleaseSession::add(RowReader& rows) {
  if (info().reads_exact_rows) {
    return read_exact_rows(rows, job_.table.bad_cell, request().options.flag("affine"))
        .map([&](ExactRows&& points) { add(std::move(points)); });
  }
  if (!gathers()) {
    return run().add(rows);
  }
  if (!sums_) {
    const PublicFacts& facts = plan_->facts();
    sums_ = std::make_unique<GramAccumulator>(facts.schema, facts.bound, job_.threads);
  }
  return sums_->add(rows);
}

Result<void> ReleaseSession::add(const ExactGram& totals) {
  if (job_.output.same_data == SameData::NotCompared) {
    return run().add(totals);
  }
  const AskSameData nobody = {};
  return publication_.compare_data(totals, job_.output.same_data == SameData::Ask ? ask_ : nobody)
      .and_then([&] { return run().add(totals); });
}

void ReleaseSession::add(ExactRows points) {
  if (!points_) {
    points_ = std::move(points);
    return;
  }
  points_->points.insert(points_->points.end(), std::make_move_iterator(points.points.begin()),
                         std::make_move_iterator(points.points.end()));
}

Result<void> ReleaseSession::end_block() {
  if (!sums_) {
    return {};
  }
  const std::unique_ptr<GramAccumulator> ended = std::move(sums_);
  const Result<ExactGram> block = ended->finish();
  return block ? add(*block) : error_of(block);
}

Result<bool> ReleaseSession::wants_rows_again() {
  return plan_ && !sums_ ? run().wants_rows_again() : Result<bool>(false);
}

Result<ExactGram> ReleaseSession::take_sums() {
  if (sums_) {
    return std::exchange(sums_, nullptr)->finish();
  }
  return plan_ ? run().take_sums() : Result<ExactGram>(no_rows());
}

Result<ReleaseDocument> ReleaseSession::drawn(const AroundDraw& around) {
  const auto finish = [&] { return run().finish(); };
  return (around ? around(finish) : finish()).map([&](ReleaseDocument&& document) {
    run_.reset();  // what it holds is private
    state_request(*plan_, document);
    return table_ ? table_->finish(std::move(document)) : std::move(document);
  });
}

Result<TableOutcome> ReleaseSession::finish(const AroundDraw& around) {
  Result<void> ready = found_again_ ? Result<void>() : end_block();
  if (points_ && ready) {
    ready = plan(static_cast<std::int64_t>(points_->points.size()))
                .and_then([&] { return charge(); })
                .and_then([&] { return run().add(*points_); });
  }
  if (!ready) {
    return error_of(ready);
  }
  if (found_again_) {
    return publication_.found_again();
  }
  if (!plan_) {
    return no_rows();
  }
  return drawn(around)
      .and_then([&](ReleaseDocument document) {
        return publication_.publish(std::move(document), info().streams, job_.threads);
      })
      .map([&](TableOutcome outcome) {
        if (has_bound(request().task)) {
          const PublicFacts& facts = plan_->facts();
          outcome.bounds = describe_bound(facts.counted   ? facts.counted->bound
                                          : facts.outside ? facts.outside->bound
                                                          : facts.bound);
        }
        return outcome;
      });
}

}  // namespace eigenveil
