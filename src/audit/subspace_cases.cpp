#include "audit/subspace_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mechanism/moment/symmetric_noise.hpp"
#include "mechanism/oja/oja.hpp"
#include "mechanism/spiked/gap_projector.hpp"
#include "mechanism/spiked/spiked.hpp"

namespace eigenveil {
namespace {

constexpr double kMutantNoise = 0.9;
constexpr double kGap = 60.0;  ///< in units of R²: the projector's lemma is within 2% of tight

double noise_factor(SubspaceMutant mutant) {
  return mutant == SubspaceMutant::NoiseTooSmall ? kMutantNoise : 1.0;
}

/// Two dimensions, rows along the axes: `first` and `second` rows on each.
ExactGram axis_gram(double norm, int along_first, int along_second) {
  Schema schema{{"x", "y"}};
  // Room for a row that clipping should have shortened, on the same grid.
  const double room = std::max(1.0, norm);
  const auto grid = static_cast<std::int64_t>(room * static_cast<double>(RowBound::kDefaultMaxAbs));
  GramAccumulator accumulator(schema, *RowBound::row_norm(2, room, grid), 1);
  for (int i = 0; i < along_first + along_second; ++i) {
    const double row[2] = {i < along_first ? norm : 0.0, i < along_first ? 0.0 : norm};
    static_cast<void>(accumulator.add(row, 1));
  }
  return *accumulator.finish();
}

Result<GapPlan> robust_plan(const SubspaceAudit& request, Relation relation) {
  return RowBound::row_norm(2, 1.0).and_then([&](const RowBound& bound) {
    return GapPlan::make({bound, Units::Scaled, request.budget, relation, 1, 0.2});
  });
}

/// add-remove: no row against one. replace-one: a row on the first axis becomes one on the second,
/// with enough rows before it that the order of the axes stays.
Result<AuditCase> gap_case(const SubspaceAudit& request, SubspaceMutant mutant) {
  const Result<GapPlan> plan = robust_plan(request, request.relation);
  if (!plan) {
    return error_of(plan);
  }
  const Relation run_relation =
      mutant == SubspaceMutant::RelationFactorMissing ? Relation::AddRemove : request.relation;
  const Result<GapPlan> run = robust_plan(request, run_relation);
  if (!run) {
    return error_of(run);
  }
  const double norm = mutant == SubspaceMutant::ClippingSkipped ? 2.0 : 1.0;
  const bool replaced = request.relation == Relation::ReplaceOne;
  const auto first = std::make_shared<ExactGram>(axis_gram(norm, replaced ? 4 : 1, 0));
  const auto second =
      std::make_shared<ExactGram>(axis_gram(norm, replaced ? 3 : 0, replaced ? 1 : 0));
  const double factor = noise_factor(mutant);
  const auto statistic = [plan = *run, factor](std::shared_ptr<ExactGram> gram) {
    // A smaller noise is a larger signal: the exact gap is scaled in its place.
    return [plan, factor, gram](RandomStream& stream) {
      const double released = plan.run(*gram, stream).value().gap_lower;
      if (factor == 1.0) {
        return released;
      }
      const SampleCovariance sample = SampleCovariance::of(*gram, Units::Scaled);
      const Vector values = sample.eigenvalues();
      const double gap = static_cast<double>(sample.rows()) * (values[0] - values[1]);
      return gap + factor * (released - gap);
    };
  };
  return AuditCase{fmt::format("{}: {}", name_of(request.part), name_of(mutant)),
                   GaussianDp{plan->mu_gap()}, statistic(first), statistic(second)};
}

/// Likelihood ratio of two matrices under isotropic symmetric noise.
AuditCase matrix_case(std::string name, double mu, const Matrix& first, const Matrix& second,
                      double sd) {
  const SymmetricNoise noise = symmetric_noise(sd);
  const Matrix direction = (first - second) / (sd * sd);
  const Matrix middle = 0.5 * (first + second);
  const auto statistic = [=](const Matrix& matrix) {
    return [=](RandomStream& stream) {
      return (add_symmetric_noise(matrix, noise, stream) - middle).cwiseProduct(direction).sum();
    };
  };
  return {std::move(name), GaussianDp{mu}, statistic(first), statistic(second)};
}

Matrix axis_projector(double angle) {
  const Eigen::Vector2d axis(std::cos(angle), std::sin(angle));
  return axis * axis.transpose();
}

Result<AuditCase> robust_projector_case(const SubspaceAudit& request, SubspaceMutant mutant) {
  const Result<GapPlan> plan = robust_plan(request, request.relation);
  if (!plan) {
    return error_of(plan);
  }
  const double vouched = mutant == SubspaceMutant::ConfidenceDropped ? 2.0 * kGap : kGap;
  const std::optional<double> sd = plan->projector_sd(vouched);
  if (!sd) {
    return bad_request("the budget is too small for this attack; spend more");
  }
  // A row of norm R at the worst angle turns the axis by asin(R²/gap)/2; a replaced one by twice
  // that, half to each side.
  const double reach = mutant == SubspaceMutant::ClippingSkipped ? 4.0 : 1.0;
  const double turn = 0.5 * std::asin(reach / kGap);
  const double start = request.relation == Relation::ReplaceOne ? -turn : 0.0;
  return matrix_case(fmt::format("{}: {}", name_of(request.part), name_of(mutant)),
                     plan->mu_projector(), axis_projector(start), axis_projector(turn),
                     *sd * noise_factor(mutant));
}

Result<AuditCase> spiked_projector_case(const SubspaceAudit& request, SubspaceMutant mutant) {
  SpikedRequest spiked;
  spiked.rows = 3000;
  spiked.dimension = 20;
  spiked.noise_variance = 1.0;
  spiked.spike = 10.0;
  spiked.row_radius = 30.0;
  spiked.budget = request.budget;
  const Result<SpikedPlan> plan = SpikedPlan::make(spiked);
  if (!plan) {
    return error_of(plan);
  }
  const double change = projector_sensitivity(plan->model(), spiked.constants);
  const double mu = plan->mu_of("projector");
  const Result<double> sd = symmetric_noise_sd(change, mu, spiked.dimension);
  if (!sd) {
    return error_of(sd);
  }
  const double turn = std::asin(change / std::sqrt(2.0));
  return matrix_case(fmt::format("{}: {}", name_of(request.part), name_of(mutant)), mu,
                     axis_projector(0.0), axis_projector(turn), *sd * noise_factor(mutant));
}

/// One column, one row of norm R against the zero row: the batch is w R² + noise, w = 1 or -1
/// known.
Result<AuditCase> oja_case(const SubspaceAudit& request, SubspaceMutant mutant) {
  const Result<OjaPlan> plan = OjaPlan::make({1.0, 1, 1, {}, request.budget, Relation::ZeroRow});
  if (!plan) {
    return error_of(plan);
  }
  const double norm = mutant == SubspaceMutant::ClippingSkipped ? 2.0 : 1.0;
  const double factor = noise_factor(mutant);
  const auto statistic = [plan = std::make_shared<OjaPlan>(*plan), factor](double row) {
    return [plan, factor, row](RandomStream& stream) {
      OjaPass pass(*plan, stream);
      const double start = pass.direction()[0];
      pass.add(Vector::Constant(1, row));
      const double exact = row * row * start;
      return start * (exact + factor * (pass.running()[0] - exact));
    };
  };
  const double mu = std::get<GaussianDp>(plan->guarantee().loss).mu;
  return AuditCase{fmt::format("{}: {}", name_of(request.part), name_of(mutant)), GaussianDp{mu},
                   statistic(norm), statistic(0.0)};
}

}  // namespace

std::string_view name_of(SubspaceMutant mutant) {
  switch (mutant) {
    case SubspaceMutant::None:
      return "as shipped";
    case SubspaceMutant::NoiseTooSmall:
      return "mutant: noise x 0.9";
    case SubspaceMutant::RelationFactorMissing:
      return "mutant: relation factor missing";
    case SubspaceMutant::ClippingSkipped:
      return "mutant: clipping skipped";
    case SubspaceMutant::ConfidenceDropped:
      return "mutant: noise for twice the gap";
  }
  return "unknown";
}

std::string_view name_of(SubspacePart part) {
  switch (part) {
    case SubspacePart::RobustGap:
      return "gap";
    case SubspacePart::RobustProjector:
      return "projector";
    case SubspacePart::OjaBatch:
      return "batch";
    case SubspacePart::SpikedProjector:
      return "projector at its sensitivity";
  }
  return "unknown";
}

double excess_factor(SubspacePart part, SubspaceMutant mutant) {
  // The projector's lemma is not tight by up to 2% (kGap).
  const double tightness = part == SubspacePart::RobustProjector ? 0.98 : 1.0;
  switch (mutant) {
    case SubspaceMutant::NoiseTooSmall:
      return tightness / kMutantNoise;
    case SubspaceMutant::ClippingSkipped:
      return tightness * 4.0;  // twice the norm, four times the square
    case SubspaceMutant::RelationFactorMissing:
    case SubspaceMutant::ConfidenceDropped:
      return tightness * 2.0;
    case SubspaceMutant::None:
      break;
  }
  return tightness;
}

std::vector<SubspaceMutant> subspace_mutants(const SubspaceAudit& request) {
  std::vector<SubspaceMutant> mutants = {SubspaceMutant::NoiseTooSmall};
  if (request.part != SubspacePart::SpikedProjector) {
    mutants.push_back(SubspaceMutant::ClippingSkipped);
  }
  if (request.part == SubspacePart::RobustGap && request.relation == Relation::ReplaceOne) {
    mutants.push_back(SubspaceMutant::RelationFactorMissing);
  }
  if (request.part == SubspacePart::RobustProjector) {
    mutants.push_back(SubspaceMutant::ConfidenceDropped);
  }
  return mutants;
}

Result<AuditCase> subspace_case(const SubspaceAudit& request, SubspaceMutant mutant) {
  switch (request.part) {
    case SubspacePart::RobustGap:
      return gap_case(request, mutant);
    case SubspacePart::RobustProjector:
      return robust_projector_case(request, mutant);
    case SubspacePart::OjaBatch:
      return oja_case(request, mutant);
    default:
      return spiked_projector_case(request, mutant);
  }
}

}  // namespace eigenveil
