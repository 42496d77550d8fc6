#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/exact_pass.hpp"
#include "cli/methods/method.hpp"
#include "cli/methods/planned_spectrum.hpp"
#include "cli/methods/spectral_document.hpp"
#include "cli/options/checks.hpp"
#include "cli/summary.hpp"
#include "eigenveil/mechanism/gap_projector.hpp"
#include "eigenveil/mechanism/oja.hpp"
#include "eigenveil/random/chi_square.hpp"
#include "eigenveil/random/haar.hpp"
#include "eigenveil/random/normal.hpp"

namespace eigenveil::cli {
namespace {

/// oja: one component, one pass over a stream.
class OjaMethod final : public Method {
 public:
  std::string name() const override { return "oja"; }
  std::string budgets() const override {
    return "(epsilon, delta), rho, mu; one component, replace-one or zero-row";
  }
  bool serves(Task task) const override { return task == Task::Components; }
  void declare(CLI::App& app) override {
    constexpr const char* kGroup = "Method oja";
    app.add_option("--batch", batch_, "rows per step (default 1000)")
        ->check(whole_number(1))
        ->group(kGroup);
    app.add_option("--contribution", contribution_,
                   "shorten a row's contribution x (x . w) to this norm (default: the squared row "
                   "norm)")
        ->group(kGroup);
  }
  std::string option_given() const override {
    return contribution_ ? "--contribution" : (batch_ != kDefaultBatch ? "--batch" : "");
  }
  Outcome release(const ReleaseRequest& request) const override;
  Outcome plan(const PlanRequest& request) const override;
  std::optional<PredictedError> predicted_error(const AssumedSetting& setting) const override;

 private:
  Result<OjaPlan> oja_plan(const Request& what, const RowBound& bound) const;

  static constexpr std::size_t kDefaultBatch = 1000;
  std::size_t batch_ = kDefaultBatch;
  std::optional<double> contribution_;
};

Result<OjaPlan> OjaMethod::oja_plan(const Request& what, const RowBound& bound) const {
  if (const Result<void> checked = check_subspace_request(what, "oja"); !checked) {
    return error_of(checked);
  }
  if (what.components != 1) {
    return bad_request("method oja finds one component; give -k 1");
  }
  const Result<Budget> budget = what.budget.budget();
  if (!budget) {
    return error_of(budget);
  }
  return what.budget.relation().and_then([&](Relation relation) {
    return OjaPlan::make({row_radius(bound, what.units()), bound.dimension(), batch_, contribution_,
                          *budget, relation, what.budget.group_size});
  });
}

/// Rows in the order of the file: clipped, rounded, and seen once.
Result<std::size_t> stream_rows(RowReader& reader, const RowBound& bound, const Vector& scale,
                                OjaPass& pass) {
  RawRows block;
  std::size_t count = 0;
  while (true) {
    if (const Result<void> read = reader.read(block); !read) {
      return error_of(read);
    }
    if (block.rows == 0) {
      return count;
    }
    const BoundedRows rows = BoundedRows::clip(bound, block.values.data(), block.rows);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const Eigen::Map<const Vector> steps(rows.values().data() + i * rows.dimension(),
                                           static_cast<Eigen::Index>(rows.dimension()));
      pass.add(steps.cwiseProduct(scale));
    }
    count += rows.rows();
  }
}

Outcome OjaMethod::release(const ReleaseRequest& request) const {
  if (request.input.is_gram()) {
    return bad_request("method oja sees rows one by one; a .gram file has none");
  }
  Result<ExactPass> pass = ExactPass::open(request.input, request.what.bounds);
  if (!pass) {
    return error_of(pass);
  }
  const Result<OjaPlan> plan = oja_plan(request.what, pass->bound());
  if (!plan) {
    return error_of(plan);
  }
  if (const Result<void> writable = request.output.check_writable(); !writable) {
    return error_of(writable);
  }
  const std::unique_ptr<RowReader> reader = pass->take_reader(request.output.is_quiet());
  RandomStream stream = request.output.stream();
  OjaPass oja(*plan, stream);
  const Vector scale = pass->bound().unit() * column_scales(pass->bound(), request.what.units());
  const Result<std::size_t> count = stream_rows(*reader, pass->bound(), scale, oja);
  if (!count) {
    return error_of(count);
  }
  const Release<Vector> release = oja.finish();
  ReleaseDocument document =
      spectral_document(request.what, "oja", release.guarantee(), pass->bound(), pass->schema());
  document.parameters.emplace_back("batch", static_cast<std::int64_t>(batch_));
  document.parameters.emplace_back("sensitivity_of_a_batch", plan->sensitivity());
  document.result.emplace_back("rows", static_cast<double>(*count));
  document.result.emplace_back("batch_noise_sd", plan->noise_sd());
  add_loadings(document, pass->schema(), release.value());
  return publish(document, request.output,
                 {request.input.display_name(),
                  describe_bound(pass->bound()),
                  {fmt::format("  noise       standard deviation {:.4g} on every entry of a "
                               "batch's sum, batches of {} rows",
                               plan->noise_sd(), batch_)}});
}

/// 2 (p - 1) sd² (4 / 3T) / (B (l1 - l2))²: noise of T batches with growing weights, first order.
double oja_error(const OjaPlan& plan, double rows, const Vector& spectrum) {
  const auto batch = static_cast<double>(plan.request().batch);
  const double steps = std::max(1.0, rows / batch);
  const double gap = spectrum[0] - (spectrum.size() > 1 ? spectrum[1] : 0.0);
  const double noise = plan.noise_sd() / (std::min(batch, rows) * gap);
  return 2.0 * std::min(1.0, static_cast<double>(spectrum.size() - 1) * noise * noise * 4.0 /
                                 (3.0 * steps));
}

Outcome OjaMethod::plan(const PlanRequest& request) const {
  return plan_for_spectrum(
      request, [&](const RowBound& bound) { return oja_plan(request.what, bound); },
      [&](const OjaPlan& plan, const Vector& spectrum) {
        nlohmann::ordered_json facts = plan_head(request, "oja", plan.guarantee());
        facts["sensitivity_of_a_batch"] = plan.sensitivity();
        facts["batch_noise_sd"] = plan.noise_sd();
        if (spectrum.size() > 0) {
          facts["predicted_error_f2"] =
              oja_error(plan, static_cast<double>(request.rows), spectrum);
        }
        if (request.json) {
          fmt::print("{}\n", facts.dump(2));
          return;
        }
        fmt::print("Plan for pca by method oja: {} rows, {} columns (no data was read)\n",
                   request.rows, plan.request().dimension);
        fmt::print("  guarantee   {}\n  in words    {}\n", facts["guarantee"].get<std::string>(),
                   facts["in_words"].get<std::string>());
        fmt::print("  noise       standard deviation {:.4g} on every entry of a batch's sum\n",
                   plan.noise_sd());
        if (facts.contains("predicted_error_f2")) {
          fmt::print("  error       |UU' - VV'|_F^2 from the noise about {:.4g}\n",
                     facts["predicted_error_f2"].get<double>());
        }
      });
}

/// Sum of x (x . w) over `rows` Gaussian rows with this spectrum, in O(p): the scores z = x . w are
/// normal with variance w'Dw; given them, Σ x z = |z|² Dw / w'Dw + |z| N(0, D - Dw w'D / w'Dw).
Vector made_up_batch(const Vector& spectrum, const Vector& direction, double rows,
                     RandomStream& stream) {
  const Vector image = spectrum.cwiseProduct(direction);
  const double variance = std::max(direction.dot(image), 1e-300);
  const double scores = variance * chi_square(stream, rows);
  Vector normal(spectrum.size());
  fill_standard_normal(stream, {normal.data(), static_cast<std::size_t>(normal.size())});
  const Vector row = spectrum.cwiseSqrt().cwiseProduct(normal);
  const Vector rest = row - image * (row.dot(direction) / variance);
  return image * (scores / variance) + std::sqrt(scores) * rest;
}

/// The pass on made-up batches: the same weights as OjaPass, contributions not cut.
Matrix tried_direction(const OjaPlan& plan, Eigen::Index rows, const Vector& spectrum,
                       RandomStream& stream) {
  const auto batch = static_cast<Eigen::Index>(plan.request().batch);
  Vector direction = haar_frame(stream, spectrum.size(), 1);
  Vector running = Vector::Zero(spectrum.size());
  Vector noise(spectrum.size());
  for (Eigen::Index done = 0, step = 1; done < rows; done += batch, ++step) {
    const auto size = static_cast<double>(std::min(batch, rows - done));
    fill_standard_normal(stream, {noise.data(), static_cast<std::size_t>(noise.size())});
    running += static_cast<double>(step) *
               (made_up_batch(spectrum, direction, size, stream) + plan.noise_sd() * noise);
    direction = running.normalized();
  }
  return direction;
}

std::optional<PredictedError> OjaMethod::predicted_error(const AssumedSetting& setting) const {
  if (setting.components != 1) {
    return std::nullopt;
  }
  const Relation relation =
      setting.relation == Relation::AddRemove ? Relation::ReplaceOne : setting.relation;
  const Result<OjaPlan> plan =
      OjaPlan::make({setting.bound.radius(), setting.bound.dimension(), batch_, contribution_,
                     setting.budget, relation, setting.group_size});
  if (!plan) {
    return PredictedError{0.0, relation, Basis::ProvedRealArithmetic, plan.error().message, false};
  }
  return PredictedError{
      oja_error(*plan, static_cast<double>(setting.rows), setting.spectrum),
      relation,
      Basis::ProvedRealArithmetic,
      "one pass over a stream in little memory",
      true,
      [plan = *plan, rows = setting.rows, spectrum = setting.spectrum](const Matrix& /*moment*/,
                                                                       RandomStream& stream) {
        return std::optional<Matrix>(tried_direction(plan, rows, spectrum, stream));
      }};
}

}  // namespace

std::unique_ptr<Method> oja_method() {
  return std::make_unique<OjaMethod>();
}

}  // namespace eigenveil::cli
