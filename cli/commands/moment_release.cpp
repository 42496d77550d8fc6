#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/exact_pass.hpp"
#include "cli/moment_document.hpp"
#include "cli/moment_request.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/output_options.hpp"
#include "cli/summary.hpp"
#include "eigenveil/core/atomic_output.hpp"

namespace eigenveil::cli {
namespace {

/// Options of `pca` and `covariance`: both publish a noisy second moment after post-processing.
struct MomentRelease {
  InputOptions input;
  BoundOptions bounds;
  BudgetOptions budget;
  MomentOptions moment;
  OutputOptions output;
  Eigen::Index components = 0;  ///< 0: the covariance itself

  void declare(CLI::App& app) {
    input.declare(app);
    moment.declare(app);
    bounds.declare(app);
    budget.declare(app);
    output.declare(app);
  }
  Outcome run() const;

 private:
  Result<MomentPlan> plan(const ExactPass& pass) const;
  ReleaseDocument document(const MomentPlan& plan, const Release<NoisyMoment>& release) const;
};

Result<MomentPlan> MomentRelease::plan(const ExactPass& pass) const {
  const auto dimension = static_cast<Eigen::Index>(pass.schema().dimension());
  if (components < 0 || components > dimension) {
    return bad_request(
        fmt::format("-k must satisfy 1 <= k <= {}, the number of columns", dimension));
  }
  return make_moment_plan(moment, budget, pass.bound(), bounds.private_mean(), components);
}

ReleaseDocument MomentRelease::document(const MomentPlan& plan,
                                        const Release<NoisyMoment>& release) const {
  const MomentSettings settings{
      bounds.private_mean() ? Center::PrivateMean : Center::PublicMidpoint, moment.units(),
      bounds.has_public_center(), *budget.budget()};
  return components > 0 ? components_document(plan, settings, release, components)
                        : covariance_document(plan, settings, release);
}

/// Public facts, plan, rows, noise, post-processing, files: in this order, so that every refusal
/// that can come from the request comes before a row is read.
Outcome MomentRelease::run() const {
  Result<ExactPass> pass = ExactPass::open(input, bounds);
  if (!pass) {
    return error_of(pass);
  }
  const Result<MomentPlan> planned = plan(*pass);
  if (!planned) {
    return error_of(planned);
  }
  if (!output.out.empty()) {
    if (const Result<AtomicDirectory> writable = AtomicDirectory::create(output.out); !writable) {
      return error_of(writable);
    }
  }
  const Result<ExactGram> gram = pass->run(output.quiet || output.json);
  if (!gram) {
    return error_of(gram);
  }
  RandomStream stream = output.stream();
  const Result<Release<NoisyMoment>> release = planned->run(*gram, stream);
  if (!release) {
    return error_of(release);
  }
  return publish(document(*planned, *release), output,
                 {input.display_name(), describe_bound(planned->bound())});
}

Command moment_command(std::string name, std::string summary, bool with_components) {
  return {std::move(name), std::move(summary), [with_components](CLI::App& app) {
            auto options = std::make_shared<MomentRelease>();
            if (with_components) {
              options->components = 1;
              app.add_option("-k,--components", options->components,
                             "number of components (default 1)")
                  ->check(whole_number(1));
            }
            options->declare(app);
            return [options] { return options->run(); };
          }};
}

}  // namespace

Command pca_command() {
  return moment_command(
      "pca",
      "Private principal components of a table of rows about people.\n"
      "  eigenveil pca survey.csv -k 2 --epsilon 1 --delta 1e-6 --range 0:10 --out out/",
      true);
}

Command covariance_command() {
  return moment_command("covariance",
                        "Private covariance (or second moment) of a table of rows about people.\n"
                        "  eigenveil covariance survey.csv --epsilon 1 --delta 1e-6 --range 0:10 "
                        "--center private --out out/",
                        false);
}

}  // namespace eigenveil::cli
