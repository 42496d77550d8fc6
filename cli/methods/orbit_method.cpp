#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/exact_pass.hpp"
#include "cli/methods/method.hpp"
#include "cli/methods/orbit_document.hpp"
#include "cli/methods/orbit_plan_text.hpp"
#include "cli/options/checks.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/orbit/orbit_bounds.hpp"
#include "publication/orbit_plan_facts.hpp"
#include "sampling/orbit.hpp"

namespace eigenveil::cli {
namespace {

constexpr const char* kNoPrivateMeanOfOrbit =
    "method orbit draws from second moments about a public centre and releases no mean; leave out "
    "--center private, or take --method laplace";

/// Draws on unitary orbits: pca (projections), lowrank and covariance (noisy eigenvalues), and
/// lowrank with a prescribed spectrum.
class OrbitMethod final : public Method {
 public:
  std::string name() const override { return "orbit"; }
  std::string budgets() const override { return "pure epsilon"; }
  bool serves(Task) const override { return true; }
  bool takes_variance_share() const override { return true; }
  bool has_published_calibration() const override { return true; }
  void declare(CLI::App& app) override;
  std::string option_given() const override;
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override;
  std::optional<PredictedError> predicted_error(const AssumedSetting& setting) const override;

 private:
  RowField field() const { return complex_rows_ ? RowField::Complex : RowField::Real; }
  Result<OrbitRequest> orbit_request(const Request& request, const RowBound& bound) const;
  Eigen::Index rank(const Request& request, const RowBound& bound) const;
  Result<OrbitPlan> target_plan(const Request& request, const OrbitRequest& orbit) const;
  OrbitDocumentHead head(const Request& request, const ExactPass& pass, Fields parameters) const;
  template <class Plan, class Document>
  Outcome run(const ReleaseRequest& request, ExactPass& pass, const Result<Plan>& plan,
              const Document& document) const;
  Outcome release_components(const ReleaseRequest& request, ExactPass& pass,
                             const OrbitRequest& orbit) const;
  Outcome release_low_rank(const ReleaseRequest& request, ExactPass& pass,
                           const OrbitRequest& orbit) const;
  Outcome release_target(const ReleaseRequest& request, ExactPass& pass,
                         const OrbitRequest& orbit) const;
  Result<nlohmann::ordered_json> facts(const PlanRequest& request, const OrbitRequest& orbit,
                                       const Vector& eigenvalues) const;

  std::optional<double> eigenvalue_share_;
  std::string target_file_;
  bool complex_rows_ = false;
  bool hermitian_ = false;
  bool unbounded_time_ = false;
};

void OrbitMethod::declare(CLI::App& app) {
  constexpr const char* kGroup = "Method orbit";
  const bool is_pca = app.get_name() == name_of(Task::Components);
  if (!is_pca) {
    app.add_option("--eigenvalue-share", eigenvalue_share_,
                   "share of the budget for the eigenvalues (default: from the sizes)")
        ->check(open_unit_interval())
        ->group(kGroup);
  }
  app.add_flag(
         "--complex-rows", complex_rows_,
         "columns come in pairs, real and imaginary part of one coordinate, as a complex .npy "
         "array is read; without this they are real columns of their own (--dimension of a "
         "plan counts real columns, two for each coordinate)")
      ->group(kGroup);
  if (app.get_name() == name_of(Task::LowRank)) {
    app.add_option("--target-spectrum", target_file_,
                   "public eigenvalues the result must have, one per line: the nearest such matrix")
        ->check(not_empty())
        ->group(kGroup);
  }
  app.add_flag("--hermitian", hermitian_,
               "also release the Hermitian matrix that was drawn, as two real arrays")
      ->group(kGroup);
  app.add_flag("--unbounded-time", unbounded_time_,
               "allow sizes whose exact draw could take very long")
      ->group(kGroup);
}

std::string OrbitMethod::option_given() const {
  if (eigenvalue_share_) {
    return "--eigenvalue-share";
  }
  if (!target_file_.empty()) {
    return "--target-spectrum";
  }
  if (complex_rows_) {
    return "--complex-rows";
  }
  if (hermitian_) {
    return "--hermitian";
  }
  return unbounded_time_ ? "--unbounded-time" : "";
}

/// A prescribed spectrum is one of scaled units; otherwise the units asked for.
Units units_of(const Request& request, const std::string& target_file) {
  return target_file.empty() ? request.units() : Units::Scaled;
}

Result<OrbitRequest> OrbitMethod::orbit_request(const Request& request,
                                                const RowBound& bound) const {
  if (request.bounds.private_mean()) {
    return bad_request(kNoPrivateMeanOfOrbit);
  }
  if (!target_file_.empty() && eigenvalue_share_) {
    return bad_request(
        "--target-spectrum needs no budget for eigenvalues; leave out --eigenvalue-share");
  }
  if (request.variance_share && request.task != Task::Components) {
    return bad_request(
        "--variance-share belongs to pca; lowrank and covariance take --eigenvalue-share");
  }
  const Result<Budget> budget = request.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  return request.budget.relation().map([&](Relation relation) {
    return OrbitRequest{bound,
                        column_scales(bound, units_of(request, target_file_)),
                        *budget,
                        relation,
                        field(),
                        request.published ? OrbitCalibration::Published : OrbitCalibration::Tight,
                        request.budget.group_size,
                        unbounded_time_};
  });
}

Eigen::Index OrbitMethod::rank(const Request& request, const RowBound& bound) const {
  return request.takes_rank() ? request.components : coordinates_of(bound.dimension(), field());
}

/// The file decides the rank; a -k beside it must agree.
Result<OrbitPlan> OrbitMethod::target_plan(const Request& request,
                                           const OrbitRequest& orbit) const {
  return read_spectrum(target_file_).and_then([&](Vector spectrum) -> Result<OrbitPlan> {
    if (request.components_given && request.components != spectrum.size()) {
      return bad_request(
          fmt::format("-k {} and {} disagree: the file has {} eigenvalues; leave out -k",
                      request.components, target_file_, spectrum.size()));
    }
    return OrbitPlan::make(orbit, std::move(spectrum));
  });
}

OrbitDocumentHead OrbitMethod::head(const Request& request, const ExactPass& pass,
                                    Fields parameters) const {
  const MomentSettings settings{Center::PublicMidpoint, units_of(request, target_file_),
                                request.bounds.has_public_center(), *request.budget.budget()};
  parameters.emplace_back("calibration", std::string(request.published ? "published" : "tight"));
  parameters.emplace_back("rows_are", std::string(complex_rows_ ? "complex" : "real"));
  return {{settings, pass.bound(), *request.budget.relation(), request.budget.group_size},
          pass.schema(),
          std::move(parameters),
          name_of(request.task),
          hermitian_};
}

/// Plan, rows, draw, files: every refusal that can come from the request comes before a row is
/// read.
template <class Plan, class Document>
Outcome OrbitMethod::run(const ReleaseRequest& request, ExactPass& pass, const Result<Plan>& plan,
                         const Document& document) const {
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<void> writable = request.output.check_writable(); !writable) {
    return error_of(writable);
  }
  const Result<ExactGram> gram = pass.run(request.output.is_quiet());
  if (!gram) {
    return error_of(gram);
  }
  RandomStream stream = request.output.stream();
  const auto release = [&] {
    const DrawingBar bar(plan->draw_seconds(), request.output.is_quiet());
    return plan->run(*gram, stream);
  }();
  if (!release) {
    return error_of(release);
  }
  return publish(document(*plan, *release), request.output,
                 {request.input.display_name(), describe_bound(pass.bound())});
}

Outcome OrbitMethod::release_components(const ReleaseRequest& request, ExactPass& pass,
                                        const OrbitRequest& orbit) const {
  const auto plan =
      OrbitComponentsPlan::make(orbit, request.what.components, request.what.share_for_variance());
  return run(request, pass, plan, [&](const OrbitComponentsPlan& made, const auto& release) {
    return orbit_components_document(
        head(request.what, pass,
             {{"direction_epsilon_per_row", made.direction_budget().epsilon},
              {"variance_epsilon_per_row", made.variance_budget().epsilon},
              {"exponent", made.exponent()}}),
        release, orbit.field);
  });
}

Outcome OrbitMethod::release_low_rank(const ReleaseRequest& request, ExactPass& pass,
                                      const OrbitRequest& orbit) const {
  const auto plan = LowRankPlan::make(orbit, rank(request.what, pass.bound()), eigenvalue_share_);
  return run(request, pass, plan, [&](const LowRankPlan& made, const auto& release) {
    return low_rank_document(head(request.what, pass,
                                  {{"eigenvalue_share", made.eigenvalue_share()},
                                   {"eigenvalue_epsilon_per_row", made.eigenvalue_budget().epsilon},
                                   {"direction_epsilon_per_row", made.direction_budget().epsilon}}),
                             release, scaled_norm2_bound(orbit.bound, orbit.scales), orbit.field);
  });
}

Outcome OrbitMethod::release_target(const ReleaseRequest& request, ExactPass& pass,
                                    const OrbitRequest& orbit) const {
  const Result<OrbitPlan> plan = target_plan(request.what, orbit);
  return run(request, pass, plan, [&](const OrbitPlan& made, const auto& release) {
    return target_document(head(request.what, pass,
                                {{"direction_epsilon_per_row", made.per_row().epsilon},
                                 {"exponent", made.exponent()}}),
                           release, orbit.field);
  });
}

Outcome OrbitMethod::release(const ReleaseRequest& request) const {
  Result<ExactPass> pass = ExactPass::open(request.input, request.what.bounds);
  if (!pass) {
    return error_of(pass);
  }
  const Result<OrbitRequest> orbit = orbit_request(request.what, pass->bound());
  if (!orbit) {
    return error_of(orbit);
  }
  if (const Result<void> paired = check_pairs(pass->schema().columns, field()); !paired) {
    return error_of(paired);
  }
  if (!target_file_.empty()) {
    return release_target(request, *pass, *orbit);
  }
  return request.what.wants_components() ? release_components(request, *pass, *orbit)
                                         : release_low_rank(request, *pass, *orbit);
}

Result<nlohmann::ordered_json> OrbitMethod::facts(const PlanRequest& request,
                                                  const OrbitRequest& orbit,
                                                  const Vector& eigenvalues) const {
  const AssumedTable table{name_of(request.what.task), static_cast<double>(request.rows)};
  if (!target_file_.empty()) {
    return target_plan(request.what, orbit).map([&](const OrbitPlan& plan) {
      return target_facts(table, plan);
    });
  }
  if (request.what.wants_components()) {
    return OrbitComponentsPlan::make(orbit, request.what.components,
                                     request.what.share_for_variance())
        .map([&](const OrbitComponentsPlan& plan) {
          return components_facts(table, plan, eigenvalues);
        });
  }
  return LowRankPlan::make(orbit, rank(request.what, orbit.bound), eigenvalue_share_)
      .map([&](const LowRankPlan& plan) { return low_rank_facts(table, plan, eigenvalues); });
}

Outcome OrbitMethod::plan(const PlanRequest& request) const {
  const Result<Schema> schema = request.schema();
  if (!schema) {
    return error_of(schema);
  }
  const Result<RowBound> bound = request.what.bounds.bound(*schema);
  if (!bound) {
    return error_of(bound);
  }
  const Result<OrbitRequest> orbit = orbit_request(request.what, *bound);
  if (!orbit) {
    return error_of(orbit);
  }
  const Result<Vector> eigenvalues =
      request.spectrum(static_cast<std::size_t>(coordinates_of(bound->dimension(), field())));
  if (!eigenvalues) {
    return error_of(eigenvalues);
  }
  return facts(request, *orbit, *eigenvalues).map([&](const nlohmann::ordered_json& found) {
    if (request.json) {
      fmt::print("{}\n", found.dump(2));
    } else {
      print_orbit_plan(request, *bound, found);
    }
  });
}

std::optional<PredictedError> OrbitMethod::predicted_error(const AssumedSetting& setting) const {
  return predicted_orbit_error(setting);
}

}  // namespace

std::unique_ptr<Method> orbit_method() {
  return std::make_unique<OrbitMethod>();
}

}  // namespace eigenveil::cli
