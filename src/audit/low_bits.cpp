#include "audit/low_bits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "mechanism/exponential/exponential.hpp"
#include "mechanism/orbit/orbit.hpp"
#include "sampling/orbit.hpp"

namespace eigenveil {
namespace {

using Statistic = std::function<double(const ExactGram&, RandomStream&)>;

constexpr double kEigenvalue = 2.0 - 0x1p-39;  ///< a whole number of steps on every grid used here
constexpr double kMutantStep = 0x1p-45;

OrbitRequest request_of(const LowBitsAudit& audited) {
  return {*RowBound::row_norm(2, 1.0), Vector::Ones(2), PureDp{audited.epsilon}, audited.relation};
}

/// Where the row count is public the row that is missing is a zero row.
ExactGram table(const LowBitsAudit& audited, bool with_row) {
  const RowBound bound = request_of(audited).bound;
  std::vector<double> rows = {std::cos(0.3), std::sin(0.3), 0.5, 0.1};
  if (with_row) {
    rows.insert(rows.end(), {std::cos(0.85), std::sin(0.85)});
  } else if (row_count_is_public(audited.relation)) {
    rows.insert(rows.end(), {0.0, 0.0});
  }
  Schema schema;
  schema.columns = {"x", "y"};
  GramAccumulator accumulator(schema, bound, 1);
  static_cast<void>(accumulator.add(MatrixView::row_major(rows.data(), rows.size() / 2, 2)));
  return accumulator.finish().value();
}

/// The last four bits of a number that is released as a multiple of `step`.
double last_digit(double value, double step) {
  return std::fmod(std::abs(std::nearbyint(value / step)), 16.0);
}

double matrix_statistic(const ComplexMatrix& h, LowBits attacked, double step) {
  switch (attacked) {
    case LowBits::Trace:
      return (h(0, 0).real() + h(1, 1).real() - kEigenvalue) / step;
    case LowBits::RankResidual:
      return (h(0, 0).real() * h(1, 1).real() - std::norm(h(0, 1))) / step;
    default:
      return last_digit(h(0, 0).real(), step);
  }
}

Result<Statistic> matrix_attack(const LowBitsAudit& audited) {
  return OrbitPlan::make(request_of(audited), Vector::Constant(1, kEigenvalue))
      .map([&](const OrbitPlan& plan) -> Statistic {
        return [plan, attacked = audited.attacked](const ExactGram& gram, RandomStream& stream) {
          const ComplexMatrix h = plan.run(gram, stream)->value().matrix;
          return matrix_statistic(h, attacked, orbit_step(plan.spectrum(), plan.blur()));
        };
      });
}

Result<Statistic> direction_attack(const LowBitsAudit& audited) {
  const OrbitRequest request = request_of(audited);
  return plan_exponential({request.bound, request.scales, request.budget, request.relation})
      .map([&](const ExponentialPlan& plan) -> Statistic {
        return [plan, digit = audited.attacked == LowBits::LastDigitOfDirection](
                   const ExactGram& gram, RandomStream& stream) {
          const Matrix u = plan.run(gram, stream)->value().frame;
          constexpr double kStep = 0x1p-30;  // of round_frame
          return digit ? last_digit(u(0, 0), kStep) : (u.squaredNorm() - 1.0) / kStep;
        };
      });
}

AuditCase case_of(const LowBitsAudit& audited, std::string name, Statistic on_first,
                  Statistic on_second) {
  const auto run_on = [&](bool with_row, Statistic statistic) {
    return [gram = table(audited, with_row), statistic = std::move(statistic)](
               RandomStream& stream) { return statistic(gram, stream); };
  };
  return {std::move(name), PureDp{audited.epsilon}, run_on(true, std::move(on_first)),
          run_on(false, std::move(on_second))};
}

/// A draw that is rounded and no more; `length` of the vectors a solver returned.
Statistic rounded_trace(const OrbitPlan& plan, double length) {
  return [plan, length](const ExactGram& gram, RandomStream& stream) {
    const HermitianMoment moment(gram, plan.request().scales, RowField::Real);
    const OrbitSampler sampler =
        *OrbitSampler::make({moment.eigenvalues(), Vector::Ones(1), plan.exponent() * kEigenvalue});
    const ComplexMatrix v = length * moment.rotate(sampler.draw(stream));
    double steps = -kEigenvalue / kMutantStep;
    for (const Eigen::Index i : {0, 1}) {
      steps += std::nearbyint(kEigenvalue * std::norm(v(i, 0)) / kMutantStep);
    }
    return steps;
  };
}

}  // namespace

std::string_view name_of(LowBits attacked) {
  switch (attacked) {
    case LowBits::Trace:
      return "trace";
    case LowBits::RankResidual:
      return "rank residual";
    case LowBits::LastDigit:
      return "last digit";
    case LowBits::NormResidual:
      return "norm residual";
    case LowBits::LastDigitOfDirection:
      return "last digit of a direction";
  }
  return "unknown";
}

Result<AuditCase> low_bits_case(const LowBitsAudit& request) {
  const bool direction = request.attacked == LowBits::NormResidual ||
                         request.attacked == LowBits::LastDigitOfDirection;
  return (direction ? direction_attack(request) : matrix_attack(request))
      .map([&](const Statistic& statistic) {
        return case_of(request, fmt::format("low bits: {}, as shipped", name_of(request.attacked)),
                       statistic, statistic);
      });
}

Result<AuditCase> rounded_trace_mutant(const LowBitsAudit& request) {
  return OrbitPlan::make(request_of(request), Vector::Constant(1, kEigenvalue))
      .map([&](const OrbitPlan& plan) {
        return case_of(request, "low bits: mutant, H rounded only",
                       rounded_trace(plan, 1.0 + 0x1p-52), rounded_trace(plan, 1.0 - 0x1p-52));
      });
}

Result<std::vector<Attack>> low_bits_attacks(const AuditRequest& request) {
  const auto* pure = std::get_if<PureDp>(&request.budget);
  if (pure == nullptr) {
    return bad_request("low-bits attacks pure epsilon: give {epsilon} alone", "epsilon");
  }
  std::vector<Attack> attacks;
  for (const LowBits attacked : kLowBits) {
    const LowBitsAudit audited{pure->epsilon, request.setting.relation, attacked};
    Result<AuditCase> shipped = low_bits_case(audited);
    if (!shipped) {
      return error_of(shipped);
    }
    attacks.push_back({*std::move(shipped), AttackKind::Shipped, {}, 0});
    if (request.mutants && attacked == LowBits::Trace) {
      Result<AuditCase> mutant = rounded_trace_mutant(audited);
      if (!mutant) {
        return error_of(mutant);
      }
      attacks.push_back({*std::move(mutant), AttackKind::Mutant, {}, 0});
    }
  }
  return attacks;
}

}  // namespace eigenveil
