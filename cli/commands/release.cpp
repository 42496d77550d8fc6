#include "engine/release.hpp"

#include <filesystem>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/exact_pass.hpp"
#include "cli/options/output_options.hpp"
#include "cli/options/request_options.hpp"
#include "cli/progress.hpp"
#include "cli/subspace/learn.hpp"
#include "cli/summary.hpp"
#include "engine/bound_words.hpp"

namespace eigenveil::cli {
namespace {

/// A command that publishes something about a table: public facts, plan, rows, noise, files, in
/// this order, so that every refusal that can come from the request comes before a row is read.
struct ReleaseCommand {
  RequestOptions what;
  InputOptions input;
  OutputOptions output;

  void declare(CLI::App& app);
  Outcome run();

 private:
  Result<ExactPass> open(const Method& method, const Request& request) const;
  Result<ReleaseDocument> draw(const Plan& plan, ExactPass& pass) const;
};

void ReleaseCommand::declare(CLI::App& app) {
  input.declare(app);
  input.declare_one_hot(app);
  what.declare(app);
  output.declare(app);
  what.own.declare(app, what.task);
}

/// The table as far as its column names; a method's model may give the bound.
Result<ExactPass> ReleaseCommand::open(const Method& method, const Request& request) const {
  const auto modelled = method.model_radius(request, 1, {});
  if (!modelled || what.bounds.given() || input.is_gram()) {
    return ExactPass::open(input, what.bounds);
  }
  if (!*modelled) {  // said before the file is opened; the width only scales the radius
    return error_of(*modelled);
  }
  return ExactPass::open(input, what.bounds, [&](const Schema& schema) {
    return **method.model_radius(request, static_cast<Eigen::Index>(schema.dimension()), {});
  });
}

Result<ReleaseDocument> ReleaseCommand::draw(const Plan& plan, ExactPass& pass) const {
  RandomStream stream = output.stream();
  if (pass.stored() != nullptr) {
    const DrawingBar bar(plan.draw_seconds(), output.is_quiet());
    return eigenveil::release(plan, *pass.stored(), stream);
  }
  const auto rows = [&] { return pass.rows(output.is_quiet()); };
  return release(plan, rows, stream, input.thread_count(), [&](const auto& finish) {
    const DrawingBar bar(plan.draw_seconds(), output.is_quiet());
    return finish();
  });
}

Outcome ReleaseCommand::run() {
  Result<Request> request = what.request();
  if (!request) {
    return error_of(request);
  }
  const Result<const Method*> method = choose_method(*request);
  if (!method) {
    return error_of(method);
  }
  output.warning = settle_center(**method, *request);
  if ((*method)->info().needs_row_count) {
    if (const Result<void> again = check_rereadable(input); !again) {
      return again;
    }
  }
  Result<ExactPass> pass = open(**method, *request);
  if (!pass) {
    return error_of(pass);
  }
  PublicFacts facts{pass->schema(), pass->bound()};
  if ((*method)->info().needs_row_count) {
    const Result<std::size_t> rows = pass->count_rows();
    if (!rows) {
      return error_of(rows);
    }
    facts.rows = static_cast<std::int64_t>(*rows);
  }
  const Result<std::unique_ptr<Plan>> plan = make_plan(**method, *request, facts);
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<void> writable = output.check_writable(); !writable) {
    return error_of(writable);
  }
  return draw(**plan, *pass).and_then([&](const ReleaseDocument& document) {
    return publish(document, output, {input.display_name(), describe_bound(pass->bound())});
  });
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

}  // namespace eigenveil::cli
