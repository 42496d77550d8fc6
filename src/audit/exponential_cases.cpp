#include "audit/exponential_cases.hpp"

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
  Attack(TablePair pair, const ExponentialPlan& plan)
      : pair_(std::move(pair)),
        plan_(plan),
        first_moment_(scaled_moment(pair_.first, ones())),
        second_moment_(scaled_moment(pair_.second, ones())) {}

  double on(bool first, RandomStream& stream) const {
    const auto release = plan_.run(first ? pair_.first : pair_.second, stream);
    return ratio(release->value().frame, release->value().projection);
  }

 private:
  static Vector ones() { return Vector::Ones(kDimension); }

  /// Up to a constant: c u'(M_1 - M_2)u and the Laplace terms of variance and count.
  double ratio(const Matrix& frame, const NoisyProjection& inside) const {
    const double first = (frame.transpose() * first_moment_ * frame)(0, 0);
    const double second = (frame.transpose() * second_moment_ * frame)(0, 0);
    double total = plan_.exponent() * (first - second) +
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
  Matrix first_moment_;
  Matrix second_moment_;
};

/// The shipped plan at the budget a mutant spends: the variance's share of the claim, and for the
/// draw what the mutant takes.
Result<ExponentialPlan> plan_of(const ExponentialAudit& request, const RowBound& bound,
                                ExponentialMutant mutant) {
  const auto* claim = std::get_if<PureDp>(&request.budget);
  if (claim == nullptr) {
    return bad_request("the attack on the exponential mechanism is for pure epsilon");
  }
  const double variance = request.variance_share * claim->epsilon;
  double draw = claim->epsilon - variance;
  switch (mutant) {
    case ExponentialMutant::ExponentDoubled:
    case ExponentialMutant::RelationFactorMissing:
      draw *= 2.0;
      break;
    case ExponentialMutant::ShareNotCounted:
      draw = claim->epsilon;
      break;
    case ExponentialMutant::None:
      break;
  }
  const double spent = variance + draw;
  return plan_exponential(
      {bound, Vector::Ones(kDimension), PureDp{spent}, request.relation, 1, variance / spent});
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
  const Result<ExponentialPlan> claimed = plan_of(request, *bound, ExponentialMutant::None);
  const Result<ExponentialPlan> plan = plan_of(request, *bound, mutant);
  if (!claimed || !plan) {
    return error_of(claimed ? plan : claimed);
  }
  Result<TablePair> pair = worst_pair(*bound, request.relation, plan->exponent());
  if (!pair) {
    return error_of(pair);
  }
  const auto attack = std::make_shared<const Attack>(std::move(*pair), *plan);
  return AuditCase{std::string(name_of(mutant)), claimed->guarantee().loss,
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
