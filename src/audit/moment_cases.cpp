#include "audit/moment_cases.hpp"

#include <cmath>
#include <memory>
#include <numbers>

#include "mechanism/gauss/gauss.hpp"
#include "mechanism/laplace/laplace.hpp"

namespace eigenveil {
namespace {

constexpr double kRadius = 1.0;
constexpr double kSkippedClipping = 2.0;  ///< how far beyond the bound the unclipped row reaches

using Row = std::vector<double>;

/// A row of the given norm in the plane of the first two coordinates, or along the diagonal of all.
Row row_at_angle(std::size_t dimension, double norm, double angle) {
  Row row(dimension, 0.0);
  row[0] = norm * std::cos(angle);
  row[1] = norm * std::sin(angle);
  return row;
}
Row diagonal_row(std::size_t dimension, double norm) {
  return Row(dimension, norm / std::sqrt(static_cast<double>(dimension)));
}

struct RowPair {
  std::vector<Row> first;
  std::vector<Row> second;
};

/// Pairs that attain the sensitivity (docs/proofs/second_moment.md). The diagonal row loads every
/// entry of the triangle; replaced rows stand at the angle that moves the extended Gram furthest.
RowPair worst_pair(const MomentAudit& request, double norm, double constant_share) {
  const Row extreme = diagonal_row(request.dimension, norm);
  switch (request.relation) {
    case Relation::ReplaceOne: {
      if (request.method == "laplace") {
        const double angle = std::atan(0.5) / 2.0;  // maximises 2|cos 2a| + |sin 2a|
        return {{row_at_angle(request.dimension, norm, angle)},
                {row_at_angle(request.dimension, norm, angle + std::numbers::pi / 2.0)}};
      }
      const double cosine =
          request.extension == Extension::Full ? -constant_share * constant_share : 0.0;
      const double angle = std::numbers::pi / 4.0;
      return {{row_at_angle(request.dimension, norm, angle)},
              {row_at_angle(request.dimension, norm, angle + std::acos(cosine))}};
    }
    case Relation::ZeroRow:
      return {{extreme}, {Row(request.dimension, 0.0)}};
    default:
      return {{extreme}, {}};
  }
}

Result<ExactGram> gram_of(const std::vector<Row>& rows, const RowBound& bound) {
  Schema schema;
  schema.columns.assign(bound.dimension(), "x");
  GramAccumulator accumulator(schema, bound, 1);
  for (const Row& row : rows) {
    if (const Result<void> added = accumulator.add(row.data(), 1); !added) {
      return error_of(added);
    }
  }
  return accumulator.finish();
}

/// Log likelihood ratio of the released entries, first against second: the most powerful statistic.
class LikelihoodRatio {
 public:
  LikelihoodRatio(const SecondMoment& first, const SecondMoment& second, const NoiseScale& scale,
                  double unit)
      : shape_(first.shape()), scale_(scale), unit_(unit) {
    for (std::size_t index = 0; index < shape_.entries(); ++index) {
      first_.push_back(static_cast<double>(first.entry(index)));
      second_.push_back(static_cast<double>(second.entry(index)));
    }
  }

  double operator()(const NoisyMoment& released) const {
    const double t = static_cast<double>(shape_.constant);
    std::size_t index = 0;
    double ratio = 0.0;
    if (shape_.releases_count()) {
      ratio += entry(released.count * t * t, scale_.diagonal, index++);
    }
    for (Eigen::Index j = 0; shape_.releases_sums() && j < released.sums->size(); ++j) {
      ratio += entry((*released.sums)[j] * t / unit_, scale_.off_diagonal, index++);
    }
    for (Eigen::Index column = 0; column < released.products.cols(); ++column) {
      for (Eigen::Index row = 0; row <= column; ++row) {
        ratio += entry(released.products(row, column) / (unit_ * unit_),
                       row == column ? scale_.diagonal : scale_.off_diagonal, index++);
      }
    }
    return ratio;
  }

 private:
  double entry(double released, double scale, std::size_t index) const {
    const double to_first = released - first_[index];
    const double to_second = released - second_[index];
    if (scale_.law == NoiseLaw::Laplace) {
      return (std::abs(to_second) - std::abs(to_first)) / scale;
    }
    return (to_second * to_second - to_first * to_first) / (2.0 * scale * scale);
  }

  MomentShape shape_;
  NoiseScale scale_;
  double unit_;
  std::vector<double> first_;
  std::vector<double> second_;
};

Result<MomentPlan> make_plan(const MomentAudit& request, const RowBound& bound, Relation relation) {
  const MomentRequest moment{bound, request.budget, relation, request.extension, 1};
  return request.method == "gauss" ? plan_gauss(moment) : plan_laplace(moment);
}

Result<NoiseScale> mutated_noise(const MomentAudit& request, const MomentPlan& plan,
                                 MomentMutant mutant) {
  NoiseScale scale = plan.noise();
  switch (mutant) {
    case MomentMutant::NoiseTooSmall:
      scale.diagonal *= 0.9;
      scale.off_diagonal *= 0.9;
      return scale;
    case MomentMutant::RelationFactorMissing:
      return make_plan(request, plan.bound(), Relation::AddRemove).map([](const MomentPlan& other) {
        return other.noise();
      });
    case MomentMutant::QuarterVariance:
      scale.off_diagonal = scale.diagonal / 2.0;
      return scale;
    case MomentMutant::WrongNorm: {
      const double ratio = *frobenius_sensitivity(plan.shape()) / plan.sensitivity();
      scale.diagonal *= ratio;
      scale.off_diagonal *= ratio;
      return scale;
    }
    default:
      return scale;
  }
}

/// Both Grams live as long as the case that refers to them.
struct AuditedPair {
  ExactGram first;
  ExactGram second;
};

}  // namespace

std::string_view name_of(MomentMutant mutant) {
  switch (mutant) {
    case MomentMutant::None:
      return "as shipped";
    case MomentMutant::NoiseTooSmall:
      return "mutant: noise x 0.9";
    case MomentMutant::RelationFactorMissing:
      return "mutant: relation factor missing";
    case MomentMutant::QuarterVariance:
      return "mutant: off-diagonals at a quarter of the variance";
    case MomentMutant::ClippingSkipped:
      return "mutant: clipping skipped";
    case MomentMutant::WrongNorm:
      return "mutant: l2 sensitivity used for Laplace";
  }
  return "unknown";
}

std::vector<MomentMutant> moment_mutants(const MomentAudit& request) {
  std::vector<MomentMutant> mutants = {MomentMutant::NoiseTooSmall, MomentMutant::ClippingSkipped};
  if (request.relation == Relation::ReplaceOne) {
    mutants.push_back(MomentMutant::RelationFactorMissing);
  }
  mutants.push_back(request.method == "gauss" ? MomentMutant::QuarterVariance
                                              : MomentMutant::WrongNorm);
  return mutants;
}

Result<AuditCase> moment_case(const MomentAudit& request, MomentMutant mutant) {
  if (request.dimension < 2) {
    return bad_request("the worst pairs need --dimension 2 or more");
  }
  const bool skip_clipping = mutant == MomentMutant::ClippingSkipped;
  const double norm = skip_clipping ? kSkippedClipping * kRadius : kRadius;
  const Result<RowBound> bound = RowBound::row_norm(request.dimension, kRadius);
  // The same grid, with room for the row that clipping should have shortened.
  const Result<RowBound> room =
      RowBound::row_norm(request.dimension, norm,
                         skip_clipping ? 2 * RowBound::kDefaultMaxAbs : RowBound::kDefaultMaxAbs);
  const Result<MomentPlan> plan = bound.and_then(
      [&](const RowBound& rows) { return make_plan(request, rows, request.relation); });
  if (!plan || !room) {
    return plan ? error_of(room) : error_of(plan);
  }
  const Result<NoiseScale> scale = mutated_noise(request, *plan, mutant);
  const double share = static_cast<double>(plan->shape().constant) /
                       std::sqrt(static_cast<double>(plan->shape().norm2_bound));
  const RowPair rows = worst_pair(request, norm, share);
  Result<ExactGram> first = gram_of(rows.first, *room);
  Result<ExactGram> second = gram_of(rows.second, *room);
  if (!scale || !first || !second) {
    return bad_request("the audited pair could not be built");
  }
  const auto pair =
      std::make_shared<const AuditedPair>(AuditedPair{*std::move(first), *std::move(second)});
  const SecondMoment moments[2] = {{pair->first, plan->shape()}, {pair->second, plan->shape()}};
  const LikelihoodRatio statistic(moments[0], moments[1], *scale, pair->first.bound().unit());
  const auto attack = [pair, statistic, mutant, plan = *plan,
                       scale = *scale](const ExactGram& gram) {
    return [pair, &gram, statistic, mutant, plan, scale](RandomStream& stream) {
      if (mutant == MomentMutant::None) {
        return statistic(plan.run(gram, stream)->value());
      }
      const NoisyTotals noisy = add_rounded_noise(SecondMoment(gram, plan.shape()), scale,
                                                  *noise_grid_exponent(scale), stream);
      return statistic(in_scaled_units(noisy, gram.schema(), gram.bound()));
    };
  };
  return AuditCase{std::string(name_of(mutant)), plan->guarantee().loss, attack(pair->first),
                   attack(pair->second)};
}

}  // namespace eigenveil
