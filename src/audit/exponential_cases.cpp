#include "eigenveil/audit/exponential_cases.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace eigenveil {
namespace {

constexpr double kRadius = 1.0;
constexpr std::size_t kDimension = 2;
/// Exponent along the second axis: the more, the closer the pair comes to the claim and the rarer
/// the event that shows it.
constexpr double kBaseExponent = 4.0;
/// A replaced row moves the exponent along both axes.
constexpr double kBaseExponentReplaced = 3.0;

using Rows = std::vector<double>;  // row after row

struct TablePair {
  ExactGram first;
  ExactGram second;
};

Result<ExactGram> gram_of(const Rows& rows, const RowBound& bound) {
  GramAccumulator accumulator(Schema{{"x", "y"}}, bound, 1);
  if (const Result<void> added = accumulator.add(rows.data(), rows.size() / kDimension); !added) {
    return error_of(added);
  }
  return accumulator.finish();
}

Result<TablePair> worst_pair(const RowBound& bound, Relation relation, double exponent) {
  const double along_second =
      relation == Relation::ReplaceOne ? kBaseExponentReplaced : kBaseExponent;
  const int base = std::max(1, static_cast<int>(std::lround(along_second / exponent)));
  Rows first;
  for (int i = 0; i < base; ++i) {
    first.insert(first.end(), {0.0, kRadius});
  }
  Rows second = first;
  first.insert(first.end(), {kRadius, 0.0});
  if (relation == Relation::ZeroRow) {
    second.insert(second.end(), {0.0, 0.0});
  } else if (relation == Relation::ReplaceOne) {
    second.insert(second.end(), {0.0, kRadius});
  }
  Result<ExactGram> with = gram_of(first, bound);
  Result<ExactGram> without = gram_of(second, bound);
  if (!with || !without) {
    return error_of(with ? without : with);
  }
  return TablePair{std::move(*with), std::move(*without)};
}

/// The mechanism, shipped or broken, on one pair of tables, with its log likelihood ratio.
class Attack {
 public:
  Attack(TablePair pair, const ExponentialPlan& plan, double exponent)
      : pair_(std::move(pair)),
        plan_(plan),
        exponent_(exponent),
        first_moment_(scaled_moment(pair_.first, ones())),
        second_moment_(scaled_moment(pair_.second, ones())) {}

  double on(bool first, RandomStream& stream) const {
    const ExactGram& gram = first ? pair_.first : pair_.second;
    if (exponent_ == plan_.exponent()) {
      const auto release = plan_.run(gram, stream);
      return ratio(release->value().frame, release->value().projection);
    }
    const Matrix frame = draw_component(first ? first_moment_ : second_moment_, exponent_, stream);
    return ratio(frame, plan_.projection().run(gram, frame, stream)->value());
  }

 private:
  static Vector ones() { return Vector::Ones(kDimension); }

  /// Up to a constant: c u'(M_1 - M_2)u and the Laplace terms of variance and count.
  double ratio(const Matrix& frame, const NoisyProjection& inside) const {
    const double first = (frame.transpose() * first_moment_ * frame)(0, 0);
    const double second = (frame.transpose() * second_moment_ * frame)(0, 0);
    double total = exponent_ * (first - second) +
                   laplace(inside.products(0, 0), first, second, inside.product_sd);
    if (!inside.count_is_public) {
      // One row more in the first table; the constant offset of both counts does not matter.
      const double rows = second_moment_(1, 1);
      total += laplace(inside.count, rows + 1.0, rows, inside.count_sd);
    }
    return total;
  }
  static double laplace(double released, double first, double second, double sd) {
    return (std::abs(released - second) - std::abs(released - first)) / (sd / std::sqrt(2.0));
  }

  TablePair pair_;
  ExponentialPlan plan_;
  double exponent_;
  Matrix first_moment_;
  Matrix second_moment_;
};

Result<double> mutated_exponent(const ExponentialAudit& request, const ExponentialPlan& plan,
                                ExponentialMutant mutant) {
  switch (mutant) {
    case ExponentialMutant::ExponentDoubled:
    case ExponentialMutant::RelationFactorMissing:
      return 2.0 * plan.exponent();
    case ExponentialMutant::ShareNotCounted:
      return plan.exponent() / (1.0 - request.variance_share);
    case ExponentialMutant::None:
      break;
  }
  return plan.exponent();
}

}  // namespace

std::string_view name_of(ExponentialMutant mutant) {
  switch (mutant) {
    case ExponentialMutant::ExponentDoubled:
      return "mutant: exponent doubled";
    case ExponentialMutant::RelationFactorMissing:
      return "mutant: replace-one at the exponent of add-remove";
    case ExponentialMutant::ShareNotCounted:
      return "mutant: the variance is not paid for";
    case ExponentialMutant::None:
      break;
  }
  return "as shipped";
}

Result<AuditCase> exponential_case(const ExponentialAudit& request, ExponentialMutant mutant) {
  const Result<RowBound> bound = RowBound::row_norm(kDimension, kRadius);
  if (!bound) {
    return error_of(bound);
  }
  const Result<ExponentialPlan> plan =
      plan_exponential({*bound, Vector::Ones(kDimension), request.budget, request.relation, 1,
                        request.variance_share});
  if (!plan) {
    return error_of(plan);
  }
  const Result<double> exponent = mutated_exponent(request, *plan, mutant);
  Result<TablePair> pair = worst_pair(*bound, request.relation, *exponent);
  if (!pair) {
    return error_of(pair);
  }
  const auto attack = std::make_shared<const Attack>(std::move(*pair), *plan, *exponent);
  return AuditCase{std::string(name_of(mutant)), plan->guarantee().loss,
                   [attack](RandomStream& stream) { return attack->on(true, stream); },
                   [attack](RandomStream& stream) { return attack->on(false, stream); }};
}

std::vector<ExponentialMutant> exponential_mutants(const ExponentialAudit& request) {
  if (request.relation == Relation::ReplaceOne) {
    return {ExponentialMutant::RelationFactorMissing, ExponentialMutant::ShareNotCounted};
  }
  return {ExponentialMutant::ExponentDoubled, ExponentialMutant::ShareNotCounted};
}

}  // namespace eigenveil
