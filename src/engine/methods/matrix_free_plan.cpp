#include "engine/methods/matrix_free_plan.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/documents/matrix_free_document.hpp"
#include "engine/parameters.hpp"
#include "mechanism/matrix_free/matrix_free.hpp"

namespace eigenveil {
namespace {

/// Forming the matrix takes p² memory and p³ time; without it a pass takes p² time.
constexpr std::size_t kWorthForming = 4096;
constexpr std::int64_t kMostPasses = 64;

/// A pass over the rows for every block of vectors, or one draw from totals.
class MatrixFreeEnginePlan final : public Plan {
 public:
  MatrixFreeEnginePlan(Request request, PublicFacts facts, MatrixFreePlan made,
                       std::unique_ptr<Plan> formed)
      : asked_(std::move(request)),
        facts_(std::move(facts)),
        made_(std::move(made)),
        formed_(std::move(formed)) {}
  const Guarantee& guarantee() const override { return made_.guarantee(); }
  const PublicFacts& facts() const override { return facts_; }
  std::unique_ptr<Run> make_run(RandomStream& stream, int threads) const override {
    return std::make_unique<PassesRun>(*this, stream, threads);
  }

 private:
  class PassesRun final : public Run {
   public:
    PassesRun(const MatrixFreeEnginePlan& plan, RandomStream& stream, int threads)
        : plan_(plan), stream_(stream), threads_(threads) {}

    Result<void> take_rows(RowReader& rows) override {
      if (totals_) {
        return bad_request(kNoMixture);
      }
      return passes().add(rows);
    }

    Result<void> take_totals(const ExactGram& totals) override {
      if (plan_.formed_ == nullptr || passes_) {
        return bad_request(
            "totals that were made before hold the matrix: give {matrix formed} for them",
            "matrix");
      }
      if (!totals_) {
        totals_ = plan_.formed_->start(stream_, threads_);
      }
      return totals_->add(totals);
    }

    Result<bool> wants_rows_again() override {
      return totals_ ? totals_->wants_rows_again() : passes().end_pass();
    }

    Result<ReleaseDocument> finish() override {
      if (totals_) {
        return totals_->finish();
      }
      return matrix_free_document(plan_.made_, settings_of(plan_.asked_), plan_.facts_.schema,
                                  passes().finish());
    }

   private:
    MatrixFreeRun& passes() {
      if (!passes_) {  // only now: totals draw from the same stream
        passes_.emplace(plan_.made_, stream_, threads_);
      }
      return *passes_;
    }

    const MatrixFreeEnginePlan& plan_;
    RandomStream& stream_;
    int threads_;
    std::optional<MatrixFreeRun> passes_;
    std::unique_ptr<Run> totals_;
  };

  Request asked_;
  PublicFacts facts_;
  MatrixFreePlan made_;
  std::unique_ptr<Plan> formed_;
};

}  // namespace

std::vector<OptionSpec> matrix_options() {
  return {{.name = "matrix",
           .kind = OptionKind::Word,
           .sentence =
               "whether the noisy matrix is formed: free finds the components by exact passes over "
               "the rows, in memory for a few vectors; auto does above 4096 columns if the rows "
               "can be read again",
           .words = {"auto", "formed", "free"},
           .tasks = {Task::Components}},
          {.name = "passes",
           .kind = OptionKind::WholeNumber,
           .sentence = "how often the rows are read at most where no matrix is formed",
           .otherwise = kMostPasses,
           .tasks = {Task::Components}}};
}

Result<bool> without_matrix(const Request& request, const PublicFacts& facts) {
  const std::string matrix = request.options.value("matrix", std::string("auto"));
  if (request.task != Task::Components || matrix == "formed") {
    return false;
  }
  const bool correlation = request.options.flag("correlation");
  if (matrix == "auto") {
    return facts.read_again && !facts.counted && !facts.outside && !correlation &&
           facts.bound.dimension() > kWorthForming;
  }
  if (!facts.read_again) {
    return bad_request(
        "without a matrix the rows are read many times: give a regular file or an array", "matrix");
  }
  if (correlation) {
    return bad_request("{correlation} divides the matrix by its diagonal: it needs {matrix formed}",
                       "matrix");
  }
  if (facts.counted || facts.outside) {
    return bad_request(
        "{outside_norm}, {weights}, {missing pairwise}, and {person} under replace-one, need "
        "{matrix formed}",
        "matrix");
  }
  return true;
}

void add_matrix_lines(Outlook& outlook, const Request& request, const MomentPlan& plan,
                      std::int64_t rows) {
  const std::string matrix = request.options.value("matrix", std::string("auto"));
  const std::size_t p = plan.bound().dimension();
  if (request.task != Task::Components || plan.noise().law != NoiseLaw::Gaussian ||
      matrix == "formed" || (matrix == "auto" && p <= kWorthForming)) {
    return;
  }
  // A direction shows above half of the noise's edge, sqrt(2 p) sigma / n.
  const double radius = plan.bound().radius();
  const double share = std::sqrt(static_cast<double>(p) / 2.0) * plan.product_sd() /
                       (static_cast<double>(rows) * radius * radius);
  outlook.json()["matrix"] = "free";
  outlook.json()["detectable_share"] = share;
  outlook.line("matrix",
               "never formed, where the rows can be read again: exact passes over them, in "
               "memory for a few vectors");
  outlook.line(
      "share",
      fmt::format("a component shows once it holds {:.3g} of the squared row norm", share));
}

Result<std::unique_ptr<Plan>> matrix_free_plan(const Request& request, const PublicFacts& facts,
                                               std::unique_ptr<Plan> formed) {
  const MatrixFreeRequest asked{
      {facts.bound, *request.budget, request.relation,
       request.private_mean() ? Extension::Full : Extension::Count, request.group_size},
      request.private_mean() ? Center::PrivateMean : Center::PublicMidpoint,
      request.units,
      request.components,
      static_cast<int>(request.options.value("passes", kMostPasses))};
  return MatrixFreePlan::make(asked).map([&](MatrixFreePlan&& made) -> std::unique_ptr<Plan> {
    return std::make_unique<MatrixFreeEnginePlan>(request, facts, std::move(made),
                                                  std::move(formed));
  });
}

}  // namespace eigenveil
