#include "audit/spiked_cases.hpp"

#include <cmath>
#include <memory>

#include "mechanism/moment/symmetric_noise.hpp"
#include "mechanism/spiked/spiked.hpp"
#include "random/normal.hpp"

namespace eigenveil::detail {
namespace {

constexpr std::uint64_t kTableSeed = 1;  ///< of made-up rows, not of noise
constexpr std::size_t kReplaced = 17;

SpikedRequest request_for(const Budget& budget, Eigen::Index rows, double spike) {
  SpikedRequest request;
  request.rows = rows;
  request.dimension = 20;
  request.noise_variance = 1.0;
  request.spike = spike;
  request.budget = budget;
  const SpikedModel model{rows, 20, 1, 1.0, spike, 1.0};
  request.row_radius = std::sqrt(model_radius_squared(model, request.constants));
  return request;
}

/// Gaussian rows with covariance diag(spike + 1, 1, ...), row after row.
std::vector<double> model_rows(const SpikedRequest& request) {
  RandomStream stream = RandomStream::seeded(kTableSeed);
  std::vector<double> cells(static_cast<std::size_t>(request.rows * request.dimension));
  fill_standard_normal(stream, cells);
  for (std::size_t i = 0; i < cells.size(); i += static_cast<std::size_t>(request.dimension)) {
    cells[i] *= std::sqrt(*request.spike + 1.0);
  }
  return cells;
}

Result<SampleCovariance> covariance_of_rows(const SpikedRequest& request,
                                            const std::vector<double>& cells) {
  const auto p = static_cast<std::size_t>(request.dimension);
  return RowBound::row_norm(p, request.row_radius).and_then([&](const RowBound& bound) {
    GramAccumulator accumulator(Schema::numbered(p), bound, 1);
    return accumulator.add(MatrixView::row_major(cells.data(), cells.size() / p, p))
        .and_then([&] { return accumulator.finish(); })
        .map([](const ExactGram& gram) { return SampleCovariance::of(gram, Units::Original); });
  });
}

}  // namespace

Result<SpikedParts> spiked_parts(const Budget& budget) {
  const Result<SpikedPlan> plan = SpikedPlan::make(request_for(budget, 3000, 10.0));
  if (!plan) {
    return error_of(plan);
  }
  SpikedParts parts;
  parts.change = projector_sensitivity(plan->model(), plan->request().constants);
  parts.mu = plan->mu_of("projector");
  return symmetric_noise_sd(parts.change, parts.mu, plan->request().dimension).map([&](double sd) {
    parts.sd = sd;
    return parts;
  });
}

Result<Attack> spiked_outside(const Budget& budget) {
  const SpikedRequest request = request_for(budget, 2000, 1000.0);
  const Result<SpikedPlan> plan = SpikedPlan::make(request);
  std::vector<double> cells = model_rows(request);
  const Result<SampleCovariance> without = covariance_of_rows(request, cells);
  const auto start = kReplaced * static_cast<std::size_t>(request.dimension);
  for (std::size_t j = 0; j < static_cast<std::size_t>(request.dimension); ++j) {
    cells[start + j] = j < 2 ? request.row_radius / std::sqrt(2.0) : 0.0;
  }
  const Result<SampleCovariance> with = covariance_of_rows(request, cells);
  if (!plan || !with || !without) {
    return plan ? error_of(with ? without : with) : error_of(plan);
  }
  // How far the released axis leans towards the second one.
  const auto statistic = [plan = *plan](const SampleCovariance& sample) {
    return [plan, sample](RandomStream& stream) {
      const SpikedResult released = plan.run(sample, stream).value();
      return released.frame(1, 0) / released.frame(0, 0);
    };
  };
  Attack made;
  made.attack = {"row 17 of 2000 at 45 degrees, within the clip radius", plan->guarantee().loss,
                 statistic(*with), statistic(*without)};
  made.kind = AttackKind::Outside;
  made.most_runs = 4000;
  return made;
}

}  // namespace eigenveil::detail
