// A mechanism of one's own, in one file: the mean square of every column, without the products of
// columns, which `gauss` would release too. Registered, it is planned, run and published like the
// library's own methods.
#include <cmath>
#include <eigenveil/eigenveil.hpp>
#include <eigenveil/mechanism.hpp>
#include <iostream>

using namespace eigenveil;

namespace {

/// One row v of grid integers adds (R², v_1², ..., v_p²) to what is released, R² the bound on |v|².
/// Its length is at most sqrt(R⁴ + (v_1² + ... + v_p²)²) <= sqrt(2) R²: the l2 sensitivity under
/// add-remove. Gaussian noise of standard deviation sqrt(2) R² / mu, rounded exactly to whole grid
/// units, is therefore mu-GDP.
class MeanSquarePlan {
 public:
  static Result<MeanSquarePlan> make(const Request& request, const PublicFacts& facts) {
    if (request.relation != Relation::AddRemove || request.group_size != 1) {
      return bad_request("method mean-square knows {neighbours add-remove} and one row per person");
    }
    return gaussian_budget(*request.budget).and_then([&](GaussianDp budget) {
      return with_noise(request, facts, budget);
    });
  }

  const Guarantee& guarantee() const { return guarantee_; }
  double noise_sd() const { return sigma_; }

  /// Noisy row count, then noisy sums of squares, in grid units.
  Release<Vector> run(const ExactGram& gram, RandomStream& stream) const {
    const GramTotals& totals = trusted::totals(gram);
    std::vector<Int128> sums = {static_cast<Int128>(totals.count) * facts_.bound.norm2_bound()};
    for (std::size_t j = 0; j < gram.dimension(); ++j) {
      sums.push_back(totals.products[triangle_index(j, j)]);
    }
    const std::vector<double> offsets(sums.size(), 0.0);
    std::vector<std::int64_t> noise(sums.size());
    round_with_gaussian(stream, sigma_, offsets, noise);
    Vector noisy(static_cast<Eigen::Index>(sums.size()));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      noisy(static_cast<Eigen::Index>(i)) = static_cast<double>(sums[i] + noise[i]);
    }
    return trusted::assume_released(std::move(noisy), as_run(guarantee_, stream), "mean-square");
  }

  /// Post-processing: mean squares in the units of the table, about its public midpoints.
  ReleaseDocument document(const Release<Vector>& release) const {
    const RowBound& bound = facts_.bound;
    const Vector& noisy = release.value();
    const double count = std::max(1.0, noisy(0) / static_cast<double>(bound.norm2_bound()));
    Matrix squares(noisy.size() - 1, 1);
    for (Eigen::Index j = 0; j < squares.rows(); ++j) {
      const double scale = bound.unit() * bound.half_width(static_cast<std::size_t>(j));
      squares(j, 0) = noisy(j + 1) / count * scale * scale;
    }
    ReleaseDocument document(release);
    document.task = "covariance";
    document.requested = requested_;
    document.parameters = {{"columns", facts_.schema.columns}, {"row_norm", bound.radius()}};
    document.result = {{"noisy_rows", count}, {"noise_sd_in_grid_units", sigma_}};
    document.tables.push_back({"mean_squares",
                               "private mean square of every column",
                               "column",
                               facts_.schema.columns,
                               {"mean_square"},
                               squares});
    return document;
  }

 private:
  static Result<MeanSquarePlan> with_noise(const Request& request, const PublicFacts& facts,
                                           GaussianDp budget) {
    // A little up: a few roundings of doubles must not make the noise too small.
    const double sigma =
        std::sqrt(2.0) * static_cast<double>(facts.bound.norm2_bound()) / budget.mu * (1.0 + 1e-12);
    if (sigma < 1.0 || sigma > 0x1p40) {
      return bad_request("no grid fits this budget: choose another {grid}", "grid");
    }
    MeanSquarePlan plan{facts, *request.budget};
    plan.sigma_ = sigma;
    plan.guarantee_ = {
        request.relation, budget, Basis::Proved, {"the proof in own_mechanism.cpp"}, true};
    return plan;
  }

  MeanSquarePlan(PublicFacts facts, Budget requested)
      : facts_(std::move(facts)), requested_(requested) {}

  PublicFacts facts_;
  Budget requested_;
  double sigma_ = 0.0;
  Guarantee guarantee_;
};

class MeanSquareMethod final : public Method {
 public:
  const MethodInfo& info() const override {
    static const MethodInfo kInfo{.name = "mean-square",
                                  .sentence = "Gaussian noise on the sums of squares alone",
                                  .budgets = "(epsilon, delta), rho, mu",
                                  .tasks = {Task::Covariance}};
    return kInfo;
  }
  Result<std::unique_ptr<Plan>> plan(const Request& request,
                                     const PublicFacts& facts) const override {
    return MeanSquarePlan::make(request, facts).map([&](MeanSquarePlan&& made) {
      return gram_plan(facts, std::move(made), [](const MeanSquarePlan& plan, const auto& release) {
        return plan.document(release);
      });
    });
  }
  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override {
    return table.bound({})
        .and_then([&](const RowBound& bound) {
          return MeanSquarePlan::make(request, {table.schema, bound});
        })
        .map([](const MeanSquarePlan& plan) {
          const std::string sd = std::to_string(plan.noise_sd());
          return PlanFacts{"{\"noise_sd_in_grid_units\": " + sd + "}",
                           "Private mean squares",
                           {{"noise", "standard deviation " + sd + " grid units"}}};
        });
  }
};

}  // namespace

int main() {
  static const MeanSquareMethod own;
  if (!register_method(own)) {
    return 1;
  }
  const Matrix people = Matrix::Random(20000, 4);
  Request request;
  request.task = Task::Covariance;
  request.method = "mean-square";
  request.budget = GaussianDp{1.0};
  RandomStream stream = RandomStream::secure();
  const Result<ReleaseDocument> document =
      RowBound::ranges(std::vector<ColumnRange>(4, {-1.0, 1.0}))
          .and_then([&](const RowBound& bound) {
            return plan(request, {Schema::numbered(4), bound});
          })
          .and_then([&](const auto& planned) { return release(*planned, people, stream); });
  if (!document) {
    std::cerr << in_words(document.error()) << '\n';
    return 1;
  }
  std::cout << in_words(document->guarantee()) << '\n'
            << document->array("mean_squares")->value() << '\n';
  return write_release(*document, TableFormat::Csv, "own") ? 0 : 1;
}
