#include <fmt/format.h>

#include "cli/methods/method.hpp"
#include "cli/options/checks.hpp"
#include "cli/progress.hpp"
#include "cli/subspace/document.hpp"
#include "cli/subspace/learn.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "mechanism/subspace/within_subspace.hpp"
#include "publication/document_parts.hpp"

namespace eigenveil::cli {
namespace {

/// `--within-subspace K`: learns a subspace with part of the budget, projects the bounded rows onto
/// it and runs gauss in K dimensions with the rest.
class SubspaceMethod final : public Method {
 public:
  std::string name() const override { return "subspace"; }
  std::string budgets() const override { return "(epsilon, delta), with --within-subspace"; }
  bool serves(Task task) const override {
    return task == Task::Components || task == Task::Covariance;
  }
  bool asked_for() const override { return learn_.subspace > 0; }
  std::string option_given() const override {
    return asked_for() ? "--within-subspace" : learn_.gamma ? "--gamma" : "";
  }
  void declare(CLI::App& app) override;
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override;

 private:
  Result<WithinPlan> make_plan(const Request& request, const RowBound& bound,
                               std::size_t rows) const;
  Result<Release<LearnedSubspace>> learn(const ReleaseRequest& request, const WithinPlan& planned,
                                         const RowBound& bound, std::size_t rows,
                                         RandomStream& stream) const;

  LearnOptions learn_{
      .subspace = 0, .aggregate = "", .gamma = {}, .groups = {}, .failure_probability = {}};
  double share_ = 0.5;
};

void SubspaceMethod::declare(CLI::App& app) {
  constexpr const char* kGroup = "Inside a learned subspace (method subspace)";
  app.add_option("--within-subspace", learn_.subspace,
                 "learn a subspace of this dimension first and work inside it")
      ->check(whole_number(1, 1000))
      ->group(kGroup);
  app.add_option("--subspace-share", share_, "share of the budget for learning it (default 0.5)")
      ->check(open_unit_interval())
      ->group(kGroup);
  app.add_option("--gamma", learn_.gamma,
                 "sqrt(lambda_(k+1) / lambda_k) the data have at most (default: searched)")
      ->group(kGroup);
}

Result<WithinPlan> SubspaceMethod::make_plan(const Request& request, const RowBound& bound,
                                             std::size_t rows) const {
  if (learn_.subspace == 0) {
    return bad_request("method subspace needs --within-subspace K");
  }
  if (request.wants_components() &&
      request.components > static_cast<Eigen::Index>(learn_.subspace)) {
    return bad_request("-k must not exceed --within-subspace");
  }
  if (request.bounds.private_mean()) {
    return bad_request("--within-subspace works about the public midpoint; leave out --center");
  }
  if (request.budget.neighbours != "replace-one") {
    return bad_request(
        "--within-subspace protects against replacing one row by any other, and the row count is "
        "public: say so with --neighbours replace-one");
  }
  const Result<ApproxDp> pair = subspace_budget(request.budget);
  if (!pair) {
    return error_of(pair);
  }
  return WithinPlan::make({bound, rows, learn_.subspace, *pair, share_, learn_.gamma});
}

Result<Release<LearnedSubspace>> SubspaceMethod::learn(const ReleaseRequest& request,
                                                       const WithinPlan& planned,
                                                       const RowBound& bound, std::size_t rows,
                                                       RandomStream& stream) const {
  GroupBuilder builder = planned.subspace().builder(stream, request.input.thread_count());
  Vector scaled(static_cast<Eigen::Index>(bound.dimension()));
  const Result<void> read =
      for_each_row(request.input, rows, request.output.is_quiet(), [&](const double* row) {
        scale_row(bound, row, scaled);
        builder.add(scaled.data());
      });
  if (!read) {
    return error_of(read);
  }
  return planned.subspace().run(std::move(builder).finish(), stream, request.input.thread_count());
}

ReleaseDocument within_document(const ReleaseRequest& request, const WithinPlan& planned,
                                const Schema& schema, const RowBound& bound, std::size_t rows,
                                const Release<LearnedSubspace>& learned) {
  ReleaseDocument document = learned_document(
      planned.subspace(), {1, 0.1, rows}, schema,
      Release<LearnedSubspace>(learned.value(), planned.guarantee(), learned.mechanism()));
  document.task = name_of(request.what.task);
  document.method = "subspace";
  document.requested = planned.request().budget;
  for (auto& [name, value] : document.parameters) {
    if (name == "components" && request.what.wants_components()) {
      value = static_cast<std::int64_t>(request.what.components);
    } else if (name == "epsilon") {
      value = planned.request().budget.epsilon;
    } else if (name == "delta") {
      value = planned.request().budget.delta;
    }
  }
  document.parameters.emplace_back("within_subspace",
                                   static_cast<std::int64_t>(planned.subspace().shape().subspace));
  document.parameters.emplace_back("subspace_share", planned.request().share);
  document.parameters.emplace_back("row_norm", bound.radius());
  document.parameters.emplace_back("units", std::string("scaled"));
  document.parameters.emplace_back("noise_sd_diagonal", planned.moment().product_sd());
  return document;
}

/// The exact Gram of the rows in the coordinates of a released frame.
Result<ExactGram> projected_gram(const ReleaseRequest& request, const WithinPlan& planned,
                                 const Matrix& frame) {
  Result<std::unique_ptr<RowReader>> opened = request.input.open();
  if (!opened) {
    return error_of(opened);
  }
  const std::unique_ptr<RowReader> rows =
      with_progress(std::move(*opened), request.input.display_name(), request.output.is_quiet());
  const std::unique_ptr<RowReader> inside = project_rows(*rows, planned.request().bound, frame);
  GramAccumulator accumulator(inside->schema(), planned.moment().bound(),
                              request.input.thread_count());
  if (const Result<void> added = accumulator.add(*inside); !added) {
    return error_of(added);
  }
  return accumulator.finish();
}

/// Components and covariance inside of the subspace: post-processing of the noisy moment.
void add_moment(ReleaseDocument& document, const ReleaseRequest& request, const Matrix& frame,
                const Schema& schema, const RowBound& bound, const NoisyMoment& moment) {
  const NoisyCovariance covariance = covariance_of(moment, Center::PublicMidpoint, Units::Scaled);
  const auto names = document.tables.front().column_names;
  if (request.what.wants_components()) {
    PrincipalComponents components = components_within(frame, covariance, request.what.components);
    add_variances(document, {components.explained_variance, components.noise_edge}, bound,
                  Units::Scaled);
    document.tables.push_back({"loadings", "private principal components inside the subspace",
                               "column", schema.columns, component_names(request.what.components),
                               std::move(components.loadings)});
  } else {
    document.tables.push_back({"covariance_inside",
                               "private second moment in the coordinates of the subspace",
                               "direction", names, names, covariance.psd});
  }
}

Outcome SubspaceMethod::release(const ReleaseRequest& request) const {
  if (request.input.is_gram()) {
    return bad_request("--within-subspace needs the rows themselves; a .gram file holds sums");
  }
  if (const Result<void> again = check_rereadable(request.input); !again) {
    return again;
  }
  Result<std::unique_ptr<RowReader>> reader = request.input.open();
  if (!reader) {
    return error_of(reader);
  }
  const Schema schema = (*reader)->schema();
  reader->reset();
  const Result<RowBound> bound = request.what.bounds.bound(schema);
  if (!bound) {
    return error_of(bound);
  }
  const Result<std::size_t> rows = count_rows(request.input);
  if (!rows) {
    return error_of(rows);
  }
  const Result<WithinPlan> planned = make_plan(request.what, *bound, *rows);
  if (!planned) {
    return error_of(planned);
  }
  if (const Result<void> writable = request.output.check_writable(); !writable) {
    return error_of(writable);
  }
  RandomStream stream = request.output.stream();
  const Result<Release<LearnedSubspace>> learned = learn(request, *planned, *bound, *rows, stream);
  if (!learned) {
    return error_of(learned);
  }
  ReleaseDocument document = within_document(request, *planned, schema, *bound, *rows, *learned);
  document.guarantee = as_run(document.guarantee, stream);
  if (learned->value().found) {
    const Result<ExactGram> gram = projected_gram(request, *planned, learned->value().frame);
    if (!gram) {
      return error_of(gram);
    }
    const Result<Release<NoisyMoment>> moment = planned->moment().run(*gram, stream);
    if (!moment) {
      return error_of(moment);
    }
    add_moment(document, request, learned->value().frame, schema, *bound, moment->value());
  }
  return publish_subspace(document, request.output, request.input.display_name());
}

Outcome SubspaceMethod::plan(const PlanRequest& request) const {
  const Result<Schema> schema = request.schema();
  if (!schema) {
    return error_of(schema);
  }
  return request.what.bounds.bound(*schema)
      .and_then([&](const RowBound& bound) {
        return make_plan(request.what, bound, static_cast<std::size_t>(request.rows));
      })
      .map([&](const WithinPlan& planned) {
        const GroupShape& shape = planned.subspace().shape();
        fmt::print(
            "Plan for {} inside a learned subspace: {} rows, {} columns (no data was read)\n",
            name_of(request.what.task), request.rows, schema->dimension());
        fmt::print("  guarantee   {}\n", headline(planned.guarantee(), planned.request().budget));
        fmt::print("  subspace    dimension {}, {} groups of {} rows, gamma below about {:.2g}\n",
                   shape.subspace, shape.groups, shape.per_group,
                   planned.subspace().largest_gamma(0.1));
        fmt::print("  noise       standard deviation {:.4g} on a variance inside it\n",
                   planned.moment().product_sd() / static_cast<double>(request.rows));
      });
}

}  // namespace

std::unique_ptr<Method> subspace_method() {
  return std::make_unique<SubspaceMethod>();
}

}  // namespace eigenveil::cli
