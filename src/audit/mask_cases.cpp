#include "audit/mask_cases.hpp"

#include <cmath>
#include <memory>

#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "mechanism/mask/mask.hpp"

namespace eigenveil {
namespace {

/// Rows of norm 1: `victims` of them along the last axis, the others zero or along the other axes.
/// Of a replaced row the second table has another one, along the first axis.
Result<ExactGram> table(const MaskAudit& request, MaskPair pair, std::int64_t victims) {
  const auto p = static_cast<std::size_t>(request.dimension);
  const auto n = static_cast<std::size_t>(request.rows);
  std::vector<double> values(n * p, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const bool victim = static_cast<std::int64_t>(i) < victims;
    if (victim) {
      values[i * p + p - 1] = 1.0;
    } else if (pair == MaskPair::OtherRowsLarge && p > 1 && i >= 2) {
      values[i * p + i % (p - 1)] = 1.0;
    }
  }
  if (pair == MaskPair::ReplacedRow && victims == 0) {
    values[0] = 1.0;
  }
  Schema schema;
  for (std::size_t j = 0; j < p; ++j) {
    schema.columns.push_back("c" + std::to_string(j + 1));
  }
  return RowBound::row_norm(p, 1.0).and_then([&](const RowBound& bound) {
    GramAccumulator accumulator(schema, bound, 1);
    return accumulator.add(values.data(), n).and_then([&] { return accumulator.finish(); });
  });
}

std::function<double(RandomStream&)> statistic(ExactGram gram, MaskPair pair, double sigma) {
  auto shared = std::make_shared<const ExactGram>(std::move(gram));
  return [shared, pair, sigma](RandomStream& stream) {
    const bool intercept = pair == MaskPair::WithIntercept;
    const Matrix factor = trusted::draw_masked_factor(*shared, intercept, sigma, stream).factor;
    const Eigen::Index last = factor.cols() - 1;
    if (pair == MaskPair::OtherRowsLarge) {
      // Triangular: the last diagonal entry is what the other columns leave of the last one.
      return factor(last, last) * factor(last, last);
    }
    const double other = pair == MaskPair::ReplacedRow ? factor.col(0).squaredNorm() : 0.0;
    return factor.col(last).squaredNorm() - other;
  };
}

/// The same randomness for a table the adversary knows and for the other one, and both releases in
/// the adversary's hands: how much they differ. Equal tables come out equal.
std::function<double(RandomStream&)> reused(const ExactGram& known, const ExactGram& gram,
                                            double sigma) {
  auto first = statistic(known, MaskPair::OtherRowsZero, sigma);
  auto second = statistic(gram, MaskPair::OtherRowsZero, sigma);
  return [first = std::move(first), second = std::move(second)](RandomStream& stream) {
    const std::uint64_t draw = stream.bits64();
    RandomStream once = stream.substream(draw);
    RandomStream again = stream.substream(draw);
    return std::abs(second(again) - first(once));
  };
}

/// The noise of the plan that ships, for the neighbours of the pair.
Result<double> planned_sigma(const MaskAudit& request, MaskPair pair) {
  return RowBound::row_norm(static_cast<std::size_t>(request.dimension), 1.0)
      .and_then([&](const RowBound& bound) {
        return MaskPlan::make(
            {bound, request.budget,
             pair == MaskPair::ReplacedRow ? Relation::ReplaceOne : Relation::ZeroRow,
             pair == MaskPair::WithIntercept},
            request.rows);
      })
      .map([](const MaskPlan& plan) { return plan.sigma(); });
}

Result<double> sigma_of(const MaskAudit& request, MaskPair pair, MaskMutant mutant) {
  if (mutant == MaskMutant::None) {
    return planned_sigma(request, pair);
  }
  MaskShape shape{request.rows, request.dimension, 1.0};
  if (mutant == MaskMutant::DegreesUpsideDown) {
    shape.rows += 2 * request.dimension;
  }
  return tight_mask_noise(shape, request.budget, Relation::ZeroRow).map([&](double sigma) {
    return mutant == MaskMutant::NoiseTooSmall ? 0.9 * sigma : sigma;
  });
}

}  // namespace

std::string_view name_of(MaskMutant mutant) {
  switch (mutant) {
    case MaskMutant::None:
      return "as shipped";
    case MaskMutant::NoiseTooSmall:
      return "mutant: noise x 0.9";
    case MaskMutant::DegreesUpsideDown:
      return "mutant: n + p instead of n - p";
    case MaskMutant::CompositionOfRows:
      return "mutant: two rows as composition, not as a group";
    case MaskMutant::ZeroRowNoise:
      return "mutant: zero-row noise";
    case MaskMutant::MaskReused:
      return "mutant: noise and mask of a known table again";
  }
  return "";
}

std::string_view name_of(MaskPair pair) {
  switch (pair) {
    case MaskPair::OtherRowsZero:
      return "other rows zero";
    case MaskPair::OtherRowsLarge:
      return "other rows large";
    case MaskPair::ReplacedRow:
      return "replace-one by an orthogonal row";
    case MaskPair::WithIntercept:
      return "column of ones";
  }
  return "";
}

Result<AuditCase> mask_case(const MaskAudit& request, MaskPair pair, MaskMutant mutant) {
  const Result<double> sigma = sigma_of(request, pair, mutant);
  if (!sigma) {
    return error_of(sigma);
  }
  AuditCase attack;
  attack.name = std::string(name_of(mutant)) + ", " + std::string(name_of(pair));
  attack.claim = request.budget;
  const bool group = mutant == MaskMutant::CompositionOfRows;
  if (group) {
    const Loss once = mask_curve({request.rows, request.dimension, 1.0}, *sigma,
                                 request.budget.epsilon, Relation::ZeroRow);
    const Result<Loss> twice = compose_losses({once, once});
    if (!twice) {
      return error_of(twice);
    }
    attack.claim = ApproxDp{request.budget.epsilon, delta_at(*twice, request.budget.epsilon)};
  }
  if (pair == MaskPair::ReplacedRow && request.dimension < 2) {
    return bad_request("two orthogonal rows need --dimension 2 or more");
  }
  Result<ExactGram> with = table(request, pair, group ? 2 : 1);
  Result<ExactGram> without = table(request, pair, 0);
  if (!with || !without) {
    return error_of(with ? without : with);
  }
  if (mutant == MaskMutant::MaskReused) {
    attack.statistic_on_first = reused(*without, *with, *sigma);
    attack.statistic_on_second = reused(*without, *without, *sigma);
    return attack;
  }
  attack.statistic_on_first = statistic(std::move(*with), pair, *sigma);
  attack.statistic_on_second = statistic(std::move(*without), pair, *sigma);
  return attack;
}

std::vector<std::pair<MaskMutant, MaskPair>> mask_mutants() {
  return {{MaskMutant::NoiseTooSmall, MaskPair::OtherRowsLarge},
          {MaskMutant::DegreesUpsideDown, MaskPair::OtherRowsLarge},
          {MaskMutant::CompositionOfRows, MaskPair::OtherRowsLarge},
          {MaskMutant::ZeroRowNoise, MaskPair::ReplacedRow},
          {MaskMutant::MaskReused, MaskPair::OtherRowsZero}};
}

std::vector<MaskPair> mask_pairs(const MaskAudit& request) {
  std::vector<MaskPair> pairs = {MaskPair::OtherRowsZero, MaskPair::OtherRowsLarge};
  if (request.rows > request.dimension + 1) {  // one column more
    pairs.push_back(MaskPair::WithIntercept);
  }
  if (request.dimension >= 2) {
    pairs.push_back(MaskPair::ReplacedRow);
  }
  return pairs;
}

}  // namespace eigenveil
