#include <fmt/format.h>

#include "engine/documents/document_parts.hpp"
#include "engine/documents/learned_document.hpp"
#include "engine/methods/all.hpp"
#include "engine/methods/citations.hpp"
#include "engine/methods/subspace_pair.hpp"
#include "engine/outlook.hpp"
#include "mechanism/moment/covariance.hpp"
#include "mechanism/moment/principal_components.hpp"
#include "mechanism/subspace/within_subspace.hpp"

namespace eigenveil {
namespace {

constexpr double kLearningShare = 0.5;

/// Inside a learned subspace: learns it with part of the budget, projects the bounded rows onto it
/// and runs gauss in its few dimensions with the rest.
class SubspaceMethod final : public Method {
 public:
  const MethodInfo& info() const override;
  bool asked_for(const Request& request) const override {
    return request.options.given("within_subspace");
  }
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override;
  Result<Guarantee> stated(const Request& request) const override;
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override;
};

const MethodInfo& SubspaceMethod::info() const {
  static const MethodInfo info{
      .name = "subspace",
      .sentence = "learns a subspace first, then gauss inside it",
      .budgets = "(epsilon, delta), with {within_subspace}",
      .tasks = {Task::Components, Task::Covariance},
      .options = {{.name = "within_subspace",
                   .kind = OptionKind::WholeNumber,
                   .sentence = "learn a subspace of this dimension first and work inside it",
                   .largest = 1000},
                  {.name = "subspace_share",
                   .kind = OptionKind::Share,
                   .sentence = "share of the budget for learning it",
                   .otherwise = kLearningShare},
                  {.name = "gamma",
                   .kind = OptionKind::Number,
                   .sentence = "sqrt(lambda_(k+1) / lambda_k) the data have at most",
                   .range = kOpenUnit,
                   .otherwise_in_words = "searched"}},
      .needs_row_count = true,
      .reads_rows = true,
      .spends_pair = true,
      .papers = {cited::kSubspaces, cited::kFriendlyCore, cited::kAnalyzeGauss},
      .plain = "Learns a smaller space first"};
  return info;
}

/// What can be said against a request before the table is known.
Result<ApproxDp> pair_within(const Request& request) {
  const auto dimension = request.options.find<std::int64_t>("within_subspace");
  if (!dimension) {
    return bad_request("method subspace needs {within_subspace}", "within_subspace");
  }
  if (request.wants_components() && request.components > *dimension) {
    return bad_request("{components} must not exceed {within_subspace}", "components");
  }
  if (request.private_mean()) {
    return bad_request("{within_subspace} works about the public midpoint; leave out {center}",
                       "center");
  }
  return subspace_pair(request);
}

double learning_share(const Request& request) {
  return request.options.value("subspace_share", kLearningShare);
}

Result<WithinPlan> make_within_plan(const Request& request, const RowBound& bound,
                                    std::int64_t rows) {
  return pair_within(request).and_then([&](const ApproxDp& pair) {
    const auto dimension = *request.options.find<std::int64_t>("within_subspace");
    return WithinPlan::make({bound, static_cast<std::size_t>(rows),
                             static_cast<std::size_t>(dimension), pair, learning_share(request),
                             request.options.find<double>("gamma")});
  });
}

/// Both steps of a release: the rows are seen twice.
class WithinSubspacePlan final : public Plan {
 public:
  WithinSubspacePlan(Request request, PublicFacts facts, WithinPlan made)
      : request_(std::move(request)), facts_(std::move(facts)), made_(std::move(made)) {}
  const Guarantee& guarantee() const override { return made_.guarantee(); }
  const PublicFacts& facts() const override { return facts_; }
  std::unique_ptr<Run> make_run(RandomStream& stream, int threads) const override;

 private:
  class WithinRun;
  ReleaseDocument document(const Release<LearnedSubspace>& learned, RandomStream& stream) const;
  void add_moment(ReleaseDocument& document, const Matrix& frame, const NoisyMoment& moment) const;

  Request request_;
  PublicFacts facts_;
  WithinPlan made_;
};

class WithinSubspacePlan::WithinRun final : public Run {
 public:
  WithinRun(const WithinSubspacePlan& plan, RandomStream& stream, int threads)
      : plan_(plan),
        stream_(stream),
        threads_(threads),
        builder_(plan.made_.subspace().builder(stream, threads)) {}

  Result<void> take_rows(RowReader& rows) override { return inside_ ? project(rows) : learn(rows); }

  Result<bool> wants_rows_again() override {
    if (inside_ || document_) {
      return false;
    }
    if (seen_ != *plan_.facts_.rows) {
      return bad_request(
          fmt::format("the table has {} rows, not {} as was said", seen_, *plan_.facts_.rows));
    }
    Release<LearnedSubspace> learned =
        plan_.made_.subspace().run(std::move(*builder_).finish(), stream_, threads_);
    builder_.reset();
    document_ = plan_.document(learned, stream_);
    if (!learned.value().found) {
      return false;
    }
    frame_ = learned.value().frame;
    std::vector<std::string> names;
    for (Eigen::Index j = 1; j <= frame_.cols(); ++j) {
      names.push_back(fmt::format("S{}", j));
    }
    inside_.emplace(Schema{std::move(names)}, plan_.made_.moment().bound(), threads_);
    return true;
  }

  Result<ReleaseDocument> finish() override {
    if (inside_) {
      const Result<ExactGram> gram = inside_->finish();
      if (!gram) {
        return error_of(gram);
      }
      const Result<Release<NoisyMoment>> moment = plan_.made_.moment().run(*gram, stream_);
      if (!moment) {
        return error_of(moment);
      }
      plan_.add_moment(*document_, frame_, moment->value());
    }
    return *std::move(document_);
  }

 private:
  Result<void> learn(RowReader& rows) {
    RawRows block;
    Vector scaled(static_cast<Eigen::Index>(plan_.facts_.bound.dimension()));
    while (true) {
      if (const Result<void> read = rows.read(block); !read) {
        return read;
      }
      if (block.rows == 0) {
        return {};
      }
      seen_ += static_cast<std::int64_t>(block.rows);
      for (std::size_t r = 0; r < block.rows; ++r) {
        scale_row(plan_.facts_.bound, block.values.data() + r * block.dimension, scaled);
        builder_->add(scaled.data());
      }
    }
  }

  Result<void> project(RowReader& rows) {
    const std::unique_ptr<RowReader> inside = project_rows(rows, plan_.facts_.bound, frame_);
    return inside_->add(*inside);
  }

  const WithinSubspacePlan& plan_;
  RandomStream& stream_;
  int threads_;
  std::optional<GroupBuilder> builder_;
  std::int64_t seen_ = 0;
  Matrix frame_;
  std::optional<GramAccumulator> inside_;
  std::optional<ReleaseDocument> document_;
};

std::unique_ptr<Run> WithinSubspacePlan::make_run(RandomStream& stream, int threads) const {
  return std::make_unique<WithinRun>(*this, stream, threads);
}

ReleaseDocument WithinSubspacePlan::document(const Release<LearnedSubspace>& learned,
                                             RandomStream& stream) const {
  ReleaseDocument document = learned_document(
      made_.subspace(), {1, 0.1, static_cast<std::size_t>(*facts_.rows)}, facts_.schema,
      trusted::assume_released<LearnedSubspace>(learned.value(), made_.guarantee(),
                                                learned.mechanism()));
  document.task = name_of(request_.task);
  document.method = "subspace";
  document.requested = made_.request().budget;
  for (auto& [name, value] : document.parameters) {
    if (name == "components" && request_.wants_components()) {
      value = static_cast<std::int64_t>(request_.components);
    } else if (name == "epsilon") {
      value = made_.request().budget.epsilon;
    } else if (name == "delta") {
      value = made_.request().budget.delta;
    }
  }
  document.parameters.emplace_back("within_subspace",
                                   static_cast<std::int64_t>(made_.subspace().shape().subspace));
  document.parameters.emplace_back("subspace_share", made_.request().share);
  document.parameters.emplace_back("row_norm", facts_.bound.radius());
  document.parameters.emplace_back("units", std::string("scaled"));
  document.parameters.emplace_back("noise_sd_diagonal", made_.moment().product_sd());
  trusted::guarantee_of(document) = as_run(document.guarantee(), stream);
  return document;
}

/// Components and covariance inside of the subspace: post-processing of the noisy moment.
void WithinSubspacePlan::add_moment(ReleaseDocument& document, const Matrix& frame,
                                    const NoisyMoment& moment) const {
  const NoisyCovariance covariance = covariance_of(moment, Center::PublicMidpoint, Units::Scaled);
  const auto names = document.tables.front().column_names;
  document.result.emplace_back("noise_floor", covariance.reach.floor);
  if (request_.wants_components()) {
    PrincipalComponents components = components_within(frame, covariance, request_.components);
    add_variances(document, {components.explained_variance, components.noise_edge}, facts_.bound,
                  Units::Scaled);
    document.tables.push_back({"loadings", "private principal components inside the subspace",
                               "column", facts_.schema.columns,
                               component_names(request_.components),
                               std::move(components.loadings)});
  } else {
    document.tables.push_back({"covariance_inside",
                               "private second moment in the coordinates of the subspace",
                               "direction", names, names, covariance.psd});
    document.tables.push_back({"covariance_inside_raw",
                               "the same as noised, before the projection: may be indefinite",
                               "direction", names, names, covariance.raw});
  }
}

Result<std::unique_ptr<Plan>> SubspaceMethod::plan(const Request& request,
                                                   const PublicFacts& facts) const {
  return make_within_plan(request, facts.bound, *facts.rows)
      .map([&](WithinPlan&& made) -> std::unique_ptr<Plan> {
        return std::make_unique<WithinSubspacePlan>(request, facts, std::move(made));
      });
}

Result<Guarantee> SubspaceMethod::stated(const Request& request) const {
  return pair_within(request).and_then(
      [&](const ApproxDp& pair) { return WithinPlan::stated(pair, learning_share(request)); });
}

Result<PlanFacts> SubspaceMethod::outlook(const Request& request, const AssumedTable& table) const {
  return table.bound({})
      .and_then([&](const RowBound& bound) { return make_within_plan(request, bound, table.rows); })
      .map([&](const WithinPlan& plan) {
        const GroupShape& shape = plan.subspace().shape();
        const double gamma = plan.subspace().largest_gamma(0.1);
        const double sd = plan.moment().product_sd() / static_cast<double>(table.rows);
        Outlook outlook(request, "subspace", plan.guarantee(), table);
        outlook.json()["within_subspace"] = shape.subspace;
        outlook.json()["groups"] = shape.groups;
        outlook.json()["rows_per_group"] = shape.per_group;
        outlook.json()["largest_gamma"] = gamma;
        outlook.json()["noise_sd_diagonal"] = sd;
        outlook.line("subspace",
                     fmt::format("dimension {}, {} groups of {} rows, gamma below about {:.2g}",
                                 shape.subspace, shape.groups, shape.per_group, gamma));
        outlook.line("noise", fmt::format("standard deviation {:.4g} on a variance inside it", sd));
        return std::move(outlook).finish();
      });
}

}  // namespace

const Method& subspace_method() {
  static const SubspaceMethod method;
  return method;
}

}  // namespace eigenveil
