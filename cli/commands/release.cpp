#include "eigenveil/engine/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/charged_release.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exact_pass.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/output_options.hpp"
#include "cli/options/request_options.hpp"
#include "cli/progress.hpp"
#include "data/exact_rows.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "engine/bound_words.hpp"
#include "engine/release_cost.hpp"
#include "engine/verdict.hpp"

namespace eigenveil::cli {
namespace {

namespace fs = std::filesystem;

/// Can be opened again and gives the same rows: no pipe.
bool is_regular(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// A command that publishes something about a table: public facts, plan, rows, noise, files, in
/// this order, so that every refusal that can come from the request comes before a row is read.
struct ReleaseCommand {
  RequestOptions what;
  InputOptions input;
  OutputOptions output;
  LedgerOptions ledger;
  std::vector<std::string> more_blocks;  ///< of methods that take blocks
  std::optional<std::int64_t> rows;      ///< their public number, if known
  std::int64_t declared_rows = 0;        ///< --people: public, never counted in the file
  bool anyway = false;

  void declare(CLI::App& app);
  Outcome run();

 private:
  Result<void> check_input(const MethodInfo& info) const;
  Result<void> check_output(const MethodInfo& info, const Plan& plan) const;
  Result<ExactPass> open(const Method& method, const Request& request,
                         const InputOptions& block) const;
  Result<std::vector<ExactPass>> open_blocks(const Method& method, const Request& request) const;
  /// Tasks whose results can go back from stages to the columns.
  bool takes_stages() const { return has_bound(what.task) && what.task != Task::Mask; }
  Result<void> judge(const Method& method, const Request& request, const PublicFacts& facts);
  Result<bool> charge_unplanned(const Method& method, Request request, const PublicFacts& facts);
  Result<bool> charge_planned(const Method& method, const Plan& plan);
  Result<void> sum_and_ask(ExactPass& pass) const;
  Outcome run_on_rows(const Method& method, const Request& request);
  Outcome run_on_exact_rows(const Method& method, const Request& request);
  SpendHook entry() const {
    return [this]() -> Result<std::optional<LedgerEntry>> { return charged_.entry(); };
  }

  ChargedRelease charged_;
  std::optional<ReleaseCost> charged_cost_;  ///< where it was charged before the plan stood
};

void ReleaseCommand::declare(CLI::App& app) {
  input.declare(app);
  if (has_bound(what.task)) {
    input.declare_one_hot(app);
  }
  if (takes_stages()) {
    input.declare_people(app);
    what.bounds.declare_stages(app);
    constexpr const char* kVerdict = "Verdict (before anything is spent)";
    app.add_option("--people", declared_rows,
                   "how many rows there are, about, as the public knows it: a release that noise "
                   "must drown at this number is refused")
        ->check(whole_number(1, std::uint64_t{1} << 50))
        ->group(kVerdict);
    app.add_flag("--anyway", anyway, "spend although the verdict is against it")->group(kVerdict);
  }
  if (what.task == Task::Mask) {
    app.add_option(
           "--blocks", more_blocks,
           "further shards of the table: every file is masked by itself, the noise is that of "
           "the smallest, and the output holds all of them")
        ->group("Input");
  }
  what.declare(app);
  output.declare(app);
  ledger.declare(app);
  if (has_bound(what.task)) {
    ledger.declare_same_data(app);
  }
  what.own.declare(app, what.task);
  if (what.task == Task::Mask) {
    app.get_option("--out")->description(
        "directory for release.json and its arrays, or a file .csv, .csv.gz or .npy with the "
        "release beside it; written whole or not at all");
  }
  if (what.task == Task::Subspace) {
    app.add_option("--rows", rows, "number of rows, if known: saves counting them first")
        ->check(whole_number(1));
    app.get_option("--missing")
        ->description(
            "midpoint (default) or refuse; no range is known here, so that a row with a missing "
            "cell counts as the zero row");
    app.get_option("--bad-cell")
        ->description(
            "refuse (default: a cell that is no number stops the run) or midpoint: as if missing");
  }
}

/// What can be read once only is said before it is opened.
Result<void> ReleaseCommand::check_input(const MethodInfo& info) const {
  if (info.reads_rows && input.is_gram()) {
    return bad_request(
        fmt::format("method {} needs the rows themselves; a .gram file holds sums", info.name));
  }
  if (ledger.same_data && info.reads_rows) {
    return bad_request(
        fmt::format("--same-data compares exact sums, which method {} does not keep", info.name));
  }
  std::error_code ignored;
  const auto status = fs::status(input.input, ignored);
  const bool once = input.input == "-" || (fs::exists(status) && !fs::is_regular_file(status));
  if (once && info.reads_exact_rows && !ledger.ledger.empty()) {
    return bad_request(
        "with a ledger the input must be a regular file: its columns are looked at first");
  }
  if (!input.person.empty() && info.needs_row_count) {
    return bad_request(fmt::format(
        "--person goes with methods that need the sums of a table alone, such as gauss, "
        "not with {}",
        info.name));
  }
  if (once && info.needs_row_count && !info.reads_exact_rows) {
    return bad_request(
        "the rows are read more than once, so the input must be a regular file: standard input "
        "and pipes can be read once only");
  }
  return {};
}

Result<void> ReleaseCommand::check_output(const MethodInfo& info, const Plan& plan) const {
  if (info.streams) {
    return output.check_streamable(plan);
  }
  if (what.task == Task::Subspace && output.out.empty() && !output.json) {
    return bad_request("--out DIR says where the subspace goes; without it nothing would be kept");
  }
  return output.check_writable();
}

/// The table as far as its column names; a method's model may give the bound.
Result<ExactPass> ReleaseCommand::open(const Method& method, const Request& request,
                                       const InputOptions& block) const {
  if (!has_bound(request.task)) {
    return ExactPass::unbounded(block);
  }
  const auto modelled = method.model_radius(request, 1, {});
  if (!modelled || what.bounds.given() || block.is_gram()) {
    return ExactPass::open(block, what.bounds);
  }
  if (!*modelled) {  // said before the file is opened; the width only scales the radius
    return error_of(*modelled);
  }
  return ExactPass::open(block, what.bounds, [&](const Schema& schema) {
    return **method.model_radius(request, static_cast<Eigen::Index>(schema.dimension()), {});
  });
}

Result<std::vector<ExactPass>> ReleaseCommand::open_blocks(const Method& method,
                                                           const Request& request) const {
  std::vector<std::string> files = {input.input};
  files.insert(files.end(), more_blocks.begin(), more_blocks.end());
  std::vector<ExactPass> passes;
  for (const std::string& file : files) {
    std::error_code ignored;
    const auto same = [&](const std::string& other) {
      return &other != &file && (other == file || fs::equivalent(other, file, ignored));
    };
    if (std::any_of(files.begin(), files.end(), same)) {
      return bad_request("a file is named twice among the blocks; its people would show twice");
    }
    InputOptions block = input;
    block.input = file;
    Result<ExactPass> pass = open(method, request, block);
    if (!pass) {
      return error_of(pass);
    }
    passes.push_back(std::move(*pass));
    if (!(passes.back().schema() == passes.front().schema())) {
      return bad_request("the blocks have different columns; choose the same with --columns");
    }
  }
  return passes;
}

/// What can be said before anything is spent: a refusal, or lines of warning.
Result<void> ReleaseCommand::judge(const Method& method, const Request& request,
                                   const PublicFacts& facts) {
  if (!takes_stages()) {
    return {};
  }
  const std::optional<std::int64_t> known =
      declared_rows > 0 ? std::optional(declared_rows) : facts.rows;
  if (known && !anyway) {
    if (const Result<void> worth = verdict(method, request, facts, *known); !worth) {
      return worth;
    }
  }
  for (const std::string& line : public_warnings(request, facts.schema, known)) {
    output.warning += (output.warning.empty() ? "" : "\n  warning     ") + line;
  }
  return {};
}

/// Where the plan has to wait for the number of rows, which is public but must be read: charged as
/// the method states it, before they are counted. What the plan refuses for want of rows stays
/// spent.
Result<bool> ReleaseCommand::charge_unplanned(const Method& method, Request request,
                                              const PublicFacts& facts) {
  if (!charged_.active()) {
    return false;
  }
  request.method = method.info().name;
  request.table = table_fingerprint(facts);
  return stated_cost(method, request, output.seed.has_value())
      .and_then([&](const ReleaseCost& cost) {
        charged_cost_ = cost;
        return charged_.charge(cost, to_json(request), output);
      });
}

Result<bool> ReleaseCommand::charge_planned(const Method& method, const Plan& plan) {
  if (charged_cost_) {
    return check_charged(*charged_cost_, plan).map([] { return false; });
  }
  if (!charged_.active()) {
    return check_output(method.info(), plan).map([] { return false; });
  }
  ReleaseCost cost = cost_of(plan, output.seed.has_value());
  cost.guarantee.person = input.person;
  return charged_.charge(cost, to_json(plan.request()), output);
}

/// The exact sums first: the release is then drawn from them as from a .gram file.
Result<void> ReleaseCommand::sum_and_ask(ExactPass& pass) const {
  return pass.sum(output.is_quiet()).and_then([&] { return charged_.ask_about(*pass.stored()); });
}

Outcome ReleaseCommand::run_on_rows(const Method& method, const Request& request) {
  const MethodInfo& info = method.info();
  Result<std::vector<ExactPass>> passes = open_blocks(method, request);
  if (!passes) {
    return error_of(passes);
  }
  PublicFacts facts = passes->front().facts();
  facts.rows = rows;
  facts.read_again = !input.is_gram() && is_regular(input.input);
  if (info.needs_row_count && !rows) {
    if (const Result<bool> found = charge_unplanned(method, request, facts); !found || *found) {
      return found ? Outcome() : error_of(found);
    }
    const Result<std::int64_t> counted =
        count_rows([&] { return passes->front().rows(true); }, input.thread_count());
    if (!counted) {
      return error_of(counted);
    }
    facts.rows = *counted;
  }
  if (const Result<void> worth = judge(method, request, facts); !worth) {
    return error_of(worth);
  }
  const Result<std::unique_ptr<Plan>> plan = make_plan(method, request, facts);
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<bool> found = charge_planned(method, **plan); !found || *found) {
    return found ? Outcome() : error_of(found);
  }
  RandomStream stream = output.stream();
  std::vector<TablePart> parts;
  for (ExactPass& pass : *passes) {
    const Result<void> loaded = ledger.same_data ? sum_and_ask(pass) : pass.load_totals();
    if (!loaded) {
      return loaded;
    }
    parts.push_back(pass.part(output.is_quiet()));
  }
  const auto drawing = [&](const auto& finish) {
    const DrawingBar bar((*plan)->draw_seconds(), output.is_quiet());
    return finish();
  };
  return release(**plan, parts, stream, input.thread_count(), drawing, entry())
      .and_then([&](const ReleaseDocument& document) {
        const RowBound& bound = facts.counted ? facts.counted->bound : facts.bound;
        return charged_.publish(
            passes->front().finish(document), output,
            {input.display_name(), has_bound(request.task) ? describe_bound(bound) : std::string(),
             output.target(info.streams, input.thread_count())});
      });
}

Outcome ReleaseCommand::run_on_exact_rows(const Method& method, const Request& request) {
  if (charged_.active()) {  // the columns are part of what is asked for, and public
    const Result<bool> found =
        ExactPass::unbounded(input).and_then([&](const ExactPass& pass) -> Result<bool> {
          return charge_unplanned(method, request, pass.facts());
        });
    if (!found || *found) {
      return found ? Outcome() : error_of(found);
    }
  }
  const Result<ReadOptions> options =
      table_spec(input, BoundOptions{}).and_then([&](const TableSpec& spec) {
        return read_options(spec, input.format());
      });
  if (!options) {
    return error_of(options);
  }
  const Result<ExactRows> table =
      read_exact_rows(input.input, *options, request.options.flag("affine"));
  if (!table) {
    return error_of(table);
  }
  // From here on only sizes are looked at until the plan stands.
  const Result<std::unique_ptr<Plan>> plan =
      unbounded(table->schema).and_then([&](PublicFacts facts) {
        facts.rows = rows.value_or(static_cast<std::int64_t>(table->points.size()));
        return make_plan(method, request, facts);
      });
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<bool> found = charge_planned(method, **plan); !found || *found) {
    return found ? Outcome() : error_of(found);
  }
  RandomStream stream = output.stream();
  return release(**plan, *table, stream, input.thread_count(), entry())
      .and_then([&](const ReleaseDocument& document) {
        return charged_.publish(document, output,
                                {input.display_name(), "", output.target(false, 1)});
      });
}

Outcome ReleaseCommand::run() {
  Result<Request> request = what.request();
  if (!request) {
    return error_of(request);
  }
  what.bounds.scaled = what.standardize;
  TableSpec people;
  people.person = input.person;
  people.rows_per_person = input.rows_per_person;
  if (const Result<void> settled = settle_people(people, *request); !settled) {
    return error_of(settled);
  }
  what.bounds.noisy_count = people.noisy_count;
  const Result<const Method*> method = choose_method(*request);
  if (!method) {
    return error_of(method);
  }
  output.warning = settle_center(**method, *request);
  if (const Result<void> readable = check_input((*method)->info()); !readable) {
    return readable;
  }
  Result<ChargedRelease> charged = ChargedRelease::open(ledger, input, output);
  if (!charged) {
    return error_of(charged);
  }
  charged_ = std::move(*charged);
  if (const Result<void> known =
          output.releases_built_on(what.bounds.bounds_file).map([&](auto on) {
            charged_.build_on(std::move(on));
          });
      !known) {
    return known;
  }
  return (*method)->info().reads_exact_rows ? run_on_exact_rows(**method, *request)
                                            : run_on_rows(**method, *request);
}

Command release_command(std::string name, std::string summary, Task task) {
  return {std::move(name), std::move(summary), [task](CLI::App& app) {
            auto command = std::make_shared<ReleaseCommand>();
            command->what.task = task;
            command->declare(app);
            return [command] { return command->run(); };
          }};
}

}  // namespace

Command pca_command() {
  return release_command(
      "pca",
      "Private principal components of a table of rows about people.\n"
      "  eigenveil pca survey.csv -k 2 --epsilon 1 --delta 1e-6 --range 0:10 --out out/",
      Task::Components);
}

Command lowrank_command() {
  return release_command(
      "lowrank",
      "Private rank-k approximation of the covariance (or second moment), or the "
      "nearest matrix with a prescribed spectrum.\n"
      "  eigenveil lowrank survey.csv -k 3 --epsilon 1 --range 0:10 --out out/",
      Task::LowRank);
}

Command covariance_command() {
  return release_command("covariance",
                         "Private covariance (or second moment) of a table of rows about people.\n"
                         "  eigenveil covariance survey.csv --epsilon 1 --delta 1e-6 --range 0:10 "
                         "--out out/",
                         Task::Covariance);
}

Command mask_command() {
  return release_command(
      "mask",
      "Private pseudo-data: as many rows and the same columns, fit for linear models.\n"
      "  eigenveil mask survey.csv --epsilon 1 --delta 1e-6 --range 0:10 --intercept --out out/",
      Task::Mask);
}

Command subspace_command() {
  return release_command(
      "subspace",
      "The subspace in or near which the rows lie; no bound on the rows is needed, and the "
      "number of rows it takes does not grow with the number of columns.\n"
      "  eigenveil subspace embeddings.npy -k 5 --epsilon 1 --delta 1e-6 --gamma 1e-4 --out out/\n"
      "  eigenveil subspace points.csv --exact -k 2 --epsilon 1 --delta 1e-6 --out out/",
      Task::Subspace);
}

}  // namespace eigenveil::cli
