#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/output_options.hpp"
#include "cli/subspace/learn.hpp"
#include "cli/subspace/summary.hpp"
#include "data/exact_rows.hpp"
#include "engine/documents/learned_document.hpp"

namespace eigenveil::cli {
namespace {

struct SubspaceCommand {
  InputOptions input;
  LearnOptions learn;
  BudgetOptions budget;
  OutputOptions output;
  std::optional<std::size_t> rows;
  bool exact = false;
  bool affine = false;
  bool published = false;
  std::int64_t max_abs = 1000;
  std::optional<std::int64_t> exceptions;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Outcome check_words() const;
  Result<void> check_output() const;
  Outcome run_exact(const ApproxDp& pair) const;
  Outcome run_near(const ApproxDp& pair) const;
};

void SubspaceCommand::declare(CLI::App& app) {
  input.declare(app);
  app.get_option("--missing")
      ->description(
          "midpoint (default) or refuse; no range is known here, so that a row with a missing cell "
          "counts as the zero row");
  app.get_option("--bad-cell")
      ->description(
          "refuse (default: a cell that is no number stops the run) or midpoint: as if missing");
  app.add_option("-k,--components", learn.subspace, "dimension of the subspace (default 1)")
      ->check(whole_number(1));
  app.add_option("--aggregate", learn.aggregate,
                 "core (default) or grid; with --exact: gapmax (default for small k) or votes")
      ->check(one_of({"core", "grid", "gapmax", "votes"}));
  app.add_option("--rows", rows, "number of rows, if known: saves counting them first")
      ->check(whole_number(1));
  constexpr const char* kGroup = "Exact points";
  app.add_flag("--exact", exact, "the rows lie exactly in the subspace: whole numbers or fractions")
      ->group(kGroup);
  app.add_flag("--affine", affine, "with --exact: the subspace need not contain the origin")
      ->group(kGroup);
  app.add_option("--exceptions", exceptions,
                 "gapmax: rows that may lie elsewhere (default: as many as possible)")
      ->check(whole_number(0, std::uint64_t{1} << 40U))
      ->group(kGroup);
  app.add_option("--max-abs", max_abs,
                 "public bound on the whole numbers; a row beyond it counts as zero (default 1000)")
      ->check(whole_number(1, std::uint64_t{1} << 50))
      ->group(kGroup);
  app.add_flag("--published", published, "gapmax as Singhal and Steinke print it: NOT PRIVATE")
      ->group(kGroup);
  learn.declare(app);
  budget.neighbours = "replace-one";
  budget.declare(app);
  output.declare(app);
}

Outcome SubspaceCommand::check_words() const {
  if (!exact && (affine || published || exceptions)) {
    return bad_request("--affine, --exceptions and --published need --exact");
  }
  return learn.check_words(exact);
}

Result<void> SubspaceCommand::check_output() const {
  if (output.out.empty() && !output.json) {
    return bad_request("--out DIR says where the subspace goes; without it nothing would be kept");
  }
  return output.check_writable();
}

Outcome SubspaceCommand::run() const {
  if (Outcome checked = check_words(); !checked) {
    return checked;
  }
  if (input.is_gram()) {
    return bad_request("subspace needs the rows themselves; a .gram file holds sums");
  }
  return subspace_budget(budget).and_then(
      [&](const ApproxDp& pair) { return exact ? run_exact(pair) : run_near(pair); });
}

Outcome SubspaceCommand::run_exact(const ApproxDp& pair) const {
  TableSpec spec;
  const Result<ReadOptions> options =
      input.fill(spec).and_then([&] { return read_options(spec, input.format()); });
  if (!options) {
    return error_of(options);
  }
  Result<ExactRows> table = read_exact_rows(input.input, *options, affine);
  if (!table) {
    return error_of(table);
  }
  Schema schema = table->schema;
  if (affine) {
    schema.columns.emplace_back("constant");
  }
  // From here on only sizes are looked at until the plan stands.
  ExactSubspaceRequest request{table->points.size(), schema.dimension(), learn.subspace, pair,
                               ExactAggregate::Auto, exceptions,         max_abs,        published};
  request.subspace += affine ? 1 : 0;
  request.aggregate = learn.aggregate == "votes"                 ? ExactAggregate::Votes
                      : learn.aggregate == "gapmax" || published ? ExactAggregate::GapMax
                                                                 : ExactAggregate::Auto;
  const Result<ExactSubspacePlan> plan = ExactSubspacePlan::make(request);
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<void> writable = check_output(); !writable) {
    return error_of(writable);
  }
  ExactPoints points(schema.dimension(), max_abs);
  for (const std::vector<std::int64_t>& point : table->points) {
    points.add(point);
  }
  RandomStream stream = output.stream();
  const Release<ExactSubspace> release = plan->run(points, stream);
  return publish_subspace(exact_document(*plan, schema, affine, release), output,
                          input.display_name());
}

Outcome SubspaceCommand::run_near(const ApproxDp& pair) const {
  if (Result<void> again = check_rereadable(input); !again) {
    return again;
  }
  Result<std::unique_ptr<RowReader>> reader = input.open();
  if (!reader) {
    return error_of(reader);
  }
  const Schema schema = (*reader)->schema();
  reader->reset();
  const Result<std::size_t> counted = rows ? Result<std::size_t>(*rows) : count_rows(input);
  if (!counted) {
    return error_of(counted);
  }
  const Result<SubspacePlan> plan = learn.plan(*counted, schema.dimension(), pair);
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<void> writable = check_output(); !writable) {
    return error_of(writable);
  }
  RandomStream stream = output.stream();
  return learn_subspace(*plan, learn.parts(), learn.angle, *counted, input, output.is_quiet(),
                        stream)
      .and_then([&](const Release<LearnedSubspace>& release) {
        return publish_subspace(
            learned_document(*plan, {learn.parts(), learn.angle, *counted}, schema, release),
            output, input.display_name());
      });
}

}  // namespace

Command subspace_command() {
  return {
      "subspace",
      "The subspace in or near which the rows lie; no bound on the rows is needed, and the "
      "number of rows it takes does not grow with the number of columns.\n"
      "  eigenveil subspace embeddings.npy -k 5 --epsilon 1 --delta 1e-6 --gamma 1e-4 --out out/\n"
      "  eigenveil subspace points.csv --exact -k 2 --epsilon 1 --delta 1e-6 --out out/",
      [](CLI::App& app) {
        auto command = std::make_shared<SubspaceCommand>();
        command->declare(app);
        return [command] { return command->run(); };
      }};
}

}  // namespace eigenveil::cli
