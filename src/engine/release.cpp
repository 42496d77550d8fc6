#include "eigenveil/engine/release.hpp"

#include <fmt/format.h>

#include <atomic>

#include "core/parallel.hpp"
#include "data/exact_rows.hpp"
#include "data/parallel_rows.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "engine/outlook.hpp"
#include "engine/release_cost.hpp"
#include "engine/table/prepared_table.hpp"

namespace eigenveil {
namespace {

/// The document of a run, where it states what its plan promised.
Result<ReleaseDocument> published(ReleaseDocument document, const Plan& plan,
                                  const RandomStream& stream,
                                  const std::optional<LedgerEntry>& entry) {
  return check_kept(cost_of(plan, !stream.is_secure()), document).map([&] {
    state_request(plan, document);
    document.ledger = entry;
    state_people(plan.facts().schema.people, document);
    return std::move(document);
  });
}

Result<std::optional<LedgerEntry>> spent(const SpendHook& spend) {
  return spend ? spend() : std::nullopt;
}

/// What the types of a request let pass.
Result<void> check_request(const Request& request, const PublicFacts& facts) {
  if (!request.budget) {
    return bad_request("a budget is missing");
  }
  if (const Result<Budget> sound = check_budget(*request.budget); !sound) {
    return error_of(sound);
  }
  if (request.components < 1) {
    return bad_request("{components} must be at least 1", "components");
  }
  if (request.group_size < 1) {
    return bad_request("{group_size} must be at least 1", "group_size");
  }
  if (facts.schema.dimension() != facts.bound.dimension()) {
    return bad_request(fmt::format("the table has {} columns but the bound was made for {}",
                                   facts.schema.dimension(), facts.bound.dimension()));
  }
  return {};
}

}  // namespace

std::string needs_sums_alone(Task task, const MethodInfo& info) {
  const auto does = [](const MethodInfo& each) {
    return !each.reads_rows && !each.needs_row_count;
  };
  return fmt::format(
      "{{person}} goes with methods that need the sums of a table alone, such as {}, not with {}",
      choices(task, does), info.name);
}

Result<void> check_people(const MethodInfo& info, const Request& request,
                          const PublicFacts& facts) {
  const bool people = facts.schema.people.given();
  if (people && request.group_size != static_cast<int>(facts.schema.people.rows)) {
    return bad_request("with {person} the rows of a person are the group; leave out {group_size}",
                       "group_size");
  }
  if (people && (info.reads_rows || info.needs_row_count)) {
    return bad_request(needs_sums_alone(request.task, info), "person");
  }
  // Counted rows (c, x) that become (c, 0) are no zero rows, which the sensitivity of a zeroed row
  // is of: only where cells are counted too (pairwise) is it that of the rows as they are.
  const bool counted =
      facts.counted && (facts.counted->indicated.empty() || facts.counted->square_constant > 0.0);
  if ((people || counted) && request.relation == Relation::ZeroRow) {
    return bad_request(
        "with {person} or {weights} the number of rows is protected: give {neighbours add-remove} "
        "or {neighbours replace-one}",
        "neighbours");
  }
  if (people && request.relation != Relation::AddRemove && !facts.counted) {
    return bad_request(
        "people under replace-one take their rows along, so that their number needs noise, which "
        "sums that were made before have no place for: give {neighbours add-remove}, or the rows",
        "neighbours");
  }
  if (facts.outside && !info.takes_counted_rows) {
    return bad_request(
        fmt::format("{{outside_norm}} needs a noisy sum of squares: take {} instead of {}",
                    choices(request.task, [](const auto& each) { return each.takes_counted_rows; }),
                    info.name),
        "method");
  }
  if (facts.counted && !info.takes_counted_rows) {
    return bad_request(
        fmt::format("{{weights}}, {{missing pairwise}}, and {{person}} under replace-one, need "
                    "counts with noise: take {} instead of {}",
                    choices(request.task, [](const auto& each) { return each.takes_counted_rows; }),
                    info.name),
        "method");
  }
  return {};
}

Result<std::unique_ptr<Plan>> plan(Request request, const PublicFacts& facts) {
  const Result<const Method*> method = choose_method(request);
  if (!method) {
    return error_of(method);
  }
  if (!(*method)->info().takes_wide_rows) {
    if (const Result<void> fits = ExactGram::check_shape(facts.schema, facts.bound); !fits) {
      return error_of(fits);
    }
  }
  if ((*method)->info().needs_row_count && !facts.rows) {
    return bad_request(fmt::format("method {} plans with the number of rows: give {{rows}}",
                                   (*method)->info().name),
                       "rows");
  }
  settle_center(**method, request);
  return make_plan(**method, std::move(request), facts);
}

Result<std::unique_ptr<Plan>> make_plan(const Method& method, Request request,
                                        const PublicFacts& facts) {
  const std::string table = table_fingerprint(facts);
  const Result<void> fits =
      check_request(request, facts)
          .and_then([&] { return check_asked(method, request); })
          .and_then([&] { return check_people(method.info(), request, facts); })
          .and_then([&]() -> Result<void> {
            return request.table.empty() || request.table == table
                       ? Result<void>()
                       : bad_request("the request was made for another table", "table");
          });
  if (!fits) {
    return error_of(fits);
  }
  return method.plan(request, facts).map([&](std::unique_ptr<Plan>&& plan) {
    request.method = method.info().name;
    request.table = table;
    plan->remember(std::move(request));
    return std::move(plan);
  });
}

Result<Guarantee> Method::stated(const Request& /*request*/) const {
  return bad_request(
      fmt::format("method {} says what it costs only once the rows are counted, and a ledger is "
                  "charged before: "
                  "give {{rows}}",
                  info().name));
}

std::unique_ptr<Run> Plan::start(RandomStream& stream, int threads) const {
  std::unique_ptr<Run> run = make_run(stream, threads);
  run->facts_ = &facts();
  return run;
}

Result<void> Run::add(RowReader& rows) {
  if (rows.schema().dimension() != facts_->schema.dimension()) {
    return bad_request("the table's columns are not those that the plan was made for");
  }
  return take_rows(rows);
}

Result<void> Run::add(const ExactGram& totals) {
  if (totals.schema().people != facts_->schema.people) {
    return bad_request("the sums are not of the people that the plan was made for", "person");
  }
  if (!(totals.schema() == facts_->schema) || !(totals.bound() == facts_->bound)) {
    return bad_request(
        "the sums are not of the table that the plan was made for: they have other columns or "
        "another bound, which the noise is scaled to");
  }
  return take_totals(totals);
}

Result<void> Run::add(const ExactRows& rows) {
  return take_points(rows);
}

Result<void> Run::take_totals(const ExactGram& /*totals*/) {
  return bad_request("this method needs the rows themselves; a .gram file holds sums");
}

Result<ExactGram> Run::take_sums() {
  return bad_request("this method keeps no sums that could be saved and merged");
}

Result<void> Run::take_points(const ExactRows& /*rows*/) {
  return bad_request("this method does not read exact points");
}

Result<std::int64_t> count_rows(const OpenRows& open, int threads) {
  const Result<std::unique_ptr<RowReader>> reader = open();
  if (!reader) {
    return error_of(reader);
  }
  std::atomic<std::int64_t> rows = 0;
  return for_each_block(
             **reader, static_cast<std::size_t>(threads),
             [&](std::size_t, RawRows& block) { rows += static_cast<std::int64_t>(block.rows); })
      .map([&] { return rows.load(); });
}

namespace {

Result<void> add_part(Run& run, const TablePart& part) {
  if (part.stored != nullptr) {
    return run.add(*part.stored);
  }
  return part.open().and_then(
      [&](const std::unique_ptr<RowReader>& rows) { return run.add(*rows); });
}

/// All parts, as often as the run wants them.
Result<void> feed(Run& run, const std::vector<TablePart>& parts) {
  for (bool again = true; again;) {
    for (const TablePart& part : parts) {
      if (const Result<void> added = add_part(run, part); !added) {
        return added;
      }
    }
    const Result<bool> more = run.wants_rows_again();
    if (!more) {
      return error_of(more);
    }
    again = *more;
  }
  return {};
}

}  // namespace

Result<ReleaseDocument> release(const Plan& plan, const std::vector<TablePart>& parts,
                                RandomStream& stream, int threads, const AroundDraw& around,
                                const SpendHook& spend) {
  if (parts.empty()) {
    return bad_request("there is no part of a table to release");
  }
  const Result<std::optional<LedgerEntry>> entry = spent(spend);
  if (!entry) {
    return error_of(entry);
  }
  const std::unique_ptr<Run> run = plan.start(stream, threads);
  const auto finish = [&] { return run->finish(); };
  return feed(*run, parts)
      .and_then([&] { return around ? around(finish) : finish(); })
      .and_then([&](ReleaseDocument&& document) {
        return published(std::move(document), plan, stream, *entry);
      });
}

Result<ReleaseDocument> release(const Plan& plan, const OpenRows& open, RandomStream& stream,
                                int threads, const AroundDraw& around) {
  return release(plan, std::vector<TablePart>{{open}}, stream, threads, around);
}

Result<ReleaseDocument> release(const Plan& plan, const ExactGram& gram, RandomStream& stream) {
  return release(plan, std::vector<TablePart>{{{}, &gram}}, stream, 1);
}

Result<ReleaseDocument> release(const Plan& plan, const ExactRows& rows, RandomStream& stream,
                                int threads, const SpendHook& spend) {
  const Result<std::optional<LedgerEntry>> entry = spent(spend);
  if (!entry) {
    return error_of(entry);
  }
  const std::unique_ptr<Run> run = plan.start(stream, threads);
  return run->add(rows)
      .and_then([&] { return run->finish(); })
      .and_then([&](ReleaseDocument&& document) {
        return published(std::move(document), plan, stream, *entry);
      });
}

Result<ReleaseDocument> release(const Plan& plan, const MatrixView& rows, RandomStream& stream) {
  const auto open = [&] { return read_matrix(rows, plan.facts().schema); };
  return release(plan, open, stream, default_threads());
}

}  // namespace eigenveil
